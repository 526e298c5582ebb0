// SPDX-License-Identifier: Apache-2.0
#include "runtime/access.h"

#include <gtest/gtest.h>

#include <array>

#include "isa/semantics.h"

namespace skep::runtime {
namespace {

using isa::ebpf::AtomicOp;

TEST(Access, PlainAccessesWorkAtAnyAlignment) {
  alignas(8) std::array<u8, 24> bytes{};
  for (u64 shift = 0; shift < 8; ++shift) {
    const u64 at = to_address(bytes.data()) + shift;
    store_plain<u64>(at, 0x1122334455667788);
    EXPECT_EQ(load_plain<u64>(at), 0x1122334455667788U);
    store_plain<u32>(at, 0xaabbccdd);
    EXPECT_EQ(load_plain<u32>(at), 0xaabbccddU);
    store_plain<u16>(at, 0x1234);
    EXPECT_EQ(load_plain<u16>(at), 0x1234U);
    store_plain<u8>(at, 0x56);
    EXPECT_EQ(load_plain<u8>(at), 0x56U);
  }
}

template <class T>
void expect_as_in_semantics(AtomicOp op, T old, T source, T r0) {
  alignas(8) T memory = old;
  EXPECT_EQ(atomic<T>(op, to_address(&memory), source, r0), old);
  EXPECT_EQ(memory, isa::ebpf::eval(op, old, source, r0));
}

TEST(Access, AtomicsComputeWhatTheSemanticsSay) {
  const std::array<u64, 4> values = {0, 1, 0xf0f0f0f0f0f0f0f0, ~u64{0}};
  for (u8 op = 0; op <= static_cast<u8>(AtomicOp::CmpXchg); ++op) {
    for (const u64 old : values) {
      for (const u64 source : values) {
        for (const u64 r0 : values) {
          expect_as_in_semantics<u64>(AtomicOp{op}, old, source, r0);
          expect_as_in_semantics<u32>(AtomicOp{op}, static_cast<u32>(old), static_cast<u32>(source),
                                      static_cast<u32>(r0));
        }
      }
    }
  }
}

TEST(Access, AcquireAndReleaseMoveValues) {
  alignas(8) u64 memory = 0;
  store_release<u64>(to_address(&memory), 42);
  EXPECT_EQ(load_acquire<u64>(to_address(&memory)), 42U);
}

}  // namespace
}  // namespace skep::runtime
