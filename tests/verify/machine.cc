// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <fmt/format.h>

#include <memory>

#include "isa/semantics.h"
#include "support/bytes.h"

namespace skep::verify {
namespace {

using isa::ebpf::AtomicOp;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;
using isa::ebpf::OpInfo;
using Operand = isa::ebpf::Source;

constexpr u64 kStackBase = 0x2000'0000'0000;
constexpr u64 kStackStep = 0x1'0000;
constexpr u64 kMapHandles = 0x7000'0000'0000;  // maps are numbers from here on, 8 apart
constexpr u32 kMaxDepth = 8;
constexpr u32 kContextBytes = 4096;

struct Object {
  Region region = Region::Other;
  u64 base = 0;
  u32 map = 0;
  bool writable = true;
  std::vector<u8> bytes;
};

struct Registers {
  std::array<u64, 11> regs = {};
  std::array<bool, 11> written = {};
};

class Machine {
 public:
  Machine(const WalkInput& input, const World& world, const Verified& verified,
          testing::Random& random, const MachineOptions& options)
      : input_(input), world_(world), facts_(verified.facts), random_(random), options_(options) {}

  std::optional<std::string> run() {
    context_ = add(Region::Ctx, kContextBytes, 0, true);
    new_packet();
    Registers frame;
    set(frame, 1, context_);
    set(frame, 10, kStackBase);
    run_function(frame, 0, 0);
    return problem_;
  }

 private:
  static void set(Registers& frame, u32 reg, u64 value) {
    frame.regs[reg] = value;
    frame.written[reg] = true;
  }

  u64 add(Region region, u32 size, u32 map, bool writable) {
    auto object = std::make_unique<Object>();
    object->region = region;
    object->base = next_base_;
    object->map = map;
    object->writable = writable;
    object->bytes.resize(size);
    for (u8& byte : object->bytes) byte = static_cast<u8>(random_.next());
    next_base_ += 0x10'0000'0000 + (random_.next() % 512) * 8;
    objects_.push_back(std::move(object));
    return objects_.back()->base;
  }

  void new_packet() {
    if (packet_ != 0) {
      for (auto& object : objects_) {
        if (object->base == packet_ || object->base == meta_) object->bytes.clear();
      }
    }
    packet_bytes_ = static_cast<u32>(random_.next() % 200);
    const u32 meta_bytes = static_cast<u32>(random_.next() % 3) * 4;
    meta_ = add(Region::PacketMeta, meta_bytes, 0, true);
    next_base_ = meta_ + meta_bytes;
    packet_ = add(Region::Packet, packet_bytes_, 0, true);
  }

  void fail(u32 pc, std::string words) {
    if (!problem_) problem_ = fmt::format("insn {}: {}", pc, words);
  }

  // The object that holds size bytes at address, or null.
  Object* find(u64 address, u64 size, u32 depth, Region& region, s64& off) {
    for (u32 d = 0; d <= depth; ++d) {
      const u64 top = kStackBase + d * kStackStep;
      if (address >= top - 512 && address + size <= top) {
        region = Region::Stack;
        off = static_cast<s64>(address - top);
        stack_depth_ = d;
        return &stack(d);
      }
    }
    for (auto& object : objects_) {
      const u64 end = object->base + object->bytes.size();
      if (address < object->base || address + size > end) continue;
      region = object->region;
      off = static_cast<s64>(address - object->base);
      return object.get();
    }
    return nullptr;
  }

  Object& stack(u32 depth) {
    while (stacks_.size() <= depth) {
      auto object = std::make_unique<Object>();
      object->base = kStackBase + stacks_.size() * kStackStep - 512;
      object->bytes.resize(512);
      for (u8& byte : object->bytes) byte = static_cast<u8>(random_.next());
      stacks_.push_back(std::move(object));
    }
    return *stacks_[depth];
  }

  u8* access(u32 pc, u64 address, u32 size, bool write, u32 depth, bool check_fact) {
    Region region = Region::None;
    s64 off = 0;
    Object* const object = find(address, size, depth, region, off);
    if (object == nullptr) {
      fail(pc, fmt::format("access to {:#x}, {} bytes, outside of every object", address, size));
      return nullptr;
    }
    if (write && !object->writable) fail(pc, "write to a read-only object");
    if (check_fact) check_access_fact(pc, region, off, object->map, depth);
    return object->bytes.data() + (address - object->base);
  }

  void check_access_fact(u32 pc, Region region, s64 off, u32 map, u32 depth) {
    const Fact& fact = facts_[pc];
    if (fact.region == Region::Mixed) return;
    if (fact.region != region) {
      fail(pc, fmt::format("fact says region {}, it is {}", static_cast<int>(fact.region),
                           static_cast<int>(region)));
      return;
    }
    if (off < fact.min_off || off > fact.max_off) {
      fail(pc,
           fmt::format("fact says offsets {} to {}, it is {}", fact.min_off, fact.max_off, off));
    }
    if (region == Region::Stack && fact.own_frame && stack_depth_ != depth) {
      fail(pc, "fact says own frame");
    }
    if (region == Region::MapValue && fact.map != kSeveral && fact.map != map) {
      fail(pc, "fact says another map");
    }
  }

  u64 read(Registers& frame, u32 pc, u32 reg) {
    if (!frame.written[reg]) fail(pc, fmt::format("r{} was never written", reg));
    return frame.regs[reg];
  }

  static u64 load_bytes(const u8* at, u32 size) {
    u64 value = 0;
    for (u32 i = 0; i < size; ++i) value |= u64{at[i]} << (8 * i);
    return value;
  }
  static void store_bytes(u8* at, u32 size, u64 value) {
    for (u32 i = 0; i < size; ++i) at[i] = static_cast<u8>(value >> (8 * i));
  }

  // A load from the context may give a pointer.
  std::optional<u64> context_pointer(u64 address, u32 size) {
    if (address < context_ || address >= context_ + kContextBytes) return std::nullopt;
    const auto field = world_.context(static_cast<u32>(address - context_), size, Access::Read);
    if (!field) return std::nullopt;
    switch (field->kind) {
      case RegKind::Packet: return packet_;
      case RegKind::PacketEnd: return packet_ + packet_bytes_;
      case RegKind::PacketMeta: return meta_;
      case RegKind::SockCommon:
        if (random_.next() % 3 == 0) return 0;
        return add(Region::Socket, 256, 0, false);
      default: return std::nullopt;
    }
  }

  void run_memory(Registers& frame, u32 pc, const Insn& insn, const OpInfo& facts, u32 depth) {
    const u32 size = facts.width / 8U;
    const bool load =
        facts.kind == Kind::Ldx || facts.kind == Kind::LdxSx || facts.kind == Kind::LoadAcquire;
    const u64 base = read(frame, pc, load ? insn.src : insn.dst);
    const u64 address = base + static_cast<u64>(s64{insn.off});
    u8* const at = access(pc, address, size, !load, depth, true);
    if (at == nullptr) return;
    if (load) {
      const auto pointer = context_pointer(address, size);
      u64 value = pointer.value_or(load_bytes(at, size));
      if (facts.kind == Kind::LdxSx) value = isa::ebpf::sign_extend(value, facts.width);
      set(frame, insn.dst, value);
    } else if (facts.kind == Kind::St) {
      store_bytes(at, size, static_cast<u64>(insn.imm));
    } else if (facts.kind == Kind::Atomic) {
      run_atomic(frame, pc, insn, facts, at, size);
    } else {
      store_bytes(at, size, read(frame, pc, insn.src));
    }
  }

  void run_atomic(Registers& frame, u32 pc, const Insn& insn, const OpInfo& facts, u8* at,
                  u32 size) {
    const u64 source = read(frame, pc, insn.src);
    const u64 r0 = facts.atomic == AtomicOp::CmpXchg ? read(frame, pc, 0) : 0;
    const u64 old = load_bytes(at, size);
    const u64 result = size == 4 ? isa::ebpf::eval(facts.atomic, static_cast<u32>(old),
                                                   static_cast<u32>(source), static_cast<u32>(r0))
                                 : isa::ebpf::eval(facts.atomic, old, source, r0);
    store_bytes(at, size, result);
    if (facts.fetch) set(frame, facts.atomic == AtomicOp::CmpXchg ? 0 : insn.src, old);
  }

  void run_alu(Registers& frame, u32 pc, const Insn& insn, const OpInfo& facts) {
    const bool moves = facts.kind == Kind::MovSx || facts.alu == isa::ebpf::AluOp::Mov;
    const u64 a =
        moves && facts.kind != Kind::Neg && facts.kind != Kind::End ? 0 : read(frame, pc, insn.dst);
    u64 value = 0;
    if (facts.kind == Kind::Neg) {
      value = facts.width == 32 ? isa::ebpf::negate(static_cast<u32>(a)) : isa::ebpf::negate(a);
    } else if (facts.kind == Kind::End) {
      value = isa::ebpf::swap(facts.end, a);
    } else {
      const u64 b =
          facts.source == Operand::X ? read(frame, pc, insn.src) : static_cast<u64>(insn.imm);
      if (facts.kind == Kind::MovSx) {
        value = facts.width == 32 ? isa::ebpf::sign_extend(static_cast<u32>(b), facts.from_bits)
                                  : isa::ebpf::sign_extend(b, facts.from_bits);
      } else if (facts.width == 32) {
        value = isa::ebpf::eval(facts.alu, static_cast<u32>(a), static_cast<u32>(b));
      } else {
        value = isa::ebpf::eval(facts.alu, a, b);
      }
    }
    set(frame, insn.dst, value);
  }

  bool run_compare(Registers& frame, u32 pc, const Insn& insn, const OpInfo& facts) {
    const u64 a = read(frame, pc, insn.dst);
    const u64 b =
        facts.source == Operand::X ? read(frame, pc, insn.src) : static_cast<u64>(insn.imm);
    const bool taken = facts.width == 32
                           ? isa::ebpf::holds(facts.jmp, static_cast<u32>(a), static_cast<u32>(b))
                           : isa::ebpf::holds(facts.jmp, a, b);
    if (taken ? !facts_[pc].jumps : !facts_[pc].falls_through) {
      fail(pc, taken ? "fact says that it never jumps" : "fact says that it always jumps");
    }
    return taken;
  }

  void run_constant(Registers& frame, const Insn& insn) {
    if (insn.op == Op::LddwMapIdxValue) {
      const u32 map = static_cast<u32>(insn.imm) + 1;
      set(frame, insn.dst, value_of(map, true) + (static_cast<u64>(insn.imm) >> 32));
    } else if (insn.op == Op::LddwMapIdx) {
      set(frame, insn.dst, kMapHandles + static_cast<u64>(insn.imm) * 8);
    } else {
      set(frame, insn.dst, static_cast<u64>(insn.imm));
    }
  }

  // A value of the map; arrays of one element have one place.
  u64 value_of(u32 map, bool single) {
    const MapFacts& facts = world_.maps()[map - 1];
    if (single && map < single_values_.size() && single_values_[map] != 0) {
      return single_values_[map];
    }
    const u64 base = add(Region::MapValue, facts.value_size, map, facts.program_may_write);
    if (facts.constant) {
      for (u32 i = 0; i < facts.value_size; ++i) {
        objects_.back()->bytes[i] = static_cast<u8>(*world_.constant(facts, i, 1));
      }
    }
    if (single) {
      single_values_.resize(std::max<std::size_t>(single_values_.size(), map + 1));
      single_values_[map] = base;
    }
    return base;
  }

  struct Call {
    const Proto* proto;
    u32 map = 0;
    u64 size = 0;
    u64 released = 0;
  };

  // Memory that a helper reads or fills.
  void helper_memory(u32 pc, u64 address, u64 size, bool fill, u32 depth) {
    if (size == 0) return;
    u8* const at = access(pc, address, static_cast<u32>(size), fill, depth, false);
    if (at == nullptr || !fill) return;
    for (u64 i = 0; i < size; ++i) at[i] = static_cast<u8>(random_.next());
  }

  void helper_argument(Registers& frame, u32 pc, u32 index, Call& call, u32 depth) {
    const Arg& arg = call.proto->args[index];
    if (arg.kind == ArgKind::None) return;
    const u64 value = read(frame, pc, index + 1);
    const bool fill = arg.has(kArgWrite) || arg.has(kArgUninit);
    if (value == 0 && arg.has(kArgMaybeNull)) return;
    if (arg.kind == ArgKind::ConstMapPtr) {
      const u64 number = (value - kMapHandles) / 8;
      if (number >= world_.maps().size()) return fail(pc, "no map");
      call.map = static_cast<u32>(number) + 1;
    } else if (arg.kind == ArgKind::MapKey && call.map != 0) {
      helper_memory(pc, value, world_.maps()[call.map - 1].key_size, false, depth);
    } else if (arg.kind == ArgKind::MapValue && call.map != 0) {
      helper_memory(pc, value, world_.maps()[call.map - 1].value_size, fill, depth);
    } else if (arg.kind == ArgKind::Mem && arg.has(kArgFixedSize)) {
      helper_memory(pc, value, arg.size, fill, depth);
    } else if (arg.kind == ArgKind::Mem && index < 4) {
      call.size = read(frame, pc, index + 2);
      helper_memory(pc, value, call.size, fill, depth);
    } else if (arg.kind == ArgKind::ConstAllocSize) {
      call.size = value;
    } else if (arg.kind == ArgKind::AllocMem || arg.kind == ArgKind::BtfSockCommon) {
      if (arg.has(kArgRelease)) call.released = value;
    }
  }

  u64 helper_result(const Call& call) {
    const bool null = call.proto->ret_may_be_null && random_.next() % 3 == 0;
    if (null) return 0;
    switch (call.proto->ret) {
      case RetKind::MapValue: {
        const MapFacts& map = world_.maps()[call.map - 1];
        if (map.inner != 0) return kMapHandles + u64{map.inner - 1} * 8;
        const bool sockets = map.type == map_type::kXskmap || map.type == map_type::kSockmap ||
                             map.type == map_type::kSockhash;
        if (sockets) return add(Region::Socket, 256, 0, false);
        return value_of(call.map, map.direct_values);
      }
      case RetKind::Socket:
      case RetKind::SockCommon:
      case RetKind::TcpSock: return add(Region::Socket, 256, 0, false);
      case RetKind::AllocMem: return add(Region::Mem, static_cast<u32>(call.size), 0, true);
      case RetKind::Integer:
      case RetKind::Void:
      case RetKind::Unsupported: break;
    }
    const bool length = call.proto->number == helper::kGetStack;
    if (length) return random_.next() % (call.size + 1);
    return random_.next() >> (random_.next() % 64);
  }

  void run_callbacks(Registers& frame, const Call& call, u32 pc, u32 depth) {
    const bool loop = call.proto->number == helper::kLoop;
    const u64 times = loop ? std::min<u64>(frame.regs[1], 3) : random_.next() % 3;
    const u64 function = frame.regs[2];
    for (u64 i = 0; i < times && !problem_; ++i) {
      Registers callee;
      set(callee, 10, kStackBase + (depth + 1) * kStackStep);
      if (loop) {
        set(callee, 1, i);
        set(callee, 2, frame.regs[3]);
      } else {
        const MapFacts& map = world_.maps()[call.map - 1];
        set(callee, 1, frame.regs[1]);
        set(callee, 2, add(Region::MapKey, map.key_size, call.map, true));
        set(callee, 3, value_of(call.map, map.direct_values));
        set(callee, 4, frame.regs[3]);
      }
      const std::optional<u64> result = run_function(callee, static_cast<u32>(function), depth + 1);
      if (!result) return;
      if (*result > 1) fail(pc, "callback returned something else than 0 or 1");
      if (*result == 1) return;
    }
  }

  void run_helper(Registers& frame, u32 pc, const Insn& insn, u32 depth) {
    Call call{world_.helper(static_cast<u32>(insn.imm))};
    if (call.proto == nullptr) return fail(pc, "no such helper");
    for (u32 i = 0; i < 5 && !problem_; ++i) helper_argument(frame, pc, i, call, depth);
    if (problem_) return;
    if (call.map != 0 && facts_[pc].map != 0 && facts_[pc].map != kSeveral &&
        facts_[pc].map != call.map) {
      fail(pc, "fact says another map");
    }
    if (call.proto->number == helper::kLoop || call.proto->number == helper::kForEachMapElem) {
      run_callbacks(frame, call, pc, depth);
    }
    for (auto& object : objects_) {
      if (call.released != 0 && object->base == call.released) object->bytes.clear();
    }
    if (call.proto->changes_packet) new_packet();
    for (u32 r = 0; r < 6; ++r) frame.written[r] = false;
    if (call.proto->ret != RetKind::Void) set(frame, 0, helper_result(call));
  }

  // Runs from pc to the function's exit; nothing if the run ended otherwise.
  std::optional<u64> run_function(Registers& frame, u32 pc, u32 depth) {
    if (depth >= kMaxDepth) {
      fail(pc, "more than 8 frames");
      return std::nullopt;
    }
    stack(depth);
    while (!problem_ && ++steps_ < options_.max_steps) {
      if (pc >= input_.insns.size()) {
        fail(pc, "left the program");
        break;
      }
      const Insn& insn = input_.insns[pc];
      const OpInfo& facts = isa::ebpf::info(insn.op);
      if (!facts_[pc].reachable) fail(pc, "fact says that it is never reached");
      u32 next = pc + 1;
      switch (facts.kind) {
        case Kind::Alu:
        case Kind::MovSx:
        case Kind::Neg:
        case Kind::End: run_alu(frame, pc, insn, facts); break;
        case Kind::Ldx:
        case Kind::LdxSx:
        case Kind::LoadAcquire:
        case Kind::St:
        case Kind::Stx:
        case Kind::StoreRelease:
        case Kind::Atomic: run_memory(frame, pc, insn, facts, depth); break;
        case Kind::Lddw:
          if (insn.op == Op::LddwCodeAddr) {
            set(frame, insn.dst, pc + 1 + static_cast<u32>(insn.imm));
          } else {
            run_constant(frame, insn);
          }
          ++next;
          break;
        case Kind::Jmp:
          if (run_compare(frame, pc, insn, facts)) next += static_cast<u32>(s32{insn.off});
          break;
        case Kind::Ja: next = static_cast<u32>(s64{next} + isa::ebpf::jump_distance(insn)); break;
        case Kind::Call: run_helper(frame, pc, insn, depth); break;
        case Kind::CallLocal: {
          Registers callee;
          for (u32 r = 1; r <= 5; ++r) {
            callee.regs[r] = frame.regs[r];
            callee.written[r] = frame.written[r];
          }
          set(callee, 10, kStackBase + (depth + 1) * kStackStep);
          const auto result =
              run_function(callee, static_cast<u32>(s64{next} + insn.imm), depth + 1);
          if (!result) return std::nullopt;
          for (u32 r = 0; r < 6; ++r) frame.written[r] = false;
          frame.regs[0] = *result;
          frame.written[0] = callee.written[0];
          break;
        }
        case Kind::LdAbs:
        case Kind::LdInd:
          for (u32 r = 0; r < 6; ++r) frame.written[r] = false;
          if (random_.next() % 8 == 0) return 0;
          set(frame, 0, random_.next() & ((u64{1} << facts.width) - 1));
          break;
        case Kind::Exit: return frame.regs[0];
        case Kind::CallKfunc:
        case Kind::MayGoto:
        case Kind::LddwHigh: fail(pc, "not run here"); break;
      }
      pc = next;
    }
    return std::nullopt;
  }

  const WalkInput& input_;
  const World& world_;
  const Facts& facts_;
  testing::Random& random_;
  const MachineOptions& options_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<std::unique_ptr<Object>> stacks_;
  std::vector<u64> single_values_;
  u64 next_base_ = 0x1000'0000'0000;
  u64 context_ = 0;
  u64 packet_ = 0;
  u64 meta_ = 0;
  u32 packet_bytes_ = 0;
  u32 stack_depth_ = 0;
  u64 steps_ = 0;
  std::optional<std::string> problem_;
};

}  // namespace

std::optional<std::string> run_checked(const WalkInput& input, const World& world,
                                       const Verified& verified, testing::Random& random,
                                       const MachineOptions& options) {
  return Machine(input, world, verified, random, options).run();
}

}  // namespace skep::verify
