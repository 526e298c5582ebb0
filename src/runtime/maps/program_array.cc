// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_PROG_ARRAY: what bpf_tail_call jumps through. Its lookup() gives the program's
// Object to the helper; programs themselves cannot look elements up (the verifier refuses). Source:
// kernel/bpf/arraymap.c. Tested by object_array_test.cc
#include "runtime/maps/object_array.h"

namespace skep::runtime::maps {
namespace {

class ProgramArray final : public ObjectArray {
 public:
  ProgramArray(const MapDef& def, u32 cpus, Storage storage, DirectArray layout,
               std::shared_ptr<ObjectTable> objects)
      : ObjectArray(def, cpus, std::move(storage), layout, std::move(objects)) {}
};

}  // namespace

Result<std::shared_ptr<Map>> make_program_array(const MapDef& def, const MapOptions& options) {
  return make_object_array<ProgramArray>(def, options);
}

}  // namespace skep::runtime::maps
