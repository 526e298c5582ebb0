// SPDX-License-Identifier: Apache-2.0
// The corners of each operation, with results written by hand from RFC 9669.
#include "isa/semantics.h"

#include <gtest/gtest.h>

namespace skep::isa::ebpf {
namespace {

constexpr u32 kMin32 = 0x80000000;
constexpr u64 kMin64 = 0x8000000000000000;
constexpr u32 kNeg32 = 0xffffffff;
constexpr u64 kNeg64 = 0xffffffffffffffff;

static_assert(eval<u32>(AluOp::Add, kNeg32, 1) == 0);
static_assert(eval<u64>(AluOp::Add, kNeg32, 1) == 0x100000000);
static_assert(eval<u32>(AluOp::Sub, 0, 1) == kNeg32);
static_assert(eval<u64>(AluOp::Mul, 0x100000000, 0x100000000) == 0);
static_assert(eval<u32>(AluOp::Mul, 0x10001, 0x10001) == 0x20001);
static_assert(eval<u64>(AluOp::Div, 7, 0) == 0);
static_assert(eval<u32>(AluOp::Div, kNeg32, 2) == 0x7fffffff);
static_assert(eval<u64>(AluOp::Mod, 7, 0) == 7);
static_assert(eval<u32>(AluOp::Mod, kNeg32, 10) == 5);
static_assert(eval<u64>(AluOp::SDiv, kMin64, kNeg64) == kMin64);
static_assert(eval<u32>(AluOp::SDiv, kMin32, kNeg32) == kMin32);
static_assert(eval<u64>(AluOp::SDiv, static_cast<u64>(-13), 3) == static_cast<u64>(-4));
static_assert(eval<u32>(AluOp::SDiv, 5, 0) == 0);
static_assert(eval<u64>(AluOp::SMod, static_cast<u64>(-13), 3) == static_cast<u64>(-1));
static_assert(eval<u64>(AluOp::SMod, 13, static_cast<u64>(-3)) == 1);
static_assert(eval<u64>(AluOp::SMod, kMin64, kNeg64) == 0);
static_assert(eval<u32>(AluOp::SMod, kMin32, 0) == kMin32);
static_assert(eval<u64>(AluOp::Lsh, 1, 64) == 1);
static_assert(eval<u64>(AluOp::Lsh, 1, 63) == kMin64);
static_assert(eval<u32>(AluOp::Lsh, 1, 33) == 2);
static_assert(eval<u32>(AluOp::Rsh, kMin32, 31) == 1);
static_assert(eval<u64>(AluOp::Rsh, kMin64, 65) == kMin64 >> 1);
static_assert(eval<u32>(AluOp::Arsh, kMin32, 31) == kNeg32);
static_assert(eval<u64>(AluOp::Arsh, kMin64, 127) == kNeg64);
static_assert(eval<u64>(AluOp::Or, 0xf0, 0x0f) == 0xff);
static_assert(eval<u64>(AluOp::And, 0xf0, 0x3c) == 0x30);
static_assert(eval<u64>(AluOp::Xor, 0xf0, 0x3c) == 0xcc);
static_assert(eval<u64>(AluOp::Mov, 1, 2) == 2);
static_assert(negate<u64>(1) == kNeg64);
static_assert(negate<u32>(kMin32) == kMin32);

static_assert(sign_extend<u64>(0x80, 8) == 0xffffffffffffff80);
static_assert(sign_extend<u64>(0x17f, 8) == 0x7f);
static_assert(sign_extend<u32>(0x8000, 16) == 0xffff8000);
static_assert(sign_extend<u64>(0x180000000, 32) == 0xffffffff80000000);

static_assert(holds<u64>(JmpOp::Jgt, kNeg64, 1));
static_assert(!holds<u64>(JmpOp::Jsgt, kNeg64, 1));
static_assert(holds<u64>(JmpOp::Jslt, kMin64, 0));
static_assert(holds<u32>(JmpOp::Jslt, kMin32, 0));
static_assert(!holds<u64>(JmpOp::Jslt, kMin32, 0));
static_assert(holds<u64>(JmpOp::Jset, 6, 2) && !holds<u64>(JmpOp::Jset, 6, 1));
static_assert(holds<u64>(JmpOp::Jeq, 5, 5) && holds<u64>(JmpOp::Jne, 5, 6));
static_assert(holds<u64>(JmpOp::Jge, 5, 5) && holds<u64>(JmpOp::Jle, 5, 5));
static_assert(holds<u64>(JmpOp::Jsge, 0, kNeg64) && holds<u64>(JmpOp::Jsle, kNeg64, 0));
static_assert(holds<u64>(JmpOp::Jlt, 4, 5) && !holds<u64>(JmpOp::Jlt, 5, 5));

constexpr u64 kBytes = 0x1122334455667788;
static_assert(swap(EndOp::ToLe16, kBytes, ByteOrder::Little) == 0x7788);
static_assert(swap(EndOp::ToLe32, kBytes, ByteOrder::Little) == 0x55667788);
static_assert(swap(EndOp::ToLe64, kBytes, ByteOrder::Little) == kBytes);
static_assert(swap(EndOp::ToBe16, kBytes, ByteOrder::Little) == 0x8877);
static_assert(swap(EndOp::ToBe32, kBytes, ByteOrder::Little) == 0x88776655);
static_assert(swap(EndOp::ToBe64, kBytes, ByteOrder::Little) == 0x8877665544332211);
static_assert(swap(EndOp::ToLe16, kBytes, ByteOrder::Big) == 0x8877);
static_assert(swap(EndOp::ToBe16, kBytes, ByteOrder::Big) == 0x7788);
static_assert(swap(EndOp::Bswap16, kBytes, ByteOrder::Big) == 0x8877);
static_assert(swap(EndOp::Bswap32, kBytes) == 0x88776655);
static_assert(swap(EndOp::Bswap64, kBytes) == 0x8877665544332211);

static_assert(eval<u64>(AtomicOp::FetchAdd, kNeg64, 1, 0) == 0);
static_assert(eval<u32>(AtomicOp::AtomicOr, 1, 2, 0) == 3);
static_assert(eval<u32>(AtomicOp::FetchAnd, 3, 6, 0) == 2);
static_assert(eval<u64>(AtomicOp::AtomicXor, 3, 6, 0) == 5);
static_assert(eval<u64>(AtomicOp::Xchg, 3, 6, 0) == 6);
static_assert(eval<u64>(AtomicOp::CmpXchg, 3, 6, 3) == 6);
static_assert(eval<u64>(AtomicOp::CmpXchg, 3, 6, 4) == 3);

// The same at run time, where the compiler cannot have folded it (a wrong instruction would show).
TEST(Semantics, DivisionOverflowDoesNotTrapAtRunTime) {
  volatile u64 a = kMin64;
  volatile u64 b = kNeg64;
  EXPECT_EQ(eval<u64>(AluOp::SDiv, a, b), kMin64);
  EXPECT_EQ(eval<u64>(AluOp::SMod, a, b), 0u);
  volatile u32 c = kMin32;
  volatile u32 d = kNeg32;
  EXPECT_EQ(eval<u32>(AluOp::SDiv, c, d), kMin32);
  EXPECT_EQ(eval<u32>(AluOp::SMod, c, d), 0u);
}

}  // namespace
}  // namespace skep::isa::ebpf
