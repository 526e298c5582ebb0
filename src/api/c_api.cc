// SPDX-License-Identifier: Apache-2.0
// The C face: the C++ objects behind opaque pointers; errors become -errno and a struct here, once.
// Tested by c_test.c
#include <algorithm>
#include <cstring>
#include <new>

#include "skep/filter.h"
#include "skep/program.h"
#include "skep/skep.h"
#include "skep/thread.h"
#include "support/ints.h"

struct skep_cpus {
  skep::Cpus cpus;
};
struct skep_thread {
  skep::Thread thread;
};
struct skep_program {
  skep::Program program;
};
struct skep_filter {
  skep::Filter filter;
};

namespace {

using skep::u32;
using skep::u8;

int fail(skep_error* out, const skep::Error& error) {
  const int number = skep::to_errno(error.code);
  if (out == nullptr) return -number;
  const skep::Where where = error.where.value_or(skep::Where{});
  *out = skep_error{.number = number,
                    .pc = where.pc.value_or(SKEP_NO_PLACE),
                    .line = where.line.value_or(SKEP_NO_PLACE),
                    .column = where.column.value_or(SKEP_NO_PLACE),
                    .message = {}};
  const std::string text = skep::to_string(error);
  std::memcpy(out->message, text.data(), std::min(text.size(), sizeof out->message - 1));
  return -number;
}

int invalid(skep_error* out, const char* message) {
  return fail(out, {skep::Code::InvalidArgument, message});
}

/// Wraps the object of expected in an Opaque behind *out.
template <class Opaque, class Object>
int hand_out(skep::Expected<Object> expected, Opaque** out, skep_error* error) {
  if (!expected) return fail(error, expected.error());
  Opaque* made = new (std::nothrow) Opaque{std::move(*expected)};
  if (made == nullptr) return fail(error, {skep::Code::OutOfMemory, "no memory"});
  *out = made;
  return 0;
}

skep::Expected<skep::LoadOptions> load_options(skep_engine engine, const skep_helper* helpers,
                                               size_t count) {
  if (engine < SKEP_CHECKED || engine > SKEP_THREADED) {
    return skep::Error{skep::Code::InvalidArgument, "no such engine"};
  }
  if (helpers == nullptr && count != 0) {
    return skep::Error{skep::Code::InvalidArgument, "helpers is NULL"};
  }
  skep::LoadOptions options{.engine = static_cast<skep::Engine>(engine), .helpers = {}};
  for (size_t i = 0; i < count; ++i) {
    const skep_helper& row = helpers[i];
    skep::Helper helper{.number = row.number,
                        .name = row.name != nullptr ? row.name : "",
                        .function = row.function,
                        .user = row.user,
                        .args = {},
                        .arg_bytes = row.arg_bytes,
                        .result_bytes = row.result_bytes};
    for (size_t arg = 0; arg < helper.args.size(); ++arg) {
      if (row.args[arg] > SKEP_ARG_BYTES) {
        return skep::Error{skep::Code::InvalidArgument, "no such kind of helper argument"};
      }
      helper.args[arg] = static_cast<skep::HelperArg>(row.args[arg]);
    }
    options.helpers.push_back(std::move(helper));
  }
  return options;
}

}  // namespace

extern "C" {

int skep_cpus_create(unsigned count, skep_cpus** out, skep_error* error) {
  if (out == nullptr) return invalid(error, "out is NULL");
  return hand_out(skep::Cpus::create(count), out, error);
}

void skep_cpus_free(skep_cpus* cpus) {
  delete cpus;
}

int skep_thread_attach(skep_cpus* cpus, skep_thread** out, skep_error* error) {
  if (cpus == nullptr || out == nullptr) return invalid(error, "cpus or out is NULL");
  return hand_out(skep::Expected<skep::Thread>(cpus->cpus.attach()), out, error);
}

void skep_thread_free(skep_thread* thread) {
  delete thread;
}

unsigned skep_thread_cpu(const skep_thread* thread) {
  return thread->thread.cpu();
}

int skep_program_load(const uint8_t* bytecode, size_t bytes, skep_engine engine,
                      const skep_helper* helpers, size_t helper_count, skep_program** out,
                      skep_error* error) {
  if (bytecode == nullptr || out == nullptr) return invalid(error, "bytecode or out is NULL");
  const auto options = load_options(engine, helpers, helper_count);
  if (!options) return fail(error, options.error());
  return hand_out(skep::Program::load({bytecode, bytes}, *options), out, error);
}

int skep_program_assemble(const char* text, skep_engine engine, const skep_helper* helpers,
                          size_t helper_count, skep_program** out, skep_error* error) {
  if (text == nullptr || out == nullptr) return invalid(error, "text or out is NULL");
  const auto options = load_options(engine, helpers, helper_count);
  if (!options) return fail(error, options.error());
  return hand_out(skep::Program::assemble(text, *options), out, error);
}

void skep_program_free(skep_program* program) {
  delete program;
}

skep_outcome skep_program_run(const skep_program* program, skep_thread* thread,
                              const skep_run_input* input) {
  skep::RunInput given;
  if (input != nullptr) {
    // NULL is no bytes, whatever the size says.
    given = {.memory = {input->memory, input->memory != nullptr ? input->memory_bytes : 0},
             .packet = {input->packet, input->packet != nullptr ? input->packet_bytes : 0},
             .budget = input->budget};
  }
  const skep::Outcome outcome = program->program.run(thread->thread, given);
  return {.r0 = outcome.r0, .trap = static_cast<u32>(outcome.trap), .pc = outcome.pc};
}

const char* skep_trap_text(uint32_t trap) {
  static constexpr const char* kTexts[] = {
#define X(name, sentence) sentence,
#include "skep/traps.def"
#undef X
  };
  return trap < std::size(kTexts) ? kTexts[trap] : "";
}

int skep_filter_compile(const char* expression, uint32_t link_type, skep_filter** out,
                        skep_error* error) {
  if (expression == nullptr || out == nullptr) return invalid(error, "expression or out is NULL");
  return hand_out(skep::Filter::compile(expression, {.link_type = link_type}), out, error);
}

int skep_filter_load(const skep_classic_insn* program, size_t count, skep_rules rules,
                     skep_filter** out, skep_error* error) {
  if (program == nullptr || out == nullptr) return invalid(error, "program or out is NULL");
  if (rules < SKEP_RULES_LINUX || rules > SKEP_RULES_SECCOMP) {
    return invalid(error, "no such set of rules");
  }
  std::vector<skep::ClassicInsn> insns;
  insns.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    insns.push_back({program[i].code, program[i].jt, program[i].jf, program[i].k});
  }
  return hand_out(skep::Filter::load(insns, static_cast<skep::ClassicRules>(rules)), out, error);
}

void skep_filter_free(skep_filter* filter) {
  delete filter;
}

uint32_t skep_filter_match(const skep_filter* filter, const uint8_t* packet, size_t packet_bytes,
                           uint32_t wire_bytes) {
  return filter->filter.match({packet, packet != nullptr ? packet_bytes : 0}, wire_bytes);
}

}  // extern "C"
