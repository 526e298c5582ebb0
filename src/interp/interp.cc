// SPDX-License-Identifier: Apache-2.0
// Names of the engines and the choice between them.  Tested by interp_test.cc
#include "interp/interp.h"

#include <new>

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

Executable::Executable(std::unique_ptr<const runtime::Program> program, Engine engine)
    : program_(std::move(program)), engine_(engine) {}
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

Result<Executable> Executable::make(runtime::Program program, Engine engine) {
  std::unique_ptr<const runtime::Program> kept(new (std::nothrow)
                                                   runtime::Program(std::move(program)));
  if (kept == nullptr) return Error{Code::OutOfMemory, "no memory for the program"};
  if (engine != Engine::Switch) {
    return Error{Code::NoEngine,
                 "this build has no engine '" + std::string(to_string(engine)) + "'"};
  }
  return Executable(std::move(kept), engine);
}

runtime::Outcome Executable::run(const runtime::RunInput& input) const noexcept {
  return run_switch(*program_, input);
}

}  // namespace skep::interp
