// SPDX-License-Identifier: Apache-2.0
// Between the 8-byte slots of a program and decoded instructions, in both directions. Decoding is
// done once; it finds the dense operation and refuses unknown opcodes, non-zero reserved fields,
// registers above r10 and halves of two-slot constants. Jumps are checked apart (ebpf_check.h).
//
//   slot:  opcode:8 | dst:4 src:4 | off:16 | imm:32      (the register nibbles swap on big endian)
//
// Source: RFC 9669 section 3.  Tested by ebpf_codec_test.cc
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "isa/ebpf.h"
#include "support/bytes.h"
#include "support/result.h"

namespace skep::isa::ebpf {

constexpr std::size_t kSlotBytes = 8;

/// The fields of one slot, undecoded.
struct Slot {
  u8 code = 0;
  u8 dst = 0;
  u8 src = 0;
  s16 off = 0;
  s32 imm = 0;
  bool operator==(const Slot&) const = default;
};

/// The slot in 8 bytes stored in the given byte order.
Slot read_slot(const u8* bytes, ByteOrder order);
/// Writes the slot to 8 bytes in the given byte order.
void write_slot(u8* bytes, const Slot& slot, ByteOrder order);

/// The operation that the opcode byte and the selector field (off, imm or src) name, if any.
std::optional<Op> find_op(const Slot& slot);

/// Decodes a whole program, one Insn a slot. Errors: Truncated (not a multiple of 8 bytes, or a
/// 64-bit constant without its second slot), BadInsn with the slot's pc.
Result<std::vector<Insn>> decode(Bytes program, ByteOrder order = kHostOrder);

/// The slots of a program; decode(encode(p)) == p for every p that decode can return.
std::vector<u8> encode(std::span<const Insn> program, ByteOrder order = kHostOrder);

}  // namespace skep::isa::ebpf
