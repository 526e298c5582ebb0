// SPDX-License-Identifier: Apache-2.0
#include "program_maker.h"

#include <algorithm>
#include <array>

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;
using testing::Random;

enum class Holds : u8 { Nothing, Number, Context, Stack, MapValue, Packet, PacketEnd };

constexpr s64 kNumbers[] = {0,  1,   2,  3,  4,   7,    8,          15,         16,
                            31, 32,  56, 63, 64,  255,  0x7fffffff, -1,         -2,
                            -8, -16, 48, 60, 127, -512, 0x7ffffff0, -0x7fffffff};

constexpr Op kAlu[] = {Op::Add64X, Op::Sub64X, Op::And64X, Op::Or64X,  Op::Xor64X, Op::Mul64X,
                       Op::Add32X, Op::Sub32X, Op::And32X, Op::Or32X,  Op::Mov64X, Op::Mov32X,
                       Op::Lsh64X, Op::Rsh64X, Op::Div64X, Op::Arsh64X};
constexpr Op kAluK[] = {Op::Add64K, Op::Sub64K,  Op::And64K, Op::Or64K,  Op::Xor64K,
                        Op::Mul64K, Op::Add32K,  Op::And32K, Op::Mod64K, Op::Mov64K,
                        Op::Mov32K, Op::Lsh64K,  Op::Rsh64K, Op::Lsh32K, Op::Arsh64K,
                        Op::Rsh32K, Op::Arsh32K, Op::Mul32K, Op::Xor32K};
constexpr Op kJumpK[] = {Op::Jeq64K,  Op::Jne64K,  Op::Jgt64K,  Op::Jlt64K,  Op::Jge64K, Op::Jle64K,
                         Op::Jsgt64K, Op::Jslt64K, Op::Jset64K, Op::Jeq32K,  Op::Jgt32K, Op::Jlt32K,
                         Op::Jsgt32K, Op::Jsle32K, Op::Jsge64K, Op::Jset32K, Op::Jne32K};
constexpr Op kJumpX[] = {Op::Jeq64X, Op::Jne64X,  Op::Jgt64X,  Op::Jlt64X, Op::Jge64X,
                         Op::Jle64X, Op::Jsgt64X, Op::Jslt64X, Op::Jeq32X, Op::Jlt32X};
constexpr Op kLoads[] = {Op::LdxB, Op::LdxH, Op::LdxW, Op::LdxDw};
constexpr Op kStores[] = {Op::StxB, Op::StxH, Op::StxW, Op::StxDw};

class Maker {
 public:
  Maker(Random& random, const MakerOptions& options) : random_(random), options_(options) {}

  std::vector<Insn> make() {
    holds_.fill(Holds::Nothing);
    put({Op::Mov64X, 9, 1});
    holds_[9] = Holds::Context;
    for (u8 r = 0; r < 5; ++r) set_number(r);
    if (options_.packets) {
      put({Op::LdxW, 7, 9, 0});
      put({Op::LdxW, 8, 9, 4});
      holds_[7] = Holds::Packet;
      holds_[8] = Holds::PacketEnd;
    }
    for (u32 i = 0; i < options_.statements; ++i) statement();
    put({Op::Mov64K, 0, 0, 0, 0});
    put({Op::Exit});
    finish_jumps();
    return out_;
  }

 private:
  void put(Insn insn) { out_.push_back(insn); }
  bool wild() { return random_.chance(options_.wild_percent); }

  // A register that holds this; any other now and then.
  u8 reg(Holds what) {
    std::array<u8, 11> fit = {};
    u32 count = 0;
    for (u8 r = 0; r < 10; ++r) {
      if (holds_[r] == what) fit[count++] = r;
    }
    if (count == 0 || wild()) return static_cast<u8>(random_.below(10));
    return fit[random_.below(count)];
  }
  // A register to overwrite: not the context or packet's end.
  u8 target() {
    for (;;) {
      const auto r = static_cast<u8>(random_.below(9));
      if (holds_[r] != Holds::PacketEnd || wild()) return r;
    }
  }

  void set_number(u8 r) {
    if (random_.chance(50)) {
      const s16 off = static_cast<s16>(options_.packets ? 12 : 4 * random_.below(3));
      put({Op::LdxW, r, 9, off});
    } else {
      put({Op::Mov64K, r, 0, 0, random_.pick(kNumbers)});
    }
    holds_[r] = Holds::Number;
  }

  void arithmetic() {
    const u8 dst = reg(Holds::Number);
    if (random_.chance(40)) {
      put({random_.pick(kAlu), dst, reg(Holds::Number)});
      return;
    }
    const Op op = random_.pick(kAluK);
    const bool shift = isa::ebpf::info(op).mnemonic == "lsh" ||
                       isa::ebpf::info(op).mnemonic == "rsh" ||
                       isa::ebpf::info(op).mnemonic == "arsh";
    put({op, dst, 0, 0, shift ? s64{random_.below(32)} : random_.pick(kNumbers)});
  }

  // A jump over some of what follows; its distance is found later.
  void branch() {
    const u8 dst = reg(Holds::Number);
    jumps_.push_back(static_cast<u32>(out_.size()));
    if (random_.chance(70)) {
      put({random_.pick(kJumpK), dst, 0, 0, random_.pick(kNumbers)});
    } else {
      put({random_.pick(kJumpX), dst, reg(Holds::Number)});
    }
  }

  void stack_pointer() {
    const u8 dst = target();
    put({Op::Mov64X, dst, 10});
    put({Op::Add64K, dst, 0, 0, -s64{8 + random_.below(8) * 4}});
    holds_[dst] = Holds::Stack;
  }

  void stack_memory() {
    const u32 size = random_.below(4);
    const s32 bytes = 1 << size;
    const s16 off = static_cast<s16>(-bytes * static_cast<s32>(1 + random_.below(64U >> size)));
    if (random_.chance(50)) {
      const u8 src = static_cast<u8>(random_.below(10));
      if (holds_[src] == Holds::Nothing) return;
      put({size == 3 || holds_[src] == Holds::Number ? kStores[size] : Op::StxDw, 10, src,
           holds_[src] == Holds::Number
               ? off
               : static_cast<s16>(-8 * static_cast<s32>(1 + random_.below(8)))});
      return;
    }
    const u8 dst = target();
    put({kLoads[size], dst, 10, off});
    holds_[dst] = Holds::Number;
  }

  // A pointer moved by a masked number.
  void move_pointer() {
    const Holds kinds[] = {Holds::Stack, Holds::MapValue, Holds::Packet};
    const Holds kind = random_.pick(kinds);
    const u8 pointer = reg(kind);
    const u8 number = reg(Holds::Number);
    if (holds_[pointer] != kind) return;
    if (random_.chance(70)) {
      const s64 masks[] = {1, 3, 4, 7, 8, 15, 24, 31, 63};
      put({Op::And64K, number, 0, 0, random_.pick(masks)});
    } else {
      jumps_.push_back(static_cast<u32>(out_.size()));
      put({random_.chance(50) ? Op::Jgt64K : Op::Jsgt64K, number, 0, 0, s64{random_.below(64)}});
    }
    put({random_.chance(85) ? Op::Add64X : Op::Sub64X, pointer, number});
  }

  void map_value() {
    put({Op::StW, 10, 0, -4, 0});
    put({Op::Mov64X, 2, 10});
    put({Op::Add64K, 2, 0, 0, -4});
    put({Op::LddwMapIdx, 1, 0, 0, 0});
    put({Op::LddwHigh});
    put({Op::Call, 0, 0, 0, 1});
    for (u8 r = 1; r < 6; ++r) holds_[r] = Holds::Nothing;
    const u8 dst = static_cast<u8>(6 + random_.below(3));
    put({Op::Mov64X, dst, 0});
    jumps_.push_back(static_cast<u32>(out_.size()));
    put({Op::Jeq64K, 0, 0, 0, 0});
    holds_[0] = Holds::MapValue;
    holds_[dst] = Holds::MapValue;
    for (u8 r = 1; r < 6; ++r) {
      if (random_.chance(60)) set_number(r);
    }
  }

  void object_memory() {
    const Holds kinds[] = {Holds::MapValue, Holds::Stack, Holds::Packet};
    const Holds kind = random_.pick(kinds);
    const u8 pointer = reg(kind);
    if (holds_[pointer] != kind && !wild()) return;
    const u32 size = random_.below(4);
    const auto off = static_cast<s16>((1 << size) * static_cast<s32>(random_.below(8U >> size)));
    if (random_.chance(60)) {
      const u8 dst = target();
      put({kLoads[size], dst, pointer, off});
      holds_[dst] = Holds::Number;
    } else {
      put({kStores[size], pointer, reg(Holds::Number), off});
    }
  }

  void packet_check() {
    const u8 pointer = reg(Holds::Packet);
    if (holds_[pointer] != Holds::Packet) return;
    const u8 probe = target();
    if (probe == pointer) return;
    put({Op::Mov64X, probe, pointer});
    put({Op::Add64K, probe, 0, 0, s64{1 + random_.below(24)}});
    jumps_.push_back(static_cast<u32>(out_.size()));
    const Op ops[] = {Op::Jgt64X, Op::Jge64X};
    if (random_.chance(80)) {
      put({random_.pick(ops), probe, 8});
    } else {
      put({random_.chance(50) ? Op::Jlt64X : Op::Jle64X, 8, probe});
    }
    holds_[probe] = Holds::Packet;
  }

  void copy() {
    const u8 src = static_cast<u8>(random_.below(9));
    const u8 dst = target();
    if (holds_[src] == Holds::Nothing) return;
    put({Op::Mov64X, dst, src});
    holds_[dst] = holds_[src];
  }

  void loop() {
    const u8 counter = target();
    put({Op::Mov64K, counter, 0, 0, 0});
    holds_[counter] = Holds::Number;
    const auto start = static_cast<s32>(out_.size());
    arithmetic();
    put({Op::Add64K, counter, 0, 0, 1});
    const s32 back = start - static_cast<s32>(out_.size()) - 1;
    put({Op::Jlt64K, counter, 0, static_cast<s16>(back), s64{1 + random_.below(5)}});
  }

  void statement() {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: return arithmetic();
      case 3:
      case 4: return branch();
      case 5: return stack_memory();
      case 6: return random_.chance(50) ? stack_pointer() : copy();
      case 7: return move_pointer();
      case 8: return random_.chance(40) ? map_value() : set_number(target());
      case 9:
      case 10: return object_memory();
      default: break;
    }
    if (options_.packets) return packet_check();
    if (random_.chance(40)) return loop();
    copy();
  }

  // Jumps lead to the end, or over a few instructions (never into a constant's second half).
  void finish_jumps() {
    const auto end = static_cast<u32>(out_.size() - 2);
    for (const u32 at : jumps_) {
      u32 to = random_.chance(40) ? end : std::min(end, at + 1 + random_.below(12));
      while (out_[to].op == Op::LddwHigh) --to;
      if (to <= at) to = end;
      out_[at].off = static_cast<s16>(to - at - 1);
    }
  }

  Random& random_;
  const MakerOptions& options_;
  std::vector<Insn> out_;
  std::vector<u32> jumps_;
  std::array<Holds, 11> holds_ = {};
};

}  // namespace

std::vector<Insn> make_program(Random& random, const MakerOptions& options) {
  return Maker(random, options).make();
}

}  // namespace skep::verify
