// SPDX-License-Identifier: Apache-2.0
// Classic programs in and out for `skep asm --classic` and `skep disasm --classic`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/cbpf.h"
#include "support/bytes.h"
#include "support/result.h"

namespace skep::tools {

/// The program as struct sock_filter is stored: code and k in the given byte order.
std::vector<u8> classic_bytes(std::span<const isa::cbpf::RawInsn> program, ByteOrder order);

/// The other way. Errors: Truncated (not a multiple of 8 bytes).
Result<std::vector<isa::cbpf::RawInsn>> classic_from_bytes(Bytes bytes, ByteOrder order);

/// Whether content is text in one of the notations, rather than stored instructions.
bool looks_like_text(std::string_view content);

/// The program in a notation: "listing" (tcpdump -d), "c" (-dd), "numbers" (-ddd) or "bpf_asm".
/// Errors: those of bpf_asm's printer.
Result<std::string> classic_text(std::span<const isa::cbpf::RawInsn> program,
                                 std::string_view notation);

}  // namespace skep::tools
