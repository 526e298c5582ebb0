// SPDX-License-Identifier: Apache-2.0
// The kernel's BPF tests as extract.py wrote them down: tests.jsonl has one a line, insns.bin the
// instructions of all of them.
#pragma once

#include <string>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace skep::kernel {

/// Flags of a test, as numbered in lib/test_bpf.c.
enum Flag : u32 {
  kNoData = 1,        ///< runs without a packet
  kExpectedFail = 2,  ///< must be refused by the checker
  kFragment = 4,      ///< the packet has a second part
  kVerifierZext = 8,  ///< the kernel's verifier would add zero extensions
  kPlainMemory = 16,  ///< the context is memory of the run's size
};

/// One run of a program.
struct Run {
  u32 size;    ///< bytes of data, before the fragment
  u32 result;  ///< low 32 bits of what the program must return
};

struct Vector {
  std::string name;
  bool classic = false;
  u32 flags = 0;
  Bytes insns;               ///< 8 bytes each, little endian
  std::vector<u8> data;      ///< the packet of the longest run
  std::vector<u8> fragment;  ///< its second part
  std::vector<Run> runs;
};

/// All tests; owns their instructions.
struct Vectors {
  std::vector<u8> insns;
  std::vector<Vector> tests;
};

/// Reads tests.jsonl and insns.bin of the folder. Errors: NotFound, BadFormat.
Result<Vectors> read_vectors(const std::string& folder);

/// The packet of one run: the data's first bytes, then the fragment.
std::vector<u8> packet_of(const Vector& test, const Run& run);

}  // namespace skep::kernel
