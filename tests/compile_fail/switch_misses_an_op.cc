// SPDX-License-Identifier: Apache-2.0
// A new arithmetic operation in ebpf.def is an error in every switch that does not know it.
// expect: not handled in switch
#include "isa/ebpf.h"

bool known(skep::isa::ebpf::AluOp op) {
  using skep::isa::ebpf::AluOp;
  switch (op) {
#ifdef SKEP_BAD
    case AluOp::Add: return true;
#else
#define ALU(name, ...) \
  case AluOp::name:    \
    return true;
#include "isa/ebpf.def"
#endif
  }
  return false;
}
