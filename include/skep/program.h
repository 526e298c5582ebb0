// SPDX-License-Identifier: Apache-2.0
// Extended BPF programs without maps or verifier ("raw"): bytes or text in, r0 out.
//
//   auto program = skep::Program::assemble("r0 = *(u8 *)(r1 + 0)\n exit\n");
//   auto outcome = program->run(thread, {.memory = bytes});
//   if (outcome.trap == skep::Trap::None) use(outcome.r0);
//
// Tested by src/api/program_test.cc; examples/run_program.cc
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skep/expected.h"
#include "skep/export.h"
#include "skep/thread.h"

namespace skep {

namespace detail {
struct ProgramImpl;
}

/// How a program is executed. All give the same results for a program that keeps the rules.
enum class Engine : std::uint8_t {
  Checked,   ///< every access is checked against the object it points into; for programs from
             ///< anywhere
  Switch,    ///< no checks: the program is trusted like native code
  Threaded,  ///< no checks, the fastest interpreter
};

/// A function that programs can call. The five arguments are r1 to r5, the result goes to r0; user
/// is what was registered with it. Must not throw.
using HelperFunction = std::uint64_t (*)(std::uint64_t r1, std::uint64_t r2, std::uint64_t r3,
                                         std::uint64_t r4, std::uint64_t r5, void* user);

/// What Engine::Checked demands of an argument before it calls a helper; the other engines call the
/// function and look at nothing.
enum class HelperArg : std::uint8_t {
  Value,           ///< anything; the function must not use it as an address
  Memory,          ///< pointer to readable memory, sized by Bytes in the next argument or arg_bytes
  WritableMemory,  ///< the same, writable; counts as written afterwards
  MemoryOrNull,    ///< as Memory, or 0
  Bytes,           ///< size in bytes of the memory that the argument before it points to
};

/// A helper under the number that call instructions use.
struct Helper {
  std::uint32_t number = 0;
  std::string name = {};  ///< for messages
  HelperFunction function = nullptr;
  void* user = nullptr;  ///< passed on to function; must outlive the program
  std::array<HelperArg, 5> args = {};
  std::uint32_t arg_bytes = 0;     ///< size of memory arguments that no Bytes argument follows
  std::uint32_t result_bytes = 0;  ///< not 0: a result other than 0 is the address of so many
                                   ///< bytes, which the program may use until the run ends
};

/// How to load a program.
struct LoadOptions {
  Engine engine = Engine::Checked;
  std::vector<Helper> helpers = {};  ///< numbers must differ
};

/// What one run gets.
struct RunInput {
  std::span<std::uint8_t> memory = {};        ///< r1 = its address, r2 = its length in bytes
  std::span<const std::uint8_t> packet = {};  ///< what legacy packet loads (LD_ABS, LD_IND) read
  std::uint64_t budget = 0;                   ///< Checked: most instructions executed; 0 = 2^32
};

/// Why a run ended early.
enum class Trap : std::uint8_t {
#define X(name, sentence) name,
#include "skep/traps.def"
#undef X
};

/// The sentence of a trap.
SKEP_API std::string_view to_string(Trap trap);

/// What a run gave.
struct Outcome {
  std::uint64_t r0 = 0;    ///< the result; 0 after a trap
  Trap trap = Trap::None;  ///< None: the program reached its exit
  std::uint32_t pc = 0;    ///< the instruction that trapped
};

/// A loaded program; immutable, may be run by any number of Threads at once.
class SKEP_API Program {
 public:
  /// Loads a program of 8-byte instructions in the host's byte order. Errors: Truncated, BadInsn,
  /// BadJump, TooLong (more than a million instructions), NotFound (a helper number that options do
  /// not have), InvalidArgument (helpers with equal numbers or no function), Unsupported (maps and
  /// kernel functions), OutOfMemory.
  static Expected<Program> load(std::span<const std::uint8_t> bytecode,
                                const LoadOptions& options = {});
  /// The same from text in any notation that assemble() reads; also Syntax, with line and column.
  static Expected<Program> assemble(std::string_view text, const LoadOptions& options = {});

  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  /// Runs the program once. Allocates nothing, takes no lock. Under Switch and Threaded a program
  /// that breaks the rules does what native code would do.
  Outcome run(Thread& thread, const RunInput& input = {}) const noexcept;
  /// Number of 8-byte slots.
  std::size_t size() const noexcept;

 private:
  explicit Program(std::unique_ptr<detail::ProgramImpl> impl);
  std::unique_ptr<detail::ProgramImpl> impl_;
};

}  // namespace skep
