// SPDX-License-Identifier: Apache-2.0
// How engines touch memory on behalf of a program. Plain accesses happen once and untorn, at any
// alignment; atomics are those of the kernel: fetching ones sequentially consistent, the others
// relaxed. An address is a u64 register value; on 32-bit hosts its upper half is dropped.
//
// An interpreter makes one access a handler with a dispatch behind it, so no compiler can merge or
// repeat a plain one; the width is what matters. Up to the host's word memcpy is one instruction;
// 64 bits on a 32-bit host need __atomic, and so does thread sanitizer, to which an
// unsynchronised plain access is a race although the program's author meant it.
// Source: include/linux/atomic.h, DESIGN decision 5 in docs/architecture.md. Tested by
// access_test.cc
#pragma once

#include <cstdint>
#include <cstring>

#include "isa/ebpf.h"
#include "support/assert.h"
#include "support/ints.h"
#include "support/sanitizer.h"

namespace skep::runtime {

/// The host address in a register.
inline u8* to_pointer(u64 address) noexcept {
  return reinterpret_cast<u8*>(static_cast<std::uintptr_t>(address));
}
/// A host address as a register holds it.
inline u64 to_address(const void* pointer) noexcept {
  return static_cast<u64>(reinterpret_cast<std::uintptr_t>(pointer));
}

/// Whether an atomic access of T may go there.
template <class T>
bool is_aligned(u64 address) noexcept {
  return (address & (sizeof(T) - 1)) == 0;
}

/// Whether a plain memcpy of T is one untorn access that sanitizers accept.
template <class T>
inline constexpr bool kPlainIsEnough = sizeof(T) <= sizeof(void*) && !kThreadSanitizer;

/// A program's plain load of T, unsigned, in host order.
template <class T>
[[gnu::always_inline]] inline T load_plain(u64 address) noexcept {
  if constexpr (!kPlainIsEnough<T>) {
    if (is_aligned<T>(address)) {
      return __atomic_load_n(reinterpret_cast<const T*>(to_pointer(address)), __ATOMIC_RELAXED);
    }
  }
  T x;
  std::memcpy(&x, to_pointer(address), sizeof x);
  return x;
}

/// A program's plain store of T.
template <class T>
[[gnu::always_inline]] inline void store_plain(u64 address, T x) noexcept {
  if constexpr (!kPlainIsEnough<T>) {
    if (is_aligned<T>(address)) {
      __atomic_store_n(reinterpret_cast<T*>(to_pointer(address)), x, __ATOMIC_RELAXED);
      return;
    }
  }
  std::memcpy(to_pointer(address), &x, sizeof x);
}

/// Load-acquire; the address must be aligned.
template <class T>
T load_acquire(u64 address) noexcept {
  return __atomic_load_n(reinterpret_cast<const T*>(to_pointer(address)), __ATOMIC_ACQUIRE);
}
/// Store-release; the address must be aligned.
template <class T>
void store_release(u64 address, T x) noexcept {
  __atomic_store_n(reinterpret_cast<T*>(to_pointer(address)), x, __ATOMIC_RELEASE);
}

/// Does op on memory, atomically, and returns the old value. r0 is CmpXchg's expected value. What
/// is left in memory is isa::ebpf::eval(op, old, source, r0). The address must be aligned.
template <class T>
T atomic(isa::ebpf::AtomicOp op, u64 address, T source, T r0) noexcept {
  using isa::ebpf::AtomicOp;
  T* const p = reinterpret_cast<T*>(to_pointer(address));
  switch (op) {
    case AtomicOp::AtomicAdd: return __atomic_fetch_add(p, source, __ATOMIC_RELAXED);
    case AtomicOp::AtomicOr: return __atomic_fetch_or(p, source, __ATOMIC_RELAXED);
    case AtomicOp::AtomicAnd: return __atomic_fetch_and(p, source, __ATOMIC_RELAXED);
    case AtomicOp::AtomicXor: return __atomic_fetch_xor(p, source, __ATOMIC_RELAXED);
    case AtomicOp::FetchAdd: return __atomic_fetch_add(p, source, __ATOMIC_SEQ_CST);
    case AtomicOp::FetchOr: return __atomic_fetch_or(p, source, __ATOMIC_SEQ_CST);
    case AtomicOp::FetchAnd: return __atomic_fetch_and(p, source, __ATOMIC_SEQ_CST);
    case AtomicOp::FetchXor: return __atomic_fetch_xor(p, source, __ATOMIC_SEQ_CST);
    case AtomicOp::Xchg: return __atomic_exchange_n(p, source, __ATOMIC_SEQ_CST);
    case AtomicOp::CmpXchg: {
      T old = r0;
      __atomic_compare_exchange_n(p, &old, source, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      return old;
    }
  }
  unreachable();
}

}  // namespace skep::runtime
