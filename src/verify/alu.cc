// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/alu.h"

#include "verify/deviations.h"
#include "verify/precision.h"
#include "verify/scalar_alu.h"
#include "verify/speculation.h"

namespace skep::verify {
namespace {

using isa::ebpf::AluOp;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::OpInfo;
using Operand = isa::ebpf::Source;

// One operand, whose result is any number: negation and byte swaps.
Check check_unary(Walk& walk, const Insn& insn) {
  SKEP_TRY_DO(walk.read(insn.dst));
  if (walk.hides_pointer(insn.dst)) return walk.fail<Msg::PointerArithmetic>(insn.dst);
  return walk.write_unknown(insn.dst);
}

Check check_mov_register(Walk& walk, const Insn& insn, u32 width) {
  SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(walk.write(insn.dst));
  Reg& src = walk.reg(insn.src);
  Reg& dst = walk.reg(insn.dst);
  if (width == 64) {
    // The copies share an id, so that a comparison of one tells about the other.
    if (src.is_scalar() && src.id == 0) src.id = walk.new_id();
    dst.copy_from(src);
    dst.live |= kLiveWritten;
    return {};
  }
  if (walk.hides_pointer(src)) return walk.fail<Msg::PartialCopy>(insn.src);
  if (src.is_scalar()) {
    dst.copy_from(src);
    dst.id = 0;
    dst.live |= kLiveWritten;
  } else {
    walk.set_unknown(dst);
  }
  dst.value.zero_extend_low();
  dst.value.sync();
  return {};
}

Check check_mov_constant(Walk& walk, const Insn& insn, u32 width) {
  SKEP_TRY_DO(walk.write_unknown(insn.dst));
  const auto x = static_cast<u64>(insn.imm);
  walk.reg(insn.dst).set_known(width == 64 ? x : static_cast<u32>(x));
  return {};
}

Check check_mov_sign(Walk& walk, const Insn& insn, const OpInfo& facts) {
  if (!deviates(walk.input.level, Deviation::NewInstructions)) return walk.fail<Msg::MovReserved>();
  SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(walk.write(insn.dst));
  if (!walk.reg(insn.src).is_scalar()) {
    if (!walk.rights.pointer_leaks) return walk.fail<Msg::SignExtendsPointer>(insn.src);
    walk.set_unknown(walk.reg(insn.dst));
  } else if (insn.dst != insn.src) {
    walk.reg(insn.dst).copy_from(walk.reg(insn.src));
  }
  Reg& dst = walk.reg(insn.dst);
  dst.id = 0;
  dst.live |= kLiveWritten;
  dst.value.sign_extend(facts.from_bits, facts.width);
  return {};
}

Check check_constant_operand(Walk& walk, const Insn& insn, const OpInfo& facts) {
  switch (facts.alu) {
    case AluOp::Div:
    case AluOp::Mod:
    case AluOp::SDiv:
    case AluOp::SMod:
      if (insn.imm == 0) return walk.fail<Msg::DivisionByZero>();
      break;
    case AluOp::Lsh:
    case AluOp::Rsh:
    case AluOp::Arsh:
      if (insn.imm < 0 || insn.imm >= facts.width) return walk.fail<Msg::InvalidShift>(insn.imm);
      break;
    case AluOp::Add:
    case AluOp::Sub:
    case AluOp::Mul:
    case AluOp::Or:
    case AluOp::And:
    case AluOp::Xor:
    case AluOp::Mov: break;
  }
  return {};
}

Check number_with_number(Walk& walk, const OpInfo& facts, Reg& dst, const Reg& src) {
  // The operand may be the same register.
  const Scalar operand = src.value;
  if (!alu_is_tracked(facts.alu, facts.width, operand)) {
    walk.set_unknown(dst);
    return {};
  }
  if (facts.alu == AluOp::Add || facts.alu == AluOp::Sub) {
    SKEP_TRY_DO(mask_number_arithmetic(walk));
  }
  if (!apply_alu(facts.alu, facts.width, dst.value, operand)) dst.precise = walk.always_precise();
  return {};
}

Check with_register(Walk& walk, const Insn& insn, const OpInfo& facts) {
  Reg& dst = walk.reg(insn.dst);
  Reg& src = walk.reg(insn.src);
  if (src.is_scalar() && dst.is_scalar()) {
    // What decides something makes its operands decide it.
    if (dst.precise) SKEP_TRY_DO(mark_precise(walk, insn.src));
    return number_with_number(walk, facts, dst, src);
  }
  if (src.is_scalar()) {
    SKEP_TRY_DO(mark_precise(walk, insn.src));
    return move_pointer(walk, dst, src);
  }
  if (dst.is_scalar()) {
    SKEP_TRY_DO(mark_precise(walk, insn.dst));
    const Reg offset = dst;
    return move_pointer(walk, src, offset);
  }
  if (facts.alu == AluOp::Sub && walk.rights.pointer_leaks) {
    walk.set_unknown(dst);
    return {};
  }
  return walk.fail<Msg::PointerOpPointer>(insn.dst, facts.symbol);
}

Check check_binary(Walk& walk, const Insn& insn, const OpInfo& facts) {
  const bool is_new = facts.alu == AluOp::SDiv || facts.alu == AluOp::SMod;
  if (is_new && !deviates(walk.input.level, Deviation::NewInstructions))
    return walk.fail<Msg::AluReserved>();
  if (facts.source == Operand::X) SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(walk.read(insn.dst));
  if (facts.source == Operand::K) SKEP_TRY_DO(check_constant_operand(walk, insn, facts));
  SKEP_TRY_DO(walk.write(insn.dst));
  Reg& dst = walk.reg(insn.dst);
  if (dst.is_scalar()) dst.id = 0;
  if (facts.source == Operand::X) return with_register(walk, insn, facts);
  Reg constant;
  constant.kind = RegKind::Scalar;
  constant.set_known(static_cast<u64>(insn.imm));
  if (!dst.is_scalar()) return move_pointer(walk, dst, constant);
  return number_with_number(walk, facts, dst, constant);
}

}  // namespace

Check check_alu(Walk& walk) {
  const Insn& insn = walk.insn();
  const OpInfo& facts = isa::ebpf::info(insn.op);
  if (facts.kind == Kind::Neg || facts.kind == Kind::End) return check_unary(walk, insn);
  if (facts.kind == Kind::MovSx) return check_mov_sign(walk, insn, facts);
  if (facts.alu != AluOp::Mov) return check_binary(walk, insn, facts);
  return facts.source == Operand::X ? check_mov_register(walk, insn, facts.width)
                                    : check_mov_constant(walk, insn, facts.width);
}

}  // namespace skep::verify
