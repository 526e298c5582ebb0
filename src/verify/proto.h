// SPDX-License-Identifier: Apache-2.0
// What a helper expects and gives back, in the terms of the verifier. Made from the rows of the
// helper table; the special cases that Linux spells out by number are properties here.
// Source: include/linux/bpf.h (bpf_func_proto).
#pragma once

#include <array>
#include <string_view>

#include "support/ints.h"

namespace skep::verify {

enum class ArgKind : u8 {
  None,      ///< not an argument
  Anything,  ///< any initialised value
  ConstMapPtr,
  MapKey,    ///< memory of the map's key size
  MapValue,  ///< memory of the map's value size
  Mem,       ///< memory; its size is the next argument, or fixed
  ConstSize,
  ConstSizeOrZero,
  ConstAllocSize,
  Ctx,
  SpinLock,
  SockCommon,
  Socket,
  BtfSockCommon,
  AllocMem,
  Func,
  Stack,
  ConstStr,
  Timer,
  Unsupported,  ///< kernel objects, dynptrs, kptrs: not judged yet
};

enum ArgFlag : u8 {
  kArgMaybeNull = 1,
  kArgUninit = 2,  ///< the helper fills it, so it need not be initialised
  kArgReadOnly = 4,
  kArgWrite = 8,
  kArgRelease = 16,
  kArgFixedSize = 32,
  kArgAligned = 64,
};

struct Arg {
  ArgKind kind = ArgKind::None;
  u8 flags = 0;
  u32 size = 0;  ///< kArgFixedSize: in bytes
  bool has(ArgFlag flag) const { return (flags & flag) != 0; }
};

enum class RetKind : u8 {
  Integer,
  Void,
  MapValue,
  Socket,
  SockCommon,
  TcpSock,
  AllocMem,
  Unsupported
};

struct Proto {
  std::string_view name;
  u32 number = 0;
  RetKind ret = RetKind::Integer;
  bool ret_may_be_null = false;
  std::array<Arg, 5> args = {};
  bool gpl_only = false;
  bool packet_access = false;   ///< takes packet pointers as memory
  bool changes_packet = false;  ///< invalidates packet pointers
};

/// Numbers of helpers that the verifier treats specially (enum bpf_func_id).
namespace helper {
constexpr u32 kMapLookup = 1;
constexpr u32 kMapUpdate = 2;
constexpr u32 kMapDelete = 3;
constexpr u32 kTailCall = 12;
constexpr u32 kPerfEventRead = 22;
constexpr u32 kPerfEventOutput = 25;
constexpr u32 kGetStackId = 27;
constexpr u32 kSkbUnderCgroup = 33;
constexpr u32 kCurrentTaskUnderCgroup = 37;
constexpr u32 kProbeReadStr = 45;
constexpr u32 kRedirectMap = 51;
constexpr u32 kSkRedirectMap = 52;
constexpr u32 kSockMapUpdate = 53;
constexpr u32 kPerfEventReadValue = 55;
constexpr u32 kMsgRedirectMap = 60;
constexpr u32 kGetStack = 67;
constexpr u32 kSockHashUpdate = 70;
constexpr u32 kMsgRedirectHash = 71;
constexpr u32 kSkRedirectHash = 72;
constexpr u32 kGetLocalStorage = 81;
constexpr u32 kSkSelectReuseport = 82;
constexpr u32 kSkLookupTcp = 84;
constexpr u32 kSkLookupUdp = 85;
constexpr u32 kSkRelease = 86;
constexpr u32 kMapPush = 87;
constexpr u32 kMapPop = 88;
constexpr u32 kMapPeek = 89;
constexpr u32 kSpinLock = 93;
constexpr u32 kSpinUnlock = 94;
constexpr u32 kSkFullsock = 95;
constexpr u32 kTcpSock = 96;
constexpr u32 kSkcLookupTcp = 99;
constexpr u32 kSkStorageGet = 107;
constexpr u32 kSkStorageDelete = 108;
constexpr u32 kSkbOutput = 111;
constexpr u32 kProbeReadUserStr = 114;
constexpr u32 kProbeReadKernelStr = 115;
constexpr u32 kXdpOutput = 121;
constexpr u32 kRingbufOutput = 130;
constexpr u32 kRingbufReserve = 131;
constexpr u32 kRingbufSubmit = 132;
constexpr u32 kRingbufDiscard = 133;
constexpr u32 kRingbufQuery = 134;
constexpr u32 kSkcToTcp6Sock = 136;
constexpr u32 kSkcToUdp6Sock = 140;
constexpr u32 kGetTaskStack = 141;
constexpr u32 kInodeStorageGet = 145;
constexpr u32 kInodeStorageDelete = 146;
constexpr u32 kTaskStorageGet = 156;
constexpr u32 kTaskStorageDelete = 157;
constexpr u32 kForEachMapElem = 164;
constexpr u32 kSnprintf = 165;
constexpr u32 kTimerSetCallback = 170;
constexpr u32 kFindVma = 180;
constexpr u32 kLoop = 181;
constexpr u32 kMapLookupPercpu = 195;
constexpr u32 kRingbufReserveDynptr = 198;
constexpr u32 kRingbufSubmitDynptr = 199;
constexpr u32 kRingbufDiscardDynptr = 200;
constexpr u32 kUserRingbufDrain = 209;
constexpr u32 kCount = 210;  ///< numbers of Linux 6.1, 0 (no helper) included
}  // namespace helper

/// Numbers of map types that the verifier treats specially (enum bpf_map_type).
namespace map_type {
constexpr u32 kHash = 1;
constexpr u32 kArray = 2;
constexpr u32 kProgArray = 3;
constexpr u32 kPerfEventArray = 4;
constexpr u32 kPercpuHash = 5;
constexpr u32 kPercpuArray = 6;
constexpr u32 kStackTrace = 7;
constexpr u32 kCgroupArray = 8;
constexpr u32 kLruHash = 9;
constexpr u32 kLruPercpuHash = 10;
constexpr u32 kArrayOfMaps = 12;
constexpr u32 kHashOfMaps = 13;
constexpr u32 kDevmap = 14;
constexpr u32 kSockmap = 15;
constexpr u32 kCpumap = 16;
constexpr u32 kXskmap = 17;
constexpr u32 kSockhash = 18;
constexpr u32 kCgroupStorage = 19;
constexpr u32 kReuseportSockarray = 20;
constexpr u32 kPercpuCgroupStorage = 21;
constexpr u32 kQueue = 22;
constexpr u32 kStack = 23;
constexpr u32 kSkStorage = 24;
constexpr u32 kDevmapHash = 25;
constexpr u32 kStructOps = 26;
constexpr u32 kRingbuf = 27;
constexpr u32 kInodeStorage = 28;
constexpr u32 kTaskStorage = 29;
constexpr u32 kBloomFilter = 30;
constexpr u32 kUserRingbuf = 31;
}  // namespace map_type

}  // namespace skep::verify
