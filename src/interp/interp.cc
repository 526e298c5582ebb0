// SPDX-License-Identifier: Apache-2.0
// Names of the engines and the choice between them.  Tested by interp_test.cc
#include "interp/interp.h"

#include <new>

#include "interp/checked.h"
#include "interp/threaded.h"
#include "support/assert.h"

namespace skep::interp {

std::string_view to_string(Engine engine) {
  switch (engine) {
    case Engine::Switch: return "switch";
    case Engine::Threaded: return "threaded";
    case Engine::Checked: return "checked";
  }
  unreachable();
}

Result<Engine> parse_engine(std::string_view name) {
  std::string names;
  for (const Engine engine : kEngines) {
    if (to_string(engine) == name) return engine;
    names += names.empty() ? "" : ", ";
    names += to_string(engine);
  }
  return Error{Code::NoEngine,
               "no engine is called '" + std::string(name) + "'; there are: " + names};
}

struct Executable::Prepared {
  Engine engine;
  runtime::Program program;
  threaded::Records records;  // not for Engine::Switch
};

Executable::Executable(std::unique_ptr<const Prepared> prepared) : prepared_(std::move(prepared)) {}
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

Engine Executable::engine() const {
  return prepared_->engine;
}
const runtime::Program& Executable::program() const {
  return prepared_->program;
}

Result<Executable> Executable::make(runtime::Program program, Engine engine) {
  std::unique_ptr<Prepared> prepared(new (std::nothrow)
                                         Prepared{engine, std::move(program), threaded::Records{}});
  if (prepared == nullptr) return Error{Code::OutOfMemory, "no memory for the program"};
  switch (engine) {
    case Engine::Switch: break;
    case Engine::Threaded: {
      SKEP_TRY(prepared->records, threaded::prepare(prepared->program, threaded::variant()));
      break;
    }
    case Engine::Checked: {
      SKEP_TRY(prepared->records, checked::prepare(prepared->program));
      break;
    }
  }
  return Executable(std::move(prepared));
}

runtime::Outcome Executable::run(const runtime::RunInput& input) const noexcept {
  SKEP_CHECK(input.state != nullptr || !prepared_->program.needs_state());
  switch (prepared_->engine) {
    case Engine::Switch: return run_switch(prepared_->program, input);
    case Engine::Threaded: return threaded::run(prepared_->records, prepared_->program, input);
    case Engine::Checked: return checked::run(prepared_->records, prepared_->program, input);
  }
  unreachable();
}

}  // namespace skep::interp
