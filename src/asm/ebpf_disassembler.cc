// SPDX-License-Identifier: Apache-2.0
// The mnemonic notation follows the operand patterns of ebpf_names.h. The two C-like notations have
// one shape, written once in CLike; they differ in how numbers, offsets, targets and registers
// look.
//
// Source: llvm/lib/Target/BPF (what llvm-objdump 19 prints), kernel/bpf/disasm.c.
// Tested by ebpf_disassembler_test.cc, ebpf_roundtrip_test.cc
#include "asm/ebpf_disassembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "asm/ebpf_names.h"
#include "support/assert.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::AtomicOp;
using isa::ebpf::info;
using isa::ebpf::jump_distance;

/// Sign and magnitude in hexadecimal: "-0x5".
std::string signed_hex(s64 value) {
  const u64 bits = static_cast<u64>(value);
  return value < 0 ? fmt::format("-0x{:x}", 0 - bits) : fmt::format("0x{:x}", bits);
}

std::string module_text(const Insn& insn) {
  return insn.off == 0 ? "" : fmt::format(" off={}", insn.off);
}

// ---- mnemonic notation

std::string mnemonic_memory(unsigned base, s16 off) {
  return off == 0 ? fmt::format("[%r{}]", base) : fmt::format("[%r{}{:+}]", base, off);
}

std::string mnemonic_operand(char letter, const Insn& insn) {
  switch (letter) {
    case 'd': return fmt::format("%r{}", insn.dst);
    case 's': return fmt::format("%r{}", insn.src);
    case 'D': return mnemonic_memory(insn.dst, insn.off);
    case 'S': return mnemonic_memory(insn.src, insn.off);
    case 'i': return fmt::format("{}", insn.imm);
    case 'I': return fmt::format("0x{:x}", static_cast<u64>(insn.imm));
    case 't': return fmt::format("{:+}", jump_distance(insn));
    case 'h': return fmt::format("{}", static_cast<u32>(insn.imm));
    case 'k': return fmt::format("{}{}", insn.imm, module_text(insn));
    default: return "";
  }
}

std::string mnemonic_text(const Insn& insn) {
  const OpInfo& op = info(insn.op);
  std::string text = mnemonic(op);
  std::string_view separator = " ";
  for (char letter : operands(op)) {
    text += separator;
    text += mnemonic_operand(letter, insn);
    separator = ", ";
  }
  return text;
}

// ---- the kernel's and LLVM's notation

class CLike {
 public:
  CLike(const Insn& insn, bool kernel, std::span<const HelperName> helpers)
      : insn_(insn), op_(info(insn.op)), kernel_(kernel), helpers_(helpers) {}

  std::string text() const {
    switch (op_.kind) {
      case Kind::Alu: return fmt::format("{} {} {}", dst(), op_.symbol, second());
      case Kind::MovSx: return fmt::format("{} = (s{}){}", dst(), op_.from_bits, src());
      case Kind::Neg: return fmt::format("{} = -{}", dst(), dst());
      case Kind::End: return fmt::format("{} = {} {}", dst(), op_.symbol, dst());
      case Kind::Jmp:
        return fmt::format("if {} {} {} goto {}", dst(), op_.symbol, second(), target());
      case Kind::Ldx:
      case Kind::LdxSx: return fmt::format("{} = {}", dst(), access(insn_.src));
      case Kind::St:
      case Kind::Stx: return fmt::format("{} = {}", access(insn_.dst), second());
      case Kind::Atomic: return atomic();
      case Kind::LoadAcquire:
        return fmt::format("{} = {}({})", dst(), op_.symbol, typed(insn_.src));
      case Kind::StoreRelease:
        return fmt::format("{}({}, {})", op_.symbol, typed(insn_.dst), src());
      case Kind::LdAbs:
      case Kind::LdInd: return fmt::format("r0 = *({} *)skb[{}]", type_name(op_), packet_offset());
      case Kind::Lddw: return kernel_ ? kernel_constant() : llvm_constant();
      case Kind::LddwHigh: return "";
      case Kind::Ja:
      case Kind::MayGoto: return fmt::format("{} {}", op_.symbol, target());
      case Kind::Call:
      case Kind::CallLocal:
      case Kind::CallKfunc: return fmt::format("{} {}", op_.symbol, callee());
      case Kind::Exit: return std::string(op_.symbol);
    }
    unreachable();
  }

 private:
  /// The kernel writes 32-bit names only for arithmetic and comparisons.
  std::string reg(unsigned number) const {
    const bool computes = op_.kind == Kind::Alu || op_.kind == Kind::MovSx ||
                          op_.kind == Kind::Neg || op_.kind == Kind::Jmp;
    return fmt::format("{}{}", kernel_ && !computes ? 'r' : register_letter(op_), number);
  }
  std::string dst() const { return reg(insn_.dst); }
  std::string src() const { return reg(insn_.src); }

  std::string number() const {
    if (!kernel_) return signed_hex(insn_.imm);
    if (op_.kind == Kind::Jmp) return fmt::format("0x{:x}", static_cast<u32>(insn_.imm));
    return fmt::format("{}", insn_.imm);
  }
  std::string second() const { return op_.source == Source::X ? src() : number(); }

  std::string distance() const {
    const s64 slots = jump_distance(insn_);
    if (kernel_) return fmt::format("{:+}", slots);
    return (slots < 0 ? "" : "+") + signed_hex(slots);
  }
  std::string target() const { return (kernel_ ? "pc" : "") + distance(); }

  /// "r1 + 0x4", "r1 +4": the inside of a memory operand.
  std::string address(unsigned base) const {
    if (kernel_) return fmt::format("r{} {:+}", base, insn_.off);
    const int off = insn_.off;
    return fmt::format("r{} {} 0x{:x}", base, off < 0 ? '-' : '+', off < 0 ? -off : off);
  }
  std::string typed(unsigned base) const {
    return fmt::format("({} *)({})", type_name(op_), address(base));
  }
  std::string access(unsigned base) const { return "*" + typed(base); }

  std::string atomic() const {
    if (!op_.fetch) return fmt::format("lock {} {} {}", access(insn_.dst), op_.symbol, src());
    const bool compare = op_.atomic == AtomicOp::CmpXchg;
    const bool swaps = compare || op_.atomic == AtomicOp::Xchg;
    const std::string old = compare ? reg(0) : src();  // where the old value goes
    std::string name, place = typed(insn_.dst);
    if (kernel_) {
      name = fmt::format("atomic{}_{}", op_.width == 64 ? "64" : "", op_.mnemonic);
    } else if (swaps) {
      name = fmt::format("{}{}", op_.mnemonic, op_.width == 64 ? "_64" : "32_32");
      place = address(insn_.dst);
    } else {
      name = fmt::format("atomic_{}", op_.mnemonic);
    }
    return fmt::format("{} = {}({}, {}{})", old, name, place, compare ? old + ", " : "", src());
  }

  std::string packet_offset() const {
    if (op_.kind == Kind::LdAbs) return number();
    if (kernel_) return fmt::format("r{} + {}", insn_.src, insn_.imm);
    if (insn_.imm == 0) return fmt::format("r{}", insn_.src);
    return fmt::format("r{} {} {}", insn_.src, insn_.imm < 0 ? '-' : '+',
                       signed_hex(insn_.imm < 0 ? -insn_.imm : insn_.imm));
  }

  std::string llvm_constant() const {
    if (insn_.op == Op::Lddw) return fmt::format("{} = {} ll", dst(), signed_hex(insn_.imm));
    return fmt::format("ld_pseudo\t{}, 0x{:x}, 0x{:x}", dst(), op_.selected,
                       static_cast<u64>(insn_.imm));
  }

  /// The symbol with the low half for its %, and the high half behind it.
  std::string kernel_constant() const {
    const u64 bits = static_cast<u64>(insn_.imm);
    if (insn_.op == Op::Lddw) return fmt::format("{} = 0x{:x}", dst(), bits);
    const std::size_t hole = op_.symbol.find('%');
    const std::string_view before = op_.symbol.substr(0, hole), after = op_.symbol.substr(hole + 1);
    const u32 high = static_cast<u32>(bits >> 32);
    const bool shows_high = high != 0 || after.ends_with("[0]");
    return fmt::format("{} = {}{}{}{}", dst(), before, static_cast<s32>(bits), after,
                       shows_high ? fmt::format("+{}", high) : "");
  }

  std::string callee() const {
    if (op_.kind == Kind::CallLocal) return "pc" + distance();
    if (op_.kind == Kind::CallKfunc) {
      return fmt::format("kfunc#{}{}", insn_.imm, module_text(insn_));
    }
    if (!kernel_) return fmt::format("0x{:x}", static_cast<u32>(insn_.imm));
    const auto named = std::find_if(helpers_.begin(), helpers_.end(),
                                    [this](const HelperName& h) { return h.number == insn_.imm; });
    return fmt::format("{}#{}", named == helpers_.end() ? "unknown" : named->name, insn_.imm);
  }

  const Insn& insn_;
  const OpInfo& op_;
  bool kernel_;
  std::span<const HelperName> helpers_;
};

std::string index_text(std::size_t pc, Notation notation) {
  switch (notation) {
    case Notation::Llvm: return fmt::format("{:8}:\t", pc);
    case Notation::Kernel: return fmt::format("{:4}: ", pc);
    case Notation::Mnemonic: return fmt::format("{:4}: ", pc);
  }
  unreachable();
}

}  // namespace

std::string to_text(const Insn& insn, Notation notation, std::span<const HelperName> helpers) {
  if (insn.op == Op::LddwHigh) return "";
  switch (notation) {
    case Notation::Llvm: return CLike(insn, false, helpers).text();
    case Notation::Kernel:
      return fmt::format("({:02x}) {}", info(insn.op).code, CLike(insn, true, helpers).text());
    case Notation::Mnemonic: return mnemonic_text(insn);
  }
  unreachable();
}

std::string disassemble(std::span<const Insn> program, Notation notation,
                        const DisassembleOptions& options) {
  std::string text;
  for (std::size_t pc = 0; pc < program.size(); ++pc) {
    if (program[pc].op == Op::LddwHigh) continue;
    if (options.indexes) text += index_text(pc, notation);
    text += to_text(program[pc], notation, options.helpers);
    text += '\n';
  }
  return text;
}

}  // namespace skep::assembler::ebpf
