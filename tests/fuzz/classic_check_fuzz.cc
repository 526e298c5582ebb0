// SPDX-License-Identifier: Apache-2.0
// The classic decoder and checker on arbitrary programs. What decodes must encode to the same
// bytes; what the checker accepts must run without leaving anything, with one result on both
// machines, and translate to well-formed eBPF.
//
//   input:  rules | packet bytes n | n bytes of packet | program, 8 bytes an instruction
#include <cstring>
#include <vector>

#include "cbpf/check.h"
#include "cbpf/switch_vm.h"
#include "cbpf/threaded_vm.h"
#include "cbpf/to_ebpf.h"
#include "isa/cbpf.h"
#include "isa/ebpf_check.h"
#include "support/assert.h"
#include "support/bytes.h"

namespace {

using namespace skep;

constexpr u64 kBudget = 2000;

std::vector<isa::cbpf::RawInsn> read_program(Reader& input) {
  std::vector<isa::cbpf::RawInsn> program;
  while (input.remaining() >= sizeof(isa::cbpf::RawInsn)) {
    isa::cbpf::RawInsn insn;
    std::memcpy(&insn, input.take(sizeof insn)->data(), sizeof insn);
    program.push_back(insn);
  }
  return program;
}

void check_round_trip(const std::vector<isa::cbpf::RawInsn>& program) {
  for (const isa::cbpf::RawInsn& raw : program) {
    const auto insn = isa::cbpf::decode(raw);
    if (insn) SKEP_CHECK(isa::cbpf::encode(*insn) == raw);
  }
}

void check_machines(const cbpf::Program& program, Bytes packet) {
  const auto threaded = cbpf::Threaded::decode(program);
  SKEP_CHECK(threaded.has_value());
  const u32 wire_length = static_cast<u32>(packet.size()) + 4;
  const u32 result = cbpf::run_switch(program, packet, wire_length);
  SKEP_CHECK(threaded->run(packet, wire_length) == result);
  const auto translation = cbpf::to_ebpf(program);
  SKEP_CHECK(translation.has_value() || program.facts().backward_jumps ||
             translation.error().code == Code::TooLong);
  if (translation) SKEP_CHECK(isa::ebpf::check_structure(translation->insns).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  Reader input(Bytes(data, size));
  const auto rules_byte = input.read<u8>();
  const auto packet_bytes = input.read<u8>();
  if (!rules_byte || !packet_bytes) return 0;
  const auto rules = static_cast<isa::cbpf::Rules>(*rules_byte % 3);
  // Seccomp programs read nothing but a whole struct seccomp_data.
  const std::size_t wanted = rules == isa::cbpf::Rules::Seccomp ? 64 : *packet_bytes;
  const auto packet = input.take(wanted);
  if (!packet) return 0;
  const std::vector<isa::cbpf::RawInsn> program = read_program(input);
  check_round_trip(program);
  const auto checked = cbpf::check(program, rules, kBudget);
  if (checked.has_value()) check_machines(*checked, *packet);
  return 0;
}
