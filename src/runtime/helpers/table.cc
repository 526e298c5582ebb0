// SPDX-License-Identifier: Apache-2.0
// Rows of helpers.def as data: the words that its columns use, and the look-up.
// Tested by table_test.cc
#include "runtime/helpers/table.h"

#include <algorithm>
#include <array>

namespace skep::runtime::helpers {
namespace {

constexpr u32 bit(u32 type) {
  return u32{1} << type;
}

// Program types (enum bpf_prog_type) and the families that share helpers.
constexpr u32 kSocketFilter = bit(1);
constexpr u32 kKprobe = bit(2);
constexpr u32 kTc = bit(3) | bit(4);  // sched_cls, sched_act
constexpr u32 kTracepoint = bit(5);
constexpr u32 kXdp = bit(6);
constexpr u32 kPerfEvent = bit(7);
constexpr u32 kCgroupSkb = bit(8);
constexpr u32 kCgroupSock = bit(9);
constexpr u32 kLwtIn = bit(10);
constexpr u32 kLwtOut = bit(11);
constexpr u32 kLwtXmit = bit(12);
constexpr u32 kSockOps = bit(13);
constexpr u32 kSkSkb = bit(14);
constexpr u32 kCgroupDevice = bit(15);
constexpr u32 kSkMsg = bit(16);
constexpr u32 kRawTracepoint = bit(17);
constexpr u32 kCgroupSockAddr = bit(18);
constexpr u32 kLwtSeg6local = bit(19);
constexpr u32 kLircMode2 = bit(20);
constexpr u32 kSkReuseport = bit(21);
constexpr u32 kFlowDissector = bit(22);
constexpr u32 kCgroupSysctl = bit(23);
constexpr u32 kRawTracepointWritable = bit(24);
constexpr u32 kCgroupSockopt = bit(25);
constexpr u32 kTracing = bit(26);
constexpr u32 kStructOps = bit(27);
constexpr u32 kLsm = bit(29);
constexpr u32 kSkLookup = bit(30);
constexpr u32 kSyscall = bit(31);

constexpr u32 kLwt = kLwtIn | kLwtOut | kLwtXmit | kLwtSeg6local;
constexpr u32 kSkb = kSocketFilter | kTc | kCgroupSkb | kLwt | kSkSkb;
constexpr u32 kNet = kSkb | kXdp | kSockOps | kSkMsg | kCgroupSockAddr | kFlowDissector | kSkLookup;
constexpr u32 kTracers = kKprobe | kTracepoint | kPerfEvent | kRawTracepoint |
                         kRawTracepointWritable | kTracing | kLsm | kSyscall;
constexpr u32 kCgroupTasks =
    kCgroupSock | kCgroupDevice | kCgroupSockAddr | kCgroupSysctl | kCgroupSockopt;
constexpr u32 kCgroups = kCgroupTasks | kCgroupSkb | kSockOps | kLsm;
constexpr u32 kEvery = kNet | kTracers | kCgroups | kSkReuseport | kStructOps;
constexpr u32 kEverything = kEvery | kLircMode2;

// Properties.
constexpr u32 kNone = 0;
constexpr u32 kGpl = 1;    // for programs under a GPL-compatible licence
constexpr u32 kPkt = 2;    // takes packet pointers as memory
constexpr u32 kMoves = 4;  // may move the packet: pointers into it are void afterwards

// Arguments.
constexpr u8 kOut = kArgUninit | kArgWrite;
constexpr Arg kAny{ArgKind::Anything};
constexpr Arg kCtx{ArgKind::Ctx};
constexpr Arg kCtxOrNull{ArgKind::Ctx, kArgMaybeNull};
constexpr Arg kMap{ArgKind::ConstMapPtr};
constexpr Arg kKey{ArgKind::MapKey};
constexpr Arg kValue{ArgKind::MapValue};
constexpr Arg kValueOrNull{ArgKind::MapValue, kArgMaybeNull};
constexpr Arg kOutValue{ArgKind::MapValue, kOut};
constexpr Arg kMem{ArgKind::Mem};
constexpr Arg kMemOrNull{ArgKind::Mem, kArgMaybeNull};
constexpr Arg kRoMem{ArgKind::Mem, kArgReadOnly};
constexpr Arg kRoMemOrNull{ArgKind::Mem, kArgReadOnly | kArgMaybeNull};
constexpr Arg kWrMem{ArgKind::Mem, kArgWrite};
constexpr Arg kOutMem{ArgKind::Mem, kOut};
constexpr Arg kSize{ArgKind::ConstSize};
constexpr Arg kSize0{ArgKind::ConstSizeOrZero};
constexpr Arg kAllocSize{ArgKind::ConstAllocSize};
constexpr Arg kFunc{ArgKind::Func};
constexpr Arg kStackOrNull{ArgKind::Stack, kArgMaybeNull};
constexpr Arg kRecord{ArgKind::AllocMem, kArgRelease};
constexpr Arg kLock{ArgKind::SpinLock};
constexpr Arg kSock{ArgKind::SockCommon};
constexpr Arg kBtfSock{ArgKind::BtfSockCommon};
constexpr Arg kReleasedSock{ArgKind::BtfSockCommon, kArgRelease};
constexpr Arg kSocketOrNull{ArgKind::Socket, kArgMaybeNull};
constexpr Arg kString{ArgKind::ConstStr};
constexpr Arg kTimer{ArgKind::Timer};
constexpr Arg kObject{ArgKind::Unsupported};
constexpr Arg fixed(u32 size) {
  return Arg{ArgKind::Mem, kArgFixedSize, size};
}
constexpr Arg out(u32 size) {
  return Arg{ArgKind::Mem, kOut | kArgFixedSize | kArgAligned, size};
}

struct Ret {
  RetKind kind;
  bool may_be_null;
};
constexpr Ret kInteger{RetKind::Integer, false};
constexpr Ret kVoid{RetKind::Void, false};
constexpr Ret kMapValue{RetKind::MapValue, false};
constexpr Ret kMapValueOrNull{RetKind::MapValue, true};
constexpr Ret kSocketRetOrNull{RetKind::Socket, true};
constexpr Ret kSockCommonOrNull{RetKind::SockCommon, true};
constexpr Ret kTcpSockOrNull{RetKind::TcpSock, true};
constexpr Ret kAllocMemOrNull{RetKind::AllocMem, true};
constexpr Ret kKernelObject{RetKind::Unsupported, false};

template <typename... Args>
constexpr Row row(u32 number, std::string_view name, Ret ret, Right right, u32 programs,
                  u32 properties, const Args&... args) {
  return {{name, number, ret.kind, ret.may_be_null, std::array<Arg, 5>{args...},
           (properties & kGpl) != 0, (properties & kPkt) != 0, (properties & kMoves) != 0},
          right,
          programs};
}

// clang-format off
#define HELPER(number, name, ret, right, programs, ...) \
  row(number, "bpf_" #name, ret, Right::right, programs, __VA_ARGS__),
#define ALSO HELPER
constexpr Row kRows[] = {
#include "runtime/helpers/helpers.def"
};
#undef HELPER
#undef ALSO
// clang-format on

constexpr auto kByNumber = [](const Row& row, u32 number) { return row.proto.number < number; };
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row& a, const Row& b) {
                               return a.proto.number < b.proto.number;
                             }),
              "helpers.def is in order of numbers");

const Row* first(u32 number) {
  const Row* const at = std::lower_bound(std::begin(kRows), std::end(kRows), number, kByNumber);
  return at != std::end(kRows) && at->proto.number == number ? at : nullptr;
}

}  // namespace

std::span<const Row> rows() {
  return kRows;
}

const Row* find(u32 number, u32 prog_type) {
  constexpr u32 kBits = 32;
  if (prog_type >= kBits) return nullptr;
  for (const Row* r = first(number); r != nullptr && r != std::end(kRows); ++r) {
    if (r->proto.number != number) break;
    if ((r->programs & bit(prog_type)) != 0) return r;
  }
  return nullptr;
}

std::string_view name(u32 number) {
  const Row* const r = first(number);
  return r == nullptr ? "unknown" : r->proto.name;
}

bool judged(const Proto& proto) {
  return proto.ret != RetKind::Unsupported &&
         std::none_of(proto.args.begin(), proto.args.end(),
                      [](const Arg& arg) { return arg.kind == ArgKind::Unsupported; });
}

}  // namespace skep::runtime::helpers
