// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/helper_call.h"

#include "verify/calls.h"
#include "verify/format_string.h"
#include "verify/helper_args.h"
#include "verify/map_compat.h"
#include "verify/mem_access.h"
#include "verify/precision.h"
#include "verify/record.h"
#include "verify/reference.h"

namespace skep::verify {
namespace {

constexpr s32 kMaxErrno = 4095;

Check find_helper(Walk& walk, CallNotes& call) {
  const s64 imm = walk.insn().imm;
  if (imm < 0 || imm >= helper::kCount) return walk.fail<Msg::InvalidHelper>(imm);
  const auto number = static_cast<u32>(imm);
  call.proto = walk.world.helper(number);
  const std::string_view name = walk.world.helper_name(number);
  if (call.proto == nullptr) {
    if (walk.world.helper_is_missing(number))
      return walk.fail<Msg::UnsupportedHelper>(name, number);
    return walk.fail<Msg::UnknownHelper>(name, number);
  }
  if (call.proto->gpl_only && !walk.world.traits().gpl) return walk.fail<Msg::GplOnly>(name);
  return {};
}

// Helpers whose look-ups engines may specialise: they want to know the map.
bool is_map_operation(u32 number) {
  switch (number) {
    case helper::kTailCall:
    case helper::kMapLookup:
    case helper::kMapUpdate:
    case helper::kMapDelete:
    case helper::kMapPush:
    case helper::kMapPop:
    case helper::kMapPeek:
    case helper::kForEachMapElem:
    case helper::kRedirectMap:
    case helper::kMapLookupPercpu: return true;
    default: return false;  // not an enum: numbers of all helpers
  }
}

bool changes_map(u32 number) {
  return number == helper::kMapDelete || number == helper::kMapUpdate ||
         number == helper::kMapPush || number == helper::kMapPop;
}

Check note_map(Walk& walk, const CallNotes& call) {
  const u32 number = call.proto->number;
  if (!is_map_operation(number)) return {};
  if (call.map == 0) return walk.fail<Msg::BugNoMap>();
  if (changes_map(number) && !walk.map(call.map).program_may_write) {
    return walk.fail<Msg::MapUpdateForbidden>();
  }
  u32& known = walk.notes[walk.pc].call_map;
  known = known == 0 || known == call.map ? call.map : kSeveral;
  record_call_map(walk, call.map);
  return {};
}

// A constant index makes a tail call a jump.
Check note_tail_index(Walk& walk, const CallNotes& call) {
  if (call.proto->number != helper::kTailCall) return {};
  const MapFacts& map = walk.map(call.map);
  if (map.type != map_type::kProgArray) return walk.fail<Msg::BugNoMap>();
  const Reg& index = walk.reg(3);
  if (!index.is_known_scalar() || index.value.bits.value >= map.max_entries) {
    record_tail_index(walk, std::nullopt);
    return {};
  }
  const auto value = static_cast<u32>(index.value.bits.value);
  SKEP_TRY_DO(mark_precise(walk, 3));
  record_tail_index(walk, value);
  return {};
}

// The helper fills memory that need not have been initialised.
Check fill_raw_memory(Walk& walk, const RawMemory& raw) {
  for (u32 i = 0; i < raw.bytes; ++i) {
    SKEP_TRY_DO(access_memory(
        walk,
        {.pointer = raw.reg, .off = static_cast<s32>(i), .size = 1, .access = Access::Write}));
  }
  return {};
}

Check release(Walk& walk, const CallNotes& call) {
  if (call.release_reg == 0) return {};
  const bool done =
      call.ref != 0 ? release_reference(walk, call.ref) : walk.reg(call.release_reg).is_zero();
  if (done) return {};
  return walk.fail<Msg::ReferenceNotAcquired>(call.proto->name, call.proto->number);
}

// bpf_loop() with constant flags may be inlined; a constant is a number that decides something.
Check note_loop(Walk& walk, const CallNotes& call) {
  InsnNotes& notes = walk.notes[walk.pc];
  const bool first = !notes.loop_seen;
  if (!first && !notes.loop_inline) return {};
  const bool zero = walk.reg(4).is_zero();
  if (zero) SKEP_TRY_DO(mark_precise(walk, 4));
  if (first) notes.loop_callback = call.subprog;
  notes.loop_seen = true;
  notes.loop_inline = zero && notes.loop_callback == call.subprog;
  return {};
}

Check enter_map_callback(Walk& walk, const CallNotes& call) {
  if (walk.notes[walk.pc].call_map == kSeveral) return walk.fail<Msg::TailCallAbuse>();
  if (!map_can_be_iterated(walk.map(call.map).type)) return walk.fail<Msg::MapNotIterable>();
  return enter_callback(walk, call.subprog, Callback::MapElement, call.map);
}

// The string was found to be constant; the number of arguments is the size in r5.
Check check_snprintf(Walk& walk) {
  constexpr u64 kArgBytes = 8;
  const Reg& format = walk.reg(3);
  const u64 bytes = walk.reg(5).value.bits.value;
  if (bytes % kArgBytes != 0) return walk.fail<Msg::SnprintfSize>(bytes);
  const MapFacts& map = walk.map(format);
  std::string text;
  u32 at = static_cast<u32>(format.off) + static_cast<u32>(format.value.bits.value);
  for (; at < map.value_size; ++at) {
    const std::optional<u64> c = walk.world.constant(map, at, 1);
    if (!c || *c == 0) break;
    text += static_cast<char>(*c);
  }
  if (is_format_string(text, static_cast<u32>(bytes / kArgBytes))) return {};
  return walk.fail<Msg::SnprintfFormat>();
}

Check special_cases(Walk& walk, const CallNotes& call) {
  switch (call.proto->number) {
    case helper::kTailCall:
      if (!check_references(walk).has_value()) return walk.fail<Msg::TailCallLeak>();
      return {};
    case helper::kGetLocalStorage:
      if (!walk.reg(2).is_zero()) return walk.fail<Msg::LocalStorageFlags>();
      return {};
    case helper::kSnprintf: return check_snprintf(walk);
    case helper::kForEachMapElem: return enter_map_callback(walk, call);
    case helper::kLoop:
      SKEP_TRY_DO(note_loop(walk, call));
      return enter_callback(walk, call.subprog, Callback::Loop, 0);
    case helper::kTimerSetCallback:
    case helper::kFindVma:
    case helper::kUserRingbufDrain:
      return walk.fail<Msg::UnsupportedHelper>(call.proto->name, call.proto->number);
    default: return {};  // not an enum: numbers of all helpers
  }
}

void returned_pointer(Walk& walk, Reg& r0, RegKind kind, const CallNotes& call) {
  r0.set_pointer(kind, call.proto->ret_may_be_null ? u8{kMaybeNull} : u8{0});
  if (kind == RegKind::MapValue) {
    r0.map = call.map;
    r0.extra = call.map_origin;
    const bool holds_lock = walk.map(call.map).spin_lock_off.has_value();
    if (!r0.may_be_null() && holds_lock) r0.id = walk.new_id();
  } else if (kind == RegKind::Mem) {
    r0.flags |= kAllocated;
    r0.extra = static_cast<u32>(call.alloc_bytes);
  }
}

Check set_result(Walk& walk, Reg& r0, const CallNotes& call) {
  switch (call.proto->ret) {
    case RetKind::Integer: walk.set_unknown(r0); break;
    case RetKind::Void: r0.set_not_init(); break;
    case RetKind::MapValue:
      if (call.map == 0) return walk.fail<Msg::BugNoMap>();
      returned_pointer(walk, r0, RegKind::MapValue, call);
      break;
    case RetKind::Socket: returned_pointer(walk, r0, RegKind::Socket, call); break;
    case RetKind::SockCommon: returned_pointer(walk, r0, RegKind::SockCommon, call); break;
    case RetKind::TcpSock: returned_pointer(walk, r0, RegKind::TcpSock, call); break;
    case RetKind::AllocMem: returned_pointer(walk, r0, RegKind::Mem, call); break;
    case RetKind::Unsupported:
      return walk.fail<Msg::UnsupportedHelper>(call.proto->name, call.proto->number);
  }
  if (r0.may_be_null()) r0.id = walk.new_id();
  return {};
}

bool takes_reference(const Walk& walk, const CallNotes& call) {
  switch (call.proto->number) {
    case helper::kSkLookupTcp:
    case helper::kSkLookupUdp:
    case helper::kSkcLookupTcp:
    case helper::kRingbufReserve: return true;
    case helper::kMapLookup: {
      const u32 type = walk.map(call.map).type;
      return type == map_type::kSockmap || type == map_type::kSockhash;
    }
    default: return false;  // not an enum: numbers of all helpers
  }
}

// The result is the argument under another type.
bool casts_pointer(u32 number) {
  return number == helper::kTcpSock || number == helper::kSkFullsock ||
         (number >= helper::kSkcToTcp6Sock && number <= helper::kSkcToUdp6Sock);
}

// Helpers that return a length, or a negative errno.
void refine_result(Reg& r0, const CallNotes& call) {
  const u32 number = call.proto->number;
  const bool length = number == helper::kGetStack || number == helper::kGetTaskStack ||
                      number == helper::kProbeReadStr || number == helper::kProbeReadKernelStr ||
                      number == helper::kProbeReadUserStr;
  if (!length || call.proto->ret != RetKind::Integer) return;
  r0.value.whole.smax = static_cast<s64>(call.max_size);
  r0.value.low.smax = static_cast<s32>(call.max_size);
  r0.value.whole.smin = -kMaxErrno;
  r0.value.low.smin = -kMaxErrno;
  r0.value.sync();
}

void forget_packet(Walk& walk) {
  for_each_reg(*walk.current, [&walk](Reg& reg) {
    if (reg.is_packet_or_end()) walk.set_unknown(reg);
  });
}

}  // namespace

Check check_helper_call(Walk& walk) {
  CallNotes call;
  SKEP_TRY_DO(find_helper(walk, call));
  for (u32 i = 0; i < call.proto->args.size(); ++i) SKEP_TRY_DO(check_helper_arg(walk, i, call));
  SKEP_TRY_DO(note_map(walk, call));
  SKEP_TRY_DO(note_tail_index(walk, call));
  SKEP_TRY_DO(fill_raw_memory(walk, call.raw));
  SKEP_TRY_DO(release(walk, call));
  Frame& caller = walk.frame();
  const u32 call_pc = walk.pc;
  SKEP_TRY_DO(special_cases(walk, call));
  const bool called_back = walk.pc != call_pc || &walk.frame() != &caller;
  for (u32 r = 0; r < 6; ++r) {
    caller.regs[r].set_not_init();
    caller.regs[r].live |= kLiveWritten;
  }
  Reg& r0 = caller.regs[0];
  SKEP_TRY_DO(set_result(walk, r0, call));
  const u32 number = call.proto->number;
  if (casts_pointer(number)) {
    r0.ref = call.ref;
  } else if (takes_reference(walk, call)) {
    r0.id = take_reference(walk);
    r0.ref = r0.id;
  }
  refine_result(r0, call);
  if (call.map != 0 && !helper_accepts_map(number, walk.map(call.map).type, walk.world.traits())) {
    return walk.fail<Msg::MapNotForHelper>(walk.map(call.map).type, call.proto->name, number);
  }
  if (call.proto->changes_packet) forget_packet(walk);
  if (!called_back) ++walk.pc;
  return {};
}

}  // namespace skep::verify
