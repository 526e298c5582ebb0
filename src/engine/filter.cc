// SPDX-License-Identifier: Apache-2.0
// The two virtual machines of cbpf/ as filter engines.
// Tested by filter_test.cc
#include "engine/filter.h"

#include "cbpf/check.h"
#include "cbpf/switch_vm.h"
#include "cbpf/threaded_vm.h"

namespace skep::engine {

namespace {

u32 match_switch(const void* program, const u8* data, u32 caplen, u32 len,
                 const cbpf::Metadata& metadata) noexcept {
  return cbpf::run_switch(*static_cast<const cbpf::Program*>(program), Bytes(data, caplen), len,
                          metadata);
}

u32 match_threaded(const void* program, const u8* data, u32 caplen, u32 len,
                   const cbpf::Metadata& metadata) noexcept {
  return static_cast<const cbpf::Threaded*>(program)->run(Bytes(data, caplen), len, metadata);
}

Result<Filter> make_switch(std::span<const isa::cbpf::RawInsn> raw, isa::cbpf::Rules rules) {
  SKEP_TRY(cbpf::Program program, cbpf::check(raw, rules));
  return Filter(&match_switch, std::make_shared<const cbpf::Program>(std::move(program)));
}

Result<Filter> make_threaded(std::span<const isa::cbpf::RawInsn> raw, isa::cbpf::Rules rules) {
  SKEP_TRY(const cbpf::Program program, cbpf::check(raw, rules));
  SKEP_TRY(cbpf::Threaded threaded, cbpf::Threaded::decode(program));
  return Filter(&match_threaded, std::make_shared<const cbpf::Threaded>(std::move(threaded)));
}

constexpr std::array<FilterEngine, 2> kEngines = {{
    {"threaded", &make_threaded},
    {"switch", &make_switch},
}};

}  // namespace

std::span<const FilterEngine> filter_engines() {
  return kEngines;
}

}  // namespace skep::engine
