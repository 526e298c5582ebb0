// SPDX-License-Identifier: Apache-2.0
// Statements of the C-like notations that touch memory, each from its first token on. Loads are
// what stands behind `dst =`.
// Tested by ebpf_assembler_test.cc
#pragma once

#include "asm/ebpf_operands.h"
#include "asm/ebpf_statement.h"

namespace skep::assembler::ebpf {

/// `*(u32 *)(r1 + 4)`, `*(u8 *)skb[r2 + 4]`
Result<Statement> parse_load(Cursor& in, const Register& dst);
/// `*(u32 *)(r1 + 4) = w2` or `= 5`
Result<Statement> parse_store(Cursor& in);

/// Whether the word is `load_acquire`.
bool is_acquire(const Token& token);
/// `load_acquire((u32 *)(r1 + 4))`
Result<Statement> parse_acquire(Cursor& in, const Register& dst);
/// Whether the word is `store_release`.
bool is_release(const Token& token);
/// `store_release((u32 *)(r1 + 4), w2)`
Result<Statement> parse_release(Cursor& in);

/// Whether the word may name an atomic operation with a result: `atomic_fetch_add`, `xchg_64`.
bool is_fetch(const Token& token);
/// `NAME(memory, [r0,] src)`, whose old value goes to dst.
Result<Statement> parse_fetch(Cursor& in, const Register& dst);
/// `lock *(u32 *)(r1 + 4) += w2`
Result<Statement> parse_locked(Cursor& in);

}  // namespace skep::assembler::ebpf
