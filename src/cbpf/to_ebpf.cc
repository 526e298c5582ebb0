// SPDX-License-Identifier: Apache-2.0
// The translation, one instruction at a time. Jumps are written with their classic target and
// patched when all code has its place. Code that nothing reaches is left out: verifiers refuse it.
// Tested by to_ebpf_test.cc
#include "cbpf/to_ebpf.h"

#include <algorithm>
#include <limits>
#include <string>

#include "cbpf/packet.h"

namespace skep::cbpf {
namespace {

using EInsn = isa::ebpf::Insn;
using EOp = isa::ebpf::Op;

constexpr u8 kA = 0, kTemporary = 2, kContext = 6, kX = 7, kSaved = 8;
constexpr u8 kFrame = isa::ebpf::kFramePointer;
constexpr s32 kMetadataOffset = offsetof(EbpfContext, metadata);
constexpr u32 kWordBytes = 4;

// The same 32 bits as eBPF stores them.
s64 immediate(u32 k) {
  return static_cast<s32>(k);
}

s16 scratch_offset(u32 word) {
  return static_cast<s16>(-static_cast<s32>((word + 1) * kWordBytes));
}

// A jump to a classic instruction.
struct Fixup {
  std::size_t at;  // in insns
  u32 target;
};

class Translator {
 public:
  explicit Translator(const Program& program) : program_(program), insns_(program.insns()) {}

  Result<Translation> run() {
    if (program_.facts().backward_jumps)
      return Error{Code::Unsupported, "a program with backward jumps has no translation to eBPF"};
    std::vector<bool> reached(insns_.size());
    reached[0] = true;
    prologue();
    for (u32 pc = 0; pc < insns_.size(); ++pc) {
      out_.starts.push_back(here());
      if (!reached[pc]) continue;
      translate(pc);
      mark_next(pc, reached);
    }
    SKEP_TRY_DO(patch());
    note_facts();
    return std::move(out_);
  }

 private:
  u32 here() const { return static_cast<u32>(out_.insns.size()); }
  Rules rules() const { return program_.rules(); }
  void emit(EOp op, u8 dst, u8 src, s16 off, s64 imm) {
    out_.insns.push_back({op, dst, src, off, imm});
  }
  void set(u8 dst, u32 k) { emit(EOp::Mov32K, dst, 0, 0, immediate(k)); }
  void move(u8 dst, u8 src) { emit(EOp::Mov64X, dst, src, 0, 0); }
  void load_context(u8 dst, std::size_t offset) {
    emit(EOp::LdxW, dst, kContext, static_cast<s16>(offset), 0);
  }
  void return_zero() {
    set(kA, 0);
    emit(EOp::Exit, 0, 0, 0, 0);
  }
  void jump(EOp op, u8 src, s64 imm, u32 target) {
    fixups_.push_back({out_.insns.size(), target});
    emit(op, op == EOp::Ja ? 0 : kA, src, 0, imm);
  }

  void prologue() {
    set(kA, 0);
    set(kX, 0);
    move(kContext, 1);
    if (rules() == Rules::Libpcap && program_.facts().scratch_loads)
      for (u32 word = 0; word < isa::cbpf::kMemWords; ++word)
        emit(EOp::StW, kFrame, 0, scratch_offset(word), 0);
  }

  void translate(u32 pc);
  void load_absolute(EOp op, u32 k);
  void load_indirect(EOp op, u32 k);
  void length(u8 dst);
  void header_length(u32 k);
  void shift(EOp op);
  void divide(EOp op);
  void compare(u32 pc, EOp op, std::optional<EOp> opposite, bool with_x);
  void metadata(std::size_t offset);
  void device_metadata(std::size_t offset);
  void netlink(s32 helper);
  void mark_next(u32 pc, std::vector<bool>& reached) const;
  Status patch();
  void note_facts();

  const Program& program_;
  std::span<const Insn> insns_;
  Translation out_;
  std::vector<Fixup> fixups_;
};

// Does the constant never name a byte under libpcap's rules? Elsewhere it may name a header.
bool is_nowhere(Rules rules, u32 k) {
  return rules == Rules::Libpcap && k > kMaxInput;
}

void Translator::load_absolute(EOp op, u32 k) {
  if (rules() == Rules::Seccomp)
    load_context(kA, k);
  else if (is_nowhere(rules(), k))
    return_zero();
  else
    emit(op, 0, 0, 0, immediate(k));
}

void Translator::load_indirect(EOp op, u32 k) {
  if (is_nowhere(rules(), k)) {
    return_zero();
    return;
  }
  if (rules() == Rules::Libpcap) {
    // X + k in 64 bits, where it cannot wrap; LD_IND would take a negative sum for a header.
    move(kTemporary, kX);
    emit(EOp::Add64K, kTemporary, 0, 0, immediate(k));
    emit(EOp::Jle64K, kTemporary, 0, 2, kMaxInput);
    return_zero();
  }
  emit(op, 0, kX, 0, immediate(k));
}

void Translator::length(u8 dst) {
  if (rules() == Rules::Seccomp)
    set(dst, kSeccompDataSize);
  else
    load_context(dst, offsetof(EbpfContext, wire_length));
}

// X = 4 * (byte at k & 0xf); the load goes through A, which is kept.
void Translator::header_length(u32 k) {
  move(kSaved, kA);
  load_absolute(EOp::LdAbsB, k);
  emit(EOp::And32K, kA, 0, 0, 0xf);
  emit(EOp::Lsh32K, kA, 0, 0, 2);
  move(kX, kA);
  move(kA, kSaved);
}

void Translator::shift(EOp op) {
  if (rules() == Rules::Libpcap) {
    emit(EOp::Jle32K, kX, 0, 1, 31);
    set(kA, 0);
    // What is shifted now is 0 anyway.
  }
  emit(op, kA, kX, 0, 0);
}

void Translator::divide(EOp op) {
  emit(EOp::Jne32K, kX, 0, 2, 0);
  return_zero();
  emit(op, kA, kX, 0, 0);
}

void Translator::compare(u32 pc, EOp op, std::optional<EOp> opposite, bool with_x) {
  const Insn& insn = insns_[pc];
  const u8 src = with_x ? kX : u8{0};
  const s64 imm = with_x ? 0 : immediate(insn.k);
  const u32 jt = pc + 1 + insn.jt;
  const u32 jf = pc + 1 + insn.jf;
  if (insn.jt == insn.jf) {
    if (insn.jt != 0) jump(EOp::Ja, 0, 0, jt);
  } else if (insn.jt == 0 && opposite) {
    jump(*opposite, src, imm, jf);
  } else {
    jump(op, src, imm, jt);
    if (insn.jf != 0) jump(EOp::Ja, 0, 0, jf);
  }
}

void Translator::metadata(std::size_t offset) {
  load_context(kA, static_cast<std::size_t>(kMetadataOffset) + offset);
}

// Kernel: without a device the program ends, with A.
void Translator::device_metadata(std::size_t offset) {
  load_context(kTemporary,
               static_cast<std::size_t>(kMetadataOffset) + offsetof(Metadata, has_device));
  emit(EOp::Jne32K, kTemporary, 0, 1, 0);
  emit(EOp::Exit, 0, 0, 0, 0);
  metadata(offset);
}

void Translator::netlink(s32 helper) {
  move(1, kContext);
  move(2, kA);
  move(3, kX);
  emit(EOp::Call, 0, 0, 0, helper);
  out_.calls_helpers = true;
}

// NOLINTNEXTLINE(readability-function-size): a dispatch, one line an operation
void Translator::translate(u32 pc) {
  const Insn& insn = insns_[pc];
  const u32 k = insn.k;
  const auto is_div = [](isa::cbpf::AluOp op) { return isa::cbpf::ends_at_zero(op); };
  using isa::cbpf::AluOp;
  switch (insn.op) {
    case Op::LdAbsW: load_absolute(EOp::LdAbsW, k); break;
    case Op::LdAbsH: load_absolute(EOp::LdAbsH, k); break;
    case Op::LdAbsB: load_absolute(EOp::LdAbsB, k); break;
    case Op::LdIndW: load_indirect(EOp::LdIndW, k); break;
    case Op::LdIndH: load_indirect(EOp::LdIndH, k); break;
    case Op::LdIndB: load_indirect(EOp::LdIndB, k); break;
    case Op::LdxMsh: header_length(k); break;
    case Op::LdImm: set(kA, k); break;
    case Op::LdxImm: set(kX, k); break;
    case Op::LdLen: length(kA); break;
    case Op::LdxLen: length(kX); break;
    case Op::LdMem: emit(EOp::LdxW, kA, kFrame, scratch_offset(k), 0); break;
    case Op::LdxMem: emit(EOp::LdxW, kX, kFrame, scratch_offset(k), 0); break;
    case Op::St: emit(EOp::StxW, kFrame, kA, scratch_offset(k), 0); break;
    case Op::Stx: emit(EOp::StxW, kFrame, kX, scratch_offset(k), 0); break;
    case Op::Neg: emit(EOp::Neg32, kA, 0, 0, 0); break;
    case Op::Tax: move(kX, kA); break;
    case Op::Txa: move(kA, kX); break;
    case Op::RetK:
      set(kA, k);
      emit(EOp::Exit, 0, 0, 0, 0);
      break;
    case Op::RetA: emit(EOp::Exit, 0, 0, 0, 0); break;
    case Op::Ja:
      if (k != 0) jump(EOp::Ja, 0, 0, ja_target(pc, k));
      break;
    // libpcap's constant shifts by 32 and more give 0.
    case Op::LshK: k < 32 ? emit(EOp::Lsh32K, kA, 0, 0, k) : set(kA, 0); break;
    case Op::RshK: k < 32 ? emit(EOp::Rsh32K, kA, 0, 0, k) : set(kA, 0); break;
    case Op::LshX: shift(EOp::Lsh32X); break;
    case Op::RshX: shift(EOp::Rsh32X); break;
#define SIMPLE(name)                                                                   \
  case Op::name##K: emit(EOp::name##32K, kA, 0, 0, immediate(k)); break;               \
  case Op::name##X:                                                                    \
    is_div(AluOp::name) ? divide(EOp::name##32X) : emit(EOp::name##32X, kA, kX, 0, 0); \
    break;
      SIMPLE(Add)
      SIMPLE(Sub)
      SIMPLE(Mul)
      SIMPLE(Div)
      SIMPLE(Mod)
      SIMPLE(And)
      SIMPLE(Or)
      SIMPLE(Xor)
    case Op::JeqK: compare(pc, EOp::Jeq32K, EOp::Jne32K, false); break;
    case Op::JeqX: compare(pc, EOp::Jeq32X, EOp::Jne32X, true); break;
    case Op::JgtK: compare(pc, EOp::Jgt32K, EOp::Jle32K, false); break;
    case Op::JgtX: compare(pc, EOp::Jgt32X, EOp::Jle32X, true); break;
    case Op::JgeK: compare(pc, EOp::Jge32K, EOp::Jlt32K, false); break;
    case Op::JgeX: compare(pc, EOp::Jge32X, EOp::Jlt32X, true); break;
    case Op::JsetK: compare(pc, EOp::Jset32K, std::nullopt, false); break;
    case Op::JsetX: compare(pc, EOp::Jset32X, std::nullopt, true); break;
    case Op::IfIndex: device_metadata(offsetof(Metadata, ifindex)); break;
    case Op::HaType: device_metadata(offsetof(Metadata, hardware_type)); break;
    case Op::Nla: netlink(kNetlinkAttributeHelper); break;
    case Op::NlaNest: netlink(kNestedNetlinkAttributeHelper); break;
    case Op::AccXorX: emit(EOp::Xor32X, kA, kX, 0, 0); break;
    case Op::Proto: metadata(offsetof(Metadata, protocol)); break;
    case Op::PktType: metadata(offsetof(Metadata, packet_type)); break;
    case Op::Mark: metadata(offsetof(Metadata, mark)); break;
    case Op::Queue: metadata(offsetof(Metadata, queue)); break;
    case Op::RxHash: metadata(offsetof(Metadata, rx_hash)); break;
    case Op::Cpu: metadata(offsetof(Metadata, cpu)); break;
    case Op::VlanTci: metadata(offsetof(Metadata, vlan_tci)); break;
    case Op::VlanAvail: metadata(offsetof(Metadata, vlan_present)); break;
    case Op::VlanTpid: metadata(offsetof(Metadata, vlan_tpid)); break;
    case Op::PayOff: metadata(offsetof(Metadata, payload_offset)); break;
    case Op::Rand: metadata(offsetof(Metadata, random)); break;
  }
}

void Translator::mark_next(u32 pc, std::vector<bool>& reached) const {
  const Insn& insn = insns_[pc];
  if (isa::cbpf::is_return(insn.op)) return;
  if (insn.op == Op::Ja) {
    reached[ja_target(pc, insn.k)] = true;
  } else if (isa::cbpf::is_jump(insn.op)) {
    reached[pc + 1 + insn.jt] = true;
    reached[pc + 1 + insn.jf] = true;
  } else {
    reached[pc + 1] = true;
  }
}

Status Translator::patch() {
  for (const Fixup& fixup : fixups_) {
    const s64 distance = s64{out_.starts[fixup.target]} - static_cast<s64>(fixup.at) - 1;
    if (distance > std::numeric_limits<s16>::max())
      return Error{Code::TooLong, "a jump over " + std::to_string(distance) +
                                      " eBPF instructions does not fit 16 bits"};
    out_.insns[fixup.at].off = static_cast<s16>(distance);
  }
  return {};
}

void Translator::note_facts() {
  for (const EInsn& insn : out_.insns) {
    const isa::ebpf::Kind kind = info(insn.op).kind;
    out_.packet_loads |= kind == isa::ebpf::Kind::LdAbs || kind == isa::ebpf::Kind::LdInd;
    if (insn.dst == kFrame || insn.src == kFrame)
      out_.stack_bytes = std::max(out_.stack_bytes, static_cast<u32>(-insn.off));
  }
  out_.context_bytes =
      rules() == Rules::Seccomp ? kSeccompDataSize : static_cast<u32>(sizeof(EbpfContext));
}

Bytes packet_of(u64 context) {
  // The address is the program's r1, as the embedder passed it in.
  const auto* known = reinterpret_cast<const EbpfContext*>(static_cast<std::uintptr_t>(context));
  return {reinterpret_cast<const u8*>(static_cast<std::uintptr_t>(known->packet_address)),
          known->packet_size};
}

}  // namespace

Result<Translation> to_ebpf(const Program& program) {
  return Translator(program).run();
}

u64 netlink_attribute_helper(u64 context, u64 start, u64 type, u64, u64, void*) noexcept {
  return netlink_attribute(packet_of(context), static_cast<u32>(start), static_cast<u32>(type));
}

u64 nested_netlink_attribute_helper(u64 context, u64 start, u64 type, u64, u64, void*) noexcept {
  return nested_netlink_attribute(packet_of(context), static_cast<u32>(start),
                                  static_cast<u32>(type));
}

}  // namespace skep::cbpf
