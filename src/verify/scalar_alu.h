// SPDX-License-Identifier: Apache-2.0
// The effect of each ALU operation on what is known of a number. Sound for every operation and
// width; as precise as Linux 6.1: shifts, products and bit operations other than AND by a number
// that is not known give an unknown result.
// Source: kernel/bpf/verifier.c (adjust_scalar_min_max_vals).  Tested by scalar_alu_test.cc
#pragma once

#include "isa/ebpf.h"
#include "verify/scalar.h"

namespace skep::verify {

/// dst = dst op src, on 32 (then zero-extended) or 64 bits. Mov is not handled here: it copies.
/// Returns false where nothing of dst's value was kept but that it is a number of that width.
bool apply_alu(isa::ebpf::AluOp op, u32 width, Scalar& dst, const Scalar& src);

/// Whether 6.1 keeps anything of `dst op src` for this operation and what is known of src: not, if
/// src is contradictory, or not known where that is demanded.
bool alu_is_tracked(isa::ebpf::AluOp op, u32 width, const Scalar& src);

}  // namespace skep::verify
