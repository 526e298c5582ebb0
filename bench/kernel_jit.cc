// SPDX-License-Identifier: Apache-2.0
// Loading with libbpf, timing by the kernel itself.
#include "bench/kernel_jit.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <array>
#include <string>

namespace skep::bench {

struct KernelJit::State {
  bpf_object* object = nullptr;
  int program = -1;
  int output = -1;
  ~State() { bpf_object__close(object); }
};

KernelJit::KernelJit(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelJit::KernelJit(KernelJit&&) noexcept = default;
KernelJit::~KernelJit() = default;

std::optional<KernelJit> KernelJit::load(const programs::Program& sample) {
  libbpf_set_print(nullptr);
  const std::string path = std::string(SKEP_TC_FOLDER) + "/" + std::string(sample.name) + ".o";
  auto state = std::make_unique<State>();
  state->object = bpf_object__open_file(path.c_str(), nullptr);
  if (state->object == nullptr || bpf_object__load(state->object) != 0) return std::nullopt;
  const bpf_program* program = bpf_object__find_program_by_name(state->object, "program");
  state->program = bpf_program__fd(program);
  state->output = bpf_object__find_map_fd_by_name(state->object, "output");
  const int input = bpf_object__find_map_fd_by_name(state->object, "input");
  std::vector<u8> memory = programs::input(sample);
  memory.resize((memory.size() + 7) & ~std::size_t{7});  // a map's values are multiples of 8
  const u32 key = 0;
  if (bpf_map_update_elem(input, &key, memory.data(), BPF_ANY) != 0) return std::nullopt;
  return KernelJit(std::move(state));
}

double KernelJit::run_ns(u32 repeat) const {
  std::array<u8, 64> packet = {};
  bpf_test_run_opts options = {};
  options.sz = sizeof options;
  options.data_in = packet.data();
  options.data_size_in = static_cast<u32>(packet.size());
  options.repeat = static_cast<int>(repeat);
  return bpf_prog_test_run_opts(state_->program, &options) == 0 ? options.duration : 0;
}

u64 KernelJit::result() const {
  const u32 key = 0;
  u64 value = 0;
  return bpf_map_lookup_elem(state_->output, &key, &value) == 0 ? value : 0;
}

}  // namespace skep::bench
