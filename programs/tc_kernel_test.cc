// SPDX-License-Identifier: Apache-2.0
// The sched_cls forms of the sample programs in the running kernel, where bpf(2) is allowed: its
// verifier accepts them, far below its limit of a million instructions, and BPF_PROG_TEST_RUN
// gives the literal results. Nothing is attached.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "programs/programs.h"

namespace skep::programs {
namespace {

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, CloseObject>;

int silent(libbpf_print_level, const char*, va_list) {
  return 0;
}

class TcKernel : public testing::Test {
 protected:
  void SetUp() override {
    libbpf_set_print(silent);
    const int probe = bpf_map_create(BPF_MAP_TYPE_ARRAY, nullptr, 4, 8, 1, nullptr);
    if (probe < 0) GTEST_SKIP() << "bpf(2) is not allowed here: " << std::strerror(errno);
    close(probe);
  }
};

/// The number after "processed " in the verifier's statistics, 0 when there is none.
unsigned processed_insns(const char* log) {
  unsigned count = 0;
  const char* at = std::strstr(log, "processed ");
  if (at != nullptr && std::sscanf(at, "processed %u", &count) != 1) count = 0;
  return count;
}

void run_in_kernel(const Program& program) {
  const std::string path = std::string(SKEP_TC_FOLDER) + "/" + std::string(program.name) + ".o";
  const Object object(bpf_object__open_file(path.c_str(), nullptr));
  ASSERT_NE(object, nullptr) << path << ": " << std::strerror(errno);
  bpf_program* code = bpf_object__find_program_by_name(object.get(), "program");
  ASSERT_NE(code, nullptr);
  std::array<char, 1 << 16> log = {};
  constexpr unsigned kStatisticsOnly = 4;
  bpf_program__set_log_buf(code, log.data(), log.size());
  bpf_program__set_log_level(code, kStatisticsOnly);
  ASSERT_EQ(bpf_object__load(object.get()), 0) << program.name << ":\n" << log.data();
  const unsigned processed = processed_insns(log.data());
  EXPECT_LT(processed, 500'000u) << program.name;
  std::printf("%-16s the kernel's verifier processed %6u instructions\n",
              std::string(program.name).c_str(), processed);

  std::vector<u8> memory = input(program);
  memory.resize((memory.size() + 7) & ~std::size_t{7});
  const u32 key = 0;
  ASSERT_EQ(bpf_map_update_elem(bpf_object__find_map_fd_by_name(object.get(), "input"), &key,
                                memory.data(), BPF_ANY),
            0);
  std::array<u8, 64> packet = {};
  bpf_test_run_opts options = {};
  options.sz = sizeof options;
  options.data_in = packet.data();
  options.data_size_in = packet.size();
  ASSERT_EQ(bpf_prog_test_run_opts(bpf_program__fd(code), &options), 0) << std::strerror(errno);
  u64 result = 0;
  ASSERT_EQ(
      bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(object.get(), "output"), &key, &result),
      0);
  EXPECT_EQ(result, program.expected) << program.name;
  EXPECT_EQ(options.retval, static_cast<u32>(program.expected)) << program.name;
}

TEST_F(TcKernel, AcceptsTheProgramsAndReturnsTheLiteralResults) {
  for (const Program& program : all()) run_in_kernel(program);
}

}  // namespace
}  // namespace skep::programs
