// SPDX-License-Identifier: Apache-2.0
// The interpreters of extended BPF. All run the same programs with the same results; they differ
// in speed and in what they look at:
//
//   Switch    a plain loop over decoded instructions; the reference. Checks nothing.
//   Threaded  decoded once more into handlers and operands; several times faster. Checks nothing.
//   Checked   every pointer knows its object, every access is checked, instructions are counted:
//             for programs that no verifier has seen.
//
// "Checks nothing": such a program can read and write any memory of the process.
//
//   Program --Executable::make(engine)--> Executable --run(input)--> Outcome
//
// Tested by interp_test.cc
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "runtime/outcome.h"
#include "runtime/program.h"
#include "support/result.h"

namespace skep::interp {

enum class Engine : u8 { Switch, Threaded, Checked };

/// Every engine, for tests and lists.
inline constexpr std::array kEngines = {Engine::Switch, Engine::Threaded, Engine::Checked};

/// "switch", "threaded" or "checked".
std::string_view to_string(Engine engine);
/// The engine of that name. Error: NoEngine, with the names there are.
Result<Engine> parse_engine(std::string_view name);

/// A program made ready for one engine; immutable, so any number of threads may run it at a time.
class Executable {
 public:
  /// Errors: OutOfMemory.
  static Result<Executable> make(runtime::Program program, Engine engine);
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  /// Runs the program once; input.state must be there if program().needs_state(). Takes no lock and
  /// allocates nothing.
  runtime::Outcome run(const runtime::RunInput& input) const noexcept;

  Engine engine() const;
  const runtime::Program& program() const;

 private:
  struct Prepared;
  explicit Executable(std::unique_ptr<const Prepared> prepared);

  std::unique_ptr<const Prepared> prepared_;
};

/// The reference interpreter; needs no preparation.
runtime::Outcome run_switch(const runtime::Program& program,
                            const runtime::RunInput& input) noexcept;

}  // namespace skep::interp
