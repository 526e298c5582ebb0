// SPDX-License-Identifier: Apache-2.0
// Names and operand patterns from the table of facts.
// Tested by ebpf_roundtrip_test.cc
#include "asm/ebpf_names.h"

#include <fmt/format.h>

#include "support/assert.h"

namespace skep::assembler::ebpf {

std::string mnemonic(const OpInfo& op) {
  const std::string_view width = op.width == 32 ? "32" : "";
  switch (op.kind) {
    case Kind::Alu:
    case Kind::Neg:
    case Kind::Jmp: return fmt::format("{}{}", op.mnemonic, width);
    case Kind::MovSx: return fmt::format("{}{}", op.mnemonic, op.width);
    case Kind::Atomic: {
      // bpf_conformance writes the fetch before the operation, and the width after it.
      std::string_view stem = op.mnemonic;
      const bool fetch = stem.starts_with("fetch_");
      if (fetch) stem.remove_prefix(std::string_view("fetch_").size());
      return fmt::format("lock {}{}{}", fetch ? "fetch " : "", stem, width);
    }
    case Kind::End:
    case Kind::Ldx:
    case Kind::LdxSx:
    case Kind::St:
    case Kind::Stx:
    case Kind::LoadAcquire:
    case Kind::StoreRelease:
    case Kind::LdAbs:
    case Kind::LdInd:
    case Kind::Lddw:
    case Kind::LddwHigh:
    case Kind::Ja:
    case Kind::Call:
    case Kind::CallLocal:
    case Kind::CallKfunc:
    case Kind::Exit:
    case Kind::MayGoto: return std::string(op.mnemonic);
  }
  unreachable();
}

std::string_view operands(const OpInfo& op) {
  const bool x = op.source == Source::X;
  switch (op.kind) {
    case Kind::Alu: return x ? "ds" : "di";
    case Kind::MovSx: return "ds";
    case Kind::Neg:
    case Kind::End: return "d";
    case Kind::Jmp: return x ? "dst" : "dit";
    case Kind::Ldx:
    case Kind::LdxSx:
    case Kind::LoadAcquire: return "dS";
    case Kind::St: return "Di";
    case Kind::Stx:
    case Kind::Atomic:
    case Kind::StoreRelease: return "Ds";
    case Kind::LdAbs: return "i";
    case Kind::LdInd: return "si";
    case Kind::Lddw: return "dI";
    case Kind::LddwHigh: return "";
    case Kind::Call: return "h";
    case Kind::CallKfunc: return "k";
    case Kind::Ja:
    case Kind::CallLocal:
    case Kind::MayGoto: return "t";
    case Kind::Exit: return "";
  }
  unreachable();
}

std::string type_name(const OpInfo& op) {
  return fmt::format("{}{}", op.kind == Kind::LdxSx ? 's' : 'u', op.width);
}

char register_letter(const OpInfo& op) {
  // Byte order changes and sign-extending loads always fill the whole register.
  const bool whole = op.kind == Kind::End || op.kind == Kind::LdxSx;
  return op.width <= 32 && !whole ? 'w' : 'r';
}

}  // namespace skep::assembler::ebpf
