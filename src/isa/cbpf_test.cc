// SPDX-License-Identifier: Apache-2.0
#include "isa/cbpf.h"

#include <gtest/gtest.h>
#include <linux/filter.h>

#include <set>

#include "isa/cbpf_semantics.h"

namespace skep::isa::cbpf {
namespace {

// The table's numbers against the kernel's header, by its own vocabulary.
constexpr u16 code(Op op) {
  return info(op).code;
}
static_assert(sizeof(RawInsn) == sizeof(sock_filter));
static_assert(offsetof(RawInsn, jt) == offsetof(sock_filter, jt));
static_assert(offsetof(RawInsn, k) == offsetof(sock_filter, k));
static_assert(kMemWords == BPF_MEMWORDS);
static_assert(kAncBase == static_cast<u32>(SKF_AD_OFF));
static_assert(kNetworkBase == static_cast<u32>(SKF_NET_OFF));
static_assert(kLinkBase == static_cast<u32>(SKF_LL_OFF));

static_assert(code(Op::LdAbsW) == (BPF_LD | BPF_W | BPF_ABS));
static_assert(code(Op::LdAbsH) == (BPF_LD | BPF_H | BPF_ABS));
static_assert(code(Op::LdAbsB) == (BPF_LD | BPF_B | BPF_ABS));
static_assert(code(Op::LdIndW) == (BPF_LD | BPF_W | BPF_IND));
static_assert(code(Op::LdIndH) == (BPF_LD | BPF_H | BPF_IND));
static_assert(code(Op::LdIndB) == (BPF_LD | BPF_B | BPF_IND));
static_assert(code(Op::LdImm) == (BPF_LD | BPF_IMM));
static_assert(code(Op::LdLen) == (BPF_LD | BPF_W | BPF_LEN));
static_assert(code(Op::LdMem) == (BPF_LD | BPF_MEM));
static_assert(code(Op::LdxImm) == (BPF_LDX | BPF_IMM));
static_assert(code(Op::LdxLen) == (BPF_LDX | BPF_W | BPF_LEN));
static_assert(code(Op::LdxMem) == (BPF_LDX | BPF_MEM));
static_assert(code(Op::LdxMsh) == (BPF_LDX | BPF_B | BPF_MSH));
static_assert(code(Op::St) == BPF_ST);
static_assert(code(Op::Stx) == BPF_STX);
static_assert(code(Op::Neg) == (BPF_ALU | BPF_NEG));
static_assert(code(Op::Tax) == (BPF_MISC | BPF_TAX));
static_assert(code(Op::Txa) == (BPF_MISC | BPF_TXA));
static_assert(code(Op::Ja) == (BPF_JMP | BPF_JA));
static_assert(code(Op::RetK) == (BPF_RET | BPF_K));
static_assert(code(Op::RetA) == (BPF_RET | BPF_A));

#define PIN_PAIR(name, class_bits)                            \
  static_assert(code(Op::name##K) == ((class_bits) | BPF_K)); \
  static_assert(code(Op::name##X) == ((class_bits) | BPF_X))
PIN_PAIR(Add, BPF_ALU | BPF_ADD);
PIN_PAIR(Sub, BPF_ALU | BPF_SUB);
PIN_PAIR(Mul, BPF_ALU | BPF_MUL);
PIN_PAIR(Div, BPF_ALU | BPF_DIV);
PIN_PAIR(Mod, BPF_ALU | BPF_MOD);
PIN_PAIR(And, BPF_ALU | BPF_AND);
PIN_PAIR(Or, BPF_ALU | BPF_OR);
PIN_PAIR(Xor, BPF_ALU | BPF_XOR);
PIN_PAIR(Lsh, BPF_ALU | BPF_LSH);
PIN_PAIR(Rsh, BPF_ALU | BPF_RSH);
PIN_PAIR(Jeq, BPF_JMP | BPF_JEQ);
PIN_PAIR(Jgt, BPF_JMP | BPF_JGT);
PIN_PAIR(Jge, BPF_JMP | BPF_JGE);
PIN_PAIR(Jset, BPF_JMP | BPF_JSET);

constexpr u32 offset(Op op) {
  return info(op).offset;
}
constexpr u32 ancillary(int number) {
  return static_cast<u32>(SKF_AD_OFF + number);
}
static_assert(offset(Op::Proto) == ancillary(SKF_AD_PROTOCOL));
static_assert(offset(Op::PktType) == ancillary(SKF_AD_PKTTYPE));
static_assert(offset(Op::IfIndex) == ancillary(SKF_AD_IFINDEX));
static_assert(offset(Op::Nla) == ancillary(SKF_AD_NLATTR));
static_assert(offset(Op::NlaNest) == ancillary(SKF_AD_NLATTR_NEST));
static_assert(offset(Op::Mark) == ancillary(SKF_AD_MARK));
static_assert(offset(Op::Queue) == ancillary(SKF_AD_QUEUE));
static_assert(offset(Op::HaType) == ancillary(SKF_AD_HATYPE));
static_assert(offset(Op::RxHash) == ancillary(SKF_AD_RXHASH));
static_assert(offset(Op::Cpu) == ancillary(SKF_AD_CPU));
static_assert(offset(Op::AccXorX) == ancillary(SKF_AD_ALU_XOR_X));
static_assert(offset(Op::VlanTci) == ancillary(SKF_AD_VLAN_TAG));
static_assert(offset(Op::VlanAvail) == ancillary(SKF_AD_VLAN_TAG_PRESENT));
static_assert(offset(Op::PayOff) == ancillary(SKF_AD_PAY_OFFSET));
static_assert(offset(Op::Rand) == ancillary(SKF_AD_RANDOM));
static_assert(offset(Op::VlanTpid) == ancillary(SKF_AD_VLAN_TPID));

// What the rule sets disagree about, and the corners of what they agree about.
static_assert(eval(Rules::Linux, AluOp::Lsh, 1, 33) == 2);
static_assert(eval(Rules::Libpcap, AluOp::Lsh, 1, 33) == 0);
static_assert(eval(Rules::Libpcap, AluOp::Lsh, 1, 31) == 0x80000000);
static_assert(eval(Rules::Seccomp, AluOp::Rsh, 0x80000000, 32) == 0x80000000);
static_assert(eval(Rules::Libpcap, AluOp::Rsh, 0x80000000, 32) == 0);
static_assert(eval(Rules::Linux, AluOp::Sub, 1, 2) == 0xffffffff);
static_assert(eval(Rules::Linux, AluOp::Mul, 0x10001, 0x10001) == 0x20001);
static_assert(eval(Rules::Linux, AluOp::Div, 0xffffffff, 2) == 0x7fffffff);
static_assert(eval(Rules::Linux, AluOp::Mod, 0xffffffff, 16) == 15);
static_assert(holds(JmpOp::Jgt, 0x80000000, 1) && !holds(JmpOp::Jgt, 1, 1));
static_assert(holds(JmpOp::Jset, 6, 4) && !holds(JmpOp::Jset, 6, 1));
static_assert(negate(1) == 0xffffffff && negate(0x80000000) == 0x80000000);
static_assert(header_length(0x45) == 20 && header_length(0xff) == 60);
static_assert(indirect(Rules::Linux, 0xffffffff, 15) == 14);
static_assert(indirect(Rules::Libpcap, 0xffffffff, 15) == kNowhere);

// Programs as their bytes stand in memory on a little-endian machine, written by hand.
struct Encoding {
  RawInsn raw;
  Op op;
};
constexpr Encoding kByHand[] = {
    {{0x0020, 0, 0, 26}, Op::LdAbsW},         // ld [26]
    {{0x0028, 0, 0, 12}, Op::LdAbsH},         // ldh [12]
    {{0x0030, 0, 0, 23}, Op::LdAbsB},         // ldb [23]
    {{0x0040, 0, 0, 14}, Op::LdIndW},         // ld [x + 14]
    {{0x0048, 0, 0, 16}, Op::LdIndH},         // ldh [x + 16]
    {{0x0050, 0, 0, 27}, Op::LdIndB},         // ldb [x + 27]
    {{0x0080, 0, 0, 0}, Op::LdLen},           // ld #pktlen
    {{0x0081, 0, 0, 0}, Op::LdxLen},          // ldx #pktlen
    {{0x00b1, 0, 0, 14}, Op::LdxMsh},         // ldxb 4*([14]&0xf)
    {{0x0000, 0, 0, 7}, Op::LdImm},           // ld #7
    {{0x0001, 0, 0, 7}, Op::LdxImm},          // ldx #7
    {{0x0060, 0, 0, 15}, Op::LdMem},          // ld M[15]
    {{0x0061, 0, 0, 15}, Op::LdxMem},         // ldx M[15]
    {{0x0002, 0, 0, 1}, Op::St},              // st M[1]
    {{0x0003, 0, 0, 1}, Op::Stx},             // stx M[1]
    {{0x0015, 2, 8, 0x800}, Op::JeqK},        // jeq #0x800
    {{0x001d, 1, 0, 0}, Op::JeqX},            // jeq x
    {{0x0025, 0, 1, 5}, Op::JgtK},            // jgt #5
    {{0x002d, 0, 1, 0}, Op::JgtX},            // jgt x
    {{0x0035, 0, 1, 5}, Op::JgeK},            // jge #5
    {{0x003d, 0, 1, 0}, Op::JgeX},            // jge x
    {{0x0045, 4, 0, 0x1fff}, Op::JsetK},      // jset #0x1fff
    {{0x004d, 4, 0, 0}, Op::JsetX},           // jset x
    {{0x0005, 0, 0, 3}, Op::Ja},              // ja 3
    {{0x0004, 0, 0, 1}, Op::AddK},            // add #1
    {{0x000c, 0, 0, 0}, Op::AddX},            // add x
    {{0x0014, 0, 0, 1}, Op::SubK},            // sub #1
    {{0x001c, 0, 0, 0}, Op::SubX},            // sub x
    {{0x0024, 0, 0, 4}, Op::MulK},            // mul #4
    {{0x002c, 0, 0, 0}, Op::MulX},            // mul x
    {{0x0034, 0, 0, 4}, Op::DivK},            // div #4
    {{0x003c, 0, 0, 0}, Op::DivX},            // div x
    {{0x0044, 0, 0, 1}, Op::OrK},             // or #1
    {{0x004c, 0, 0, 0}, Op::OrX},             // or x
    {{0x0054, 0, 0, 0xf0}, Op::AndK},         // and #0xf0
    {{0x005c, 0, 0, 0}, Op::AndX},            // and x
    {{0x0064, 0, 0, 2}, Op::LshK},            // lsh #2
    {{0x006c, 0, 0, 0}, Op::LshX},            // lsh x
    {{0x0074, 0, 0, 2}, Op::RshK},            // rsh #2
    {{0x007c, 0, 0, 0}, Op::RshX},            // rsh x
    {{0x0084, 0, 0, 0}, Op::Neg},             // neg
    {{0x0094, 0, 0, 3}, Op::ModK},            // mod #3
    {{0x009c, 0, 0, 0}, Op::ModX},            // mod x
    {{0x00a4, 0, 0, 3}, Op::XorK},            // xor #3
    {{0x00ac, 0, 0, 0}, Op::XorX},            // xor x
    {{0x0007, 0, 0, 0}, Op::Tax},             // tax
    {{0x0087, 0, 0, 0}, Op::Txa},             // txa
    {{0x0006, 0, 0, 262144}, Op::RetK},       // ret #262144
    {{0x0016, 0, 0, 0}, Op::RetA},            // ret a
    {{0x0020, 0, 0, 0xfffff000}, Op::Proto},  // ld proto
    {{0x0020, 0, 0, 0xfffff004}, Op::PktType},
    {{0x0020, 0, 0, 0xfffff008}, Op::IfIndex},
    {{0x0020, 0, 0, 0xfffff00c}, Op::Nla},
    {{0x0020, 0, 0, 0xfffff010}, Op::NlaNest},
    {{0x0020, 0, 0, 0xfffff014}, Op::Mark},
    {{0x0020, 0, 0, 0xfffff018}, Op::Queue},
    {{0x0020, 0, 0, 0xfffff01c}, Op::HaType},
    {{0x0020, 0, 0, 0xfffff020}, Op::RxHash},
    {{0x0020, 0, 0, 0xfffff024}, Op::Cpu},
    {{0x0020, 0, 0, 0xfffff028}, Op::AccXorX},
    {{0x0020, 0, 0, 0xfffff02c}, Op::VlanTci},
    {{0x0030, 0, 0, 0xfffff030}, Op::VlanAvail},  // ldb vlan_avail, as libpcap writes it
    {{0x0020, 0, 0, 0xfffff034}, Op::PayOff},
    {{0x0020, 0, 0, 0xfffff038}, Op::Rand},
    {{0x0028, 0, 0, 0xfffff03c}, Op::VlanTpid},
};

TEST(ClassicDecode, HandWrittenEncodingsOfEveryOperation) {
  std::set<Op> seen;
  for (const Encoding& row : kByHand) {
    const std::optional<Insn> insn = decode(row.raw);
    ASSERT_TRUE(insn) << info(row.op).name;
    EXPECT_EQ(insn->op, row.op) << info(row.op).name;
    EXPECT_EQ(encode(*insn), row.raw) << info(row.op).name;
    seen.insert(row.op);
  }
  EXPECT_EQ(seen.size(), kOpCount);
}

TEST(ClassicDecode, EveryOpcodeThatDecodesEncodesToItself) {
  int known = 0;
  for (u32 code = 0; code <= 0xffff; ++code) {
    const RawInsn raw{static_cast<u16>(code), 1, 2, 3};
    const std::optional<Insn> insn = decode(raw);
    if (!insn) continue;
    ++known;
    EXPECT_EQ(encode(*insn), raw);
  }
  EXPECT_EQ(known, 49);  // as many as the kernel's list of allowed codes has
}

TEST(ClassicDecode, OffsetsBetweenAncillaryNumbersAreOrdinaryLoads) {
  EXPECT_EQ(decode({0x20, 0, 0, 0xfffff001})->op, Op::LdAbsW);
  EXPECT_EQ(decode({0x20, 0, 0, 0xfffff040})->op, Op::LdAbsW);
  EXPECT_EQ(decode({0x20, 0, 0, 0xffffefff})->op, Op::LdAbsW);
  EXPECT_EQ(decode({0x40, 0, 0, 0xfffff000})->op, Op::LdIndW);
}

TEST(ClassicDecode, UnknownOpcodes) {
  for (const int code : {0x08, 0x18, 0x0e, 0x21, 0x41, 0xb4, 0x55, 0xff, 0x0120, 0x8020})
    EXPECT_FALSE(decode({static_cast<u16>(code), 0, 0, 0})) << code;
}

}  // namespace
}  // namespace skep::isa::cbpf
