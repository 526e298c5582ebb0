// SPDX-License-Identifier: Apache-2.0
// What a helper expects and gives back, in the terms of the verifier. Made from the rows of
// helpers.def (table.h finds them); the special cases that Linux spells out by number are here.
// Source: include/linux/bpf.h (bpf_func_proto).  Tested by table_test.cc
#pragma once

#include <array>
#include <string_view>

#include "support/ints.h"

namespace skep::runtime::helpers {

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

/// Numbers of all helpers of the table, by Linux's names without `bpf_` (enum bpf_func_id).
namespace id {
enum Id : u32 {
// clang-format off
#define HELPER(number, name, ...) name = number,
#define ALSO(...)
#include "runtime/helpers/helpers.def"
#undef HELPER
#undef ALSO
  // clang-format on
};
}  // namespace id

/// Numbers of helpers that the verifier treats specially (enum bpf_func_id).
namespace helper {
constexpr u32 kMapLookup = id::map_lookup_elem;
constexpr u32 kMapUpdate = id::map_update_elem;
constexpr u32 kMapDelete = id::map_delete_elem;
constexpr u32 kTailCall = id::tail_call;
constexpr u32 kPerfEventRead = id::perf_event_read;
constexpr u32 kPerfEventOutput = id::perf_event_output;
constexpr u32 kGetStackId = id::get_stackid;
constexpr u32 kSkbUnderCgroup = id::skb_under_cgroup;
constexpr u32 kCurrentTaskUnderCgroup = id::current_task_under_cgroup;
constexpr u32 kProbeReadStr = id::probe_read_str;
constexpr u32 kRedirectMap = id::redirect_map;
constexpr u32 kSkRedirectMap = id::sk_redirect_map;
constexpr u32 kSockMapUpdate = id::sock_map_update;
constexpr u32 kPerfEventReadValue = id::perf_event_read_value;
constexpr u32 kMsgRedirectMap = id::msg_redirect_map;
constexpr u32 kGetStack = id::get_stack;
constexpr u32 kSockHashUpdate = id::sock_hash_update;
constexpr u32 kMsgRedirectHash = id::msg_redirect_hash;
constexpr u32 kSkRedirectHash = id::sk_redirect_hash;
constexpr u32 kGetLocalStorage = id::get_local_storage;
constexpr u32 kSkSelectReuseport = id::sk_select_reuseport;
constexpr u32 kSkLookupTcp = id::sk_lookup_tcp;
constexpr u32 kSkLookupUdp = id::sk_lookup_udp;
constexpr u32 kSkRelease = id::sk_release;
constexpr u32 kMapPush = id::map_push_elem;
constexpr u32 kMapPop = id::map_pop_elem;
constexpr u32 kMapPeek = id::map_peek_elem;
constexpr u32 kSpinLock = id::spin_lock;
constexpr u32 kSpinUnlock = id::spin_unlock;
constexpr u32 kSkFullsock = id::sk_fullsock;
constexpr u32 kTcpSock = id::tcp_sock;
constexpr u32 kSkcLookupTcp = id::skc_lookup_tcp;
constexpr u32 kSkStorageGet = id::sk_storage_get;
constexpr u32 kSkStorageDelete = id::sk_storage_delete;
constexpr u32 kSkbOutput = id::skb_output;
constexpr u32 kProbeReadUserStr = id::probe_read_user_str;
constexpr u32 kProbeReadKernelStr = id::probe_read_kernel_str;
constexpr u32 kXdpOutput = id::xdp_output;
constexpr u32 kRingbufOutput = id::ringbuf_output;
constexpr u32 kRingbufReserve = id::ringbuf_reserve;
constexpr u32 kRingbufSubmit = id::ringbuf_submit;
constexpr u32 kRingbufDiscard = id::ringbuf_discard;
constexpr u32 kRingbufQuery = id::ringbuf_query;
constexpr u32 kSkcToTcp6Sock = id::skc_to_tcp6_sock;
constexpr u32 kSkcToUdp6Sock = id::skc_to_udp6_sock;
constexpr u32 kGetTaskStack = id::get_task_stack;
constexpr u32 kInodeStorageGet = id::inode_storage_get;
constexpr u32 kInodeStorageDelete = id::inode_storage_delete;
constexpr u32 kTaskStorageGet = id::task_storage_get;
constexpr u32 kTaskStorageDelete = id::task_storage_delete;
constexpr u32 kForEachMapElem = id::for_each_map_elem;
constexpr u32 kSnprintf = id::snprintf;
constexpr u32 kTimerSetCallback = id::timer_set_callback;
constexpr u32 kFindVma = id::find_vma;
constexpr u32 kLoop = id::loop;
constexpr u32 kMapLookupPercpu = id::map_lookup_percpu_elem;
constexpr u32 kRingbufReserveDynptr = id::ringbuf_reserve_dynptr;
constexpr u32 kRingbufSubmitDynptr = id::ringbuf_submit_dynptr;
constexpr u32 kRingbufDiscardDynptr = id::ringbuf_discard_dynptr;
constexpr u32 kUserRingbufDrain = id::user_ringbuf_drain;
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

}  // namespace skep::runtime::helpers
