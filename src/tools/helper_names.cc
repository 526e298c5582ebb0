// SPDX-License-Identifier: Apache-2.0
// The helpers' numbers and names come from the macro that the kernel's own tables come from; the
// list has been closed since Linux 6.1 (new functions are kfuncs), so any header from then on will
// do. Tested by tests/e2e/asm.sh
#include "tools/helper_names.h"

#if __has_include(<linux/bpf.h>)
#include <linux/bpf.h>
#endif

namespace skep::tools {

std::span<const assembler::ebpf::HelperName> helper_names() {
#ifdef __BPF_FUNC_MAPPER
#define SKEP_HELPER(name) \
  { BPF_FUNC_##name, "bpf_" #name }
  static constexpr assembler::ebpf::HelperName kNames[] = {__BPF_FUNC_MAPPER(SKEP_HELPER)};
#undef SKEP_HELPER
  return std::span(kNames).subspan(1);  // the first is bpf_unspec, which is none
#else
  return {};
#endif
}

}  // namespace skep::tools
