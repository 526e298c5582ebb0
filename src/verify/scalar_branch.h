// SPDX-License-Identifier: Apache-2.0
// What a conditional jump says about its operands: whether its outcome is certain, and what is
// known on either way out. Comparisons of 32 bits speak of the low half only.
// Source: kernel/bpf/verifier.c (is_branch_taken, reg_set_min_max).  Tested by
// scalar_branch_test.cc
#pragma once

#include <optional>

#include "isa/ebpf.h"
#include "verify/scalar.h"

namespace skep::verify {

/// Whether `x op k` certainly holds (true), certainly does not (false), or may do either. k is
/// sign-extended for 64-bit comparisons; a 32-bit one looks at its low half.
std::optional<bool> decide(isa::ebpf::JmpOp op, u32 width, const Scalar& x, u64 k);

/// Both start as the number compared; taken learns that `x op k` holds, fallen that it does not.
void refine(isa::ebpf::JmpOp op, u32 width, Scalar& taken, Scalar& fallen, u64 k);

/// a and b have the same value: each learns what the other knows.
void refine_equal(Scalar& a, Scalar& b);

/// The comparison with its operands exchanged: a op b == b flipped(op) a.
isa::ebpf::JmpOp flipped(isa::ebpf::JmpOp op);

}  // namespace skep::verify
