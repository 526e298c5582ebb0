// SPDX-License-Identifier: Apache-2.0
// Any bytes as a program into the verifier; the first byte chooses type, rights and level. No
// input may crash it or take long, every refusal says something, and what is accepted at the
// default level is run by the machine that checks everything.
#include "isa/ebpf_codec.h"
#include "support/assert.h"
#include "tests/verify/machine.h"
#include "verify/table_world.h"

using namespace skep;          // NOLINT: a program
using namespace skep::verify;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  if (size == 0) return 0;
  const u32 types[] = {prog_type::kSocketFilter, prog_type::kXdp, prog_type::kSchedCls,
                       prog_type::kTracepoint};
  const u32 type = types[data[0] & 3];
  const bool privileged = (data[0] & 4) == 0;
  const auto insns = isa::ebpf::decode(Bytes(data + 1, size - 1), ByteOrder::Little);
  if (!insns) return 0;
  WalkInput input;
  input.insns = *insns;
  input.rights = privileged ? Rights::privileged() : Rights::unprivileged();
  input.level = (data[0] & 8) == 0 ? Level::Default : Level::Linux61;
  input.strict_alignment = (data[0] & 16) != 0;
  input.max_steps = 4000;
  input.max_bytes = 64 << 20;
  const TableWorld world(
      type, input.rights,
      {map_facts(map_type::kArray, 4, 64, 1), map_facts(map_type::kHash, 8, 16, 4),
       map_facts(map_type::kRingbuf, 0, 0, 4096)});
  Report report;
  const Result<Verified> verified = verify::verify(input, world, &report);
  SKEP_CHECK(verified.has_value() == (report.error_number == 0));
  if (!verified) {
    SKEP_CHECK(!report.findings.empty() && !report.to_text().empty());
    SKEP_CHECK(report.error_number != EFAULT || report.findings[0].message == Msg::TooManyJumps);
    return 0;
  }
  if (input.level != Level::Default) return 0;
  testing::Random random(size);
  for (u32 i = 0; i < 4; ++i) {
    SKEP_CHECK(!run_checked(input, world, *verified, random, {.max_steps = 4000}));
  }
  return 0;
}
