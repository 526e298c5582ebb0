// SPDX-License-Identifier: Apache-2.0
// Raw eBPF programs of the public API, over the interpreters.
// Tested by program_test.cc
#include "skep/program.h"

#include "api/convert.h"
#include "api/thread_impl.h"
#include "asm/ebpf_assembler.h"
#include "interp/interp.h"
#include "isa/ebpf_codec.h"

namespace skep {

struct detail::ProgramImpl {
  interp::Executable executable;
};

namespace {

interp::Engine to_internal(Engine engine) {
  switch (engine) {
    case Engine::Checked: return interp::Engine::Checked;
    case Engine::Switch: return interp::Engine::Switch;
    case Engine::Threaded: return interp::Engine::Threaded;
  }
  unreachable();
}

runtime::Arg to_internal(HelperArg arg) {
  switch (arg) {
    case HelperArg::Value: return runtime::Arg::None;
    case HelperArg::Memory: return runtime::Arg::Memory;
    case HelperArg::WritableMemory: return runtime::Arg::WritableMemory;
    case HelperArg::MemoryOrNull: return runtime::Arg::MemoryOrNull;
    case HelperArg::Bytes: return runtime::Arg::Bytes;
  }
  unreachable();
}

Result<runtime::HelperTable> make_table(const std::vector<Helper>& helpers) {
  runtime::HelperTable table;
  for (const Helper& helper : helpers) {
    if (table.find(helper.number) != nullptr) {
      return Error{Code::InvalidArgument,
                   "two helpers have the number " + std::to_string(helper.number)};
    }
    runtime::Helper row{.number = helper.number,
                        .name = helper.name,
                        .call = helper.function,
                        .user = helper.user,
                        .arg_bytes = helper.arg_bytes,
                        .result_bytes = helper.result_bytes};
    for (std::size_t i = 0; i < row.args.size(); ++i) row.args[i] = to_internal(helper.args[i]);
    SKEP_TRY_DO(table.add(std::move(row)));
  }
  return table;
}

Result<interp::Executable> make(std::vector<isa::ebpf::Insn> insns, const LoadOptions& options) {
  SKEP_TRY(const runtime::HelperTable table, make_table(options.helpers));
  SKEP_TRY(runtime::Program program, runtime::Program::make(std::move(insns), table));
  return interp::Executable::make(std::move(program), to_internal(options.engine));
}

Result<interp::Executable> load_bytes(Bytes bytecode, const LoadOptions& options) {
  SKEP_TRY(std::vector<isa::ebpf::Insn> insns, isa::ebpf::decode(bytecode));
  return make(std::move(insns), options);
}

Result<interp::Executable> load_text(std::string_view text, const LoadOptions& options) {
  SKEP_TRY(std::vector<isa::ebpf::Insn> insns, assembler::ebpf::assemble(text));
  return make(std::move(insns), options);
}

std::unique_ptr<detail::ProgramImpl> make_impl(interp::Executable executable) {
  return std::unique_ptr<detail::ProgramImpl>(new detail::ProgramImpl{std::move(executable)});
}

}  // namespace

std::string_view to_string(Trap trap) {
  return runtime::sentence(static_cast<runtime::Trap>(trap));
}

Program::Program(std::unique_ptr<detail::ProgramImpl> impl) : impl_(std::move(impl)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Expected<Program> Program::load(std::span<const std::uint8_t> bytecode,
                                const LoadOptions& options) {
  Result<interp::Executable> executable = load_bytes(bytecode, options);
  if (!executable.has_value()) return std::move(executable).error();
  return Program(make_impl(std::move(*executable)));
}

Expected<Program> Program::assemble(std::string_view text, const LoadOptions& options) {
  Result<interp::Executable> executable = load_text(text, options);
  if (!executable.has_value()) return std::move(executable).error();
  return Program(make_impl(std::move(*executable)));
}

Outcome Program::run(Thread& thread, const RunInput& input) const noexcept {
  const runtime::RunScope scope(thread.impl_->thread);
  const u64 budget = input.budget != 0 ? input.budget : runtime::kDefaultBudget;
  const runtime::Outcome outcome =
      impl_->executable.run({.memory = input.memory, .packet = input.packet, .budget = budget});
  return {.r0 = outcome.r0, .trap = static_cast<Trap>(outcome.trap), .pc = outcome.pc};
}

std::size_t Program::size() const noexcept {
  return impl_->executable.program().code().size();
}

}  // namespace skep
