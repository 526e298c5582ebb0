// SPDX-License-Identifier: Apache-2.0
// Raw eBPF programs and memory as the commands take them: instruction bytes, assembly text or an
// object file; a file or hex. Used by `skep run` and skep-conformance-plugin.
// Tested by raw_program_test.cc, tests/e2e/run_raw.sh
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/ebpf.h"
#include "support/bytes.h"
#include "support/result.h"

namespace skep::tools {

/// The file of that name, or, where there is none, the bytes that the name itself is in hex.
/// Errors: NotFound, Io.
Result<std::vector<u8>> read_file_or_hex(const std::string& name);

/// The program in a file: an ELF object, assembly text (the name ends in .s), or else instruction
/// bytes in the host's byte order. Errors: those of read_file, the assembler, the decoder and
/// read_object.
Result<std::vector<isa::ebpf::Insn>> read_program(const std::string& path);

/// Whether bytes begin as an ELF object does.
bool is_object(Bytes bytes);

/// The program in an ELF object: its first section of code other than .text, followed by .text, to
/// which calls are bound; or .text alone. Errors: BadFormat (no object for BPF, no code),
/// Unsupported (references to maps and data, which need a loader; no libelf in this build).
Result<std::vector<isa::ebpf::Insn>> read_object(Bytes bytes);

}  // namespace skep::tools
