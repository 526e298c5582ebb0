// SPDX-License-Identifier: Apache-2.0
// The bpf(2) calls behind kernel_filter.h, made without libbpf so that every test may use them.
#include "tests/support/kernel_filter.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "isa/ebpf_codec.h"

namespace skep::testing {
namespace {

u64 address(const void* pointer) {
  return static_cast<u64>(reinterpret_cast<std::uintptr_t>(pointer));
}

int load_filter(const std::vector<u8>& code, std::span<char> log) {
  static constexpr char kLicense[] = "Dual BSD/GPL";
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
  attr.insns = address(code.data());
  attr.insn_cnt = static_cast<u32>(code.size() / isa::ebpf::kSlotBytes);
  attr.license = address(kLicense);
  attr.log_buf = address(log.data());
  attr.log_size = static_cast<u32>(log.size());
  attr.log_level = log.empty() ? 0 : 1;
  return static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr));
}

/// The end of a verifier's log.
std::string last_words(std::span<const char> log) {
  const std::string text(log.data(), strnlen(log.data(), log.size()));
  return text.size() > 600 ? text.substr(text.size() - 600) : text;
}

}  // namespace

std::optional<std::string> kernel_refuses() {
  const std::array<isa::ebpf::Insn, 2> program = {
      isa::ebpf::Insn{.op = isa::ebpf::Op::Mov64K, .off = 0, .imm = 0},
      isa::ebpf::Insn{.op = isa::ebpf::Op::Exit, .off = 0, .imm = 0}};
  const std::array<u8, 64> packet = {};
  const KernelRun run = run_in_kernel(program, packet);
  if (run.error == 0) return std::nullopt;
  return std::string("bpf(2) is not allowed here: ") + std::strerror(run.error);
}

KernelRun run_in_kernel(std::span<const isa::ebpf::Insn> program, Bytes packet) {
  const std::vector<u8> code = isa::ebpf::encode(program);
  KernelRun run;
  const int fd = load_filter(code, {});
  if (fd < 0) {
    run.error = errno;
    std::vector<char> log(1 << 20);
    load_filter(code, log);
    run.log = last_words(log);
    return run;
  }
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.test.prog_fd = static_cast<u32>(fd);
  attr.test.data_in = address(packet.data());
  attr.test.data_size_in = static_cast<u32>(packet.size());
  if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof attr) != 0) run.error = errno;
  run.result = attr.test.retval;
  close(fd);
  return run;
}

}  // namespace skep::testing
