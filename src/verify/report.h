// SPDX-License-Identifier: Apache-2.0
// What the verifier tells: why a program is refused, as a sentence for a person and in the words of
// Linux's log, and how much work it was. Checks name a message of messages.def and give it its
// numbers; no other file holds a text. A check returns a Check, which carries only the errno: the
// words are already in the report.
// Tested by tests/verify, tests/kernel
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/ints.h"
#include "support/result.h"

namespace skep::verify {

/// Every message of the verifier; one enumerator a row of messages.def.
enum class Msg : u16 {
#define X(name, error, kernel, words) name,
#include "verify/messages.def"
#undef X
};

/// In the place of an errno: the verifier cannot judge this program yet.
constexpr int kUnsupported = -1;
/// The kernel's own error number for what cannot be done with a map; not in errno.h.
constexpr int kEnotsupp = 524;

namespace report_detail {
template <Msg>
struct Text;
#define X(name, number, kernel_text, words_text)             \
  template <>                                                \
  struct Text<Msg::name> {                                   \
    static constexpr int kError = number;                    \
    static constexpr std::string_view kKernel = kernel_text; \
    static constexpr std::string_view kWords = words_text;   \
  };
#include "verify/messages.def"
#undef X
}  // namespace report_detail

/// A refusal: the program is turned down with this errno.
struct Refusal {
  int error = 0;
};

/// The end of a check: passed, or a refusal.
class [[nodiscard]] Check {
 public:
  Check() = default;
  Check(Refusal refusal) : refusal_(refusal) {}  // NOLINT: implicit on purpose
  bool has_value() const { return refusal_.error == 0; }
  Refusal error() const { return refusal_; }

 private:
  Refusal refusal_;
};

/// One thing that was said about an instruction.
struct Finding {
  Msg message;
  u32 pc;
  std::string kernel;  ///< a line of the kernel's log, without its newline
  std::string words;   ///< a sentence for a person, without its full stop
};

/// Work done.
struct Stats {
  u64 insns_processed = 0;
  u32 total_states = 0;  ///< states remembered
  u32 peak_states = 0;   ///< those not thrown away again
  u32 max_states_per_insn = 0;
  u32 longest_read_walk = 0;  ///< states that one read was carried back through
};

/// What verify() leaves behind besides its result.
struct Report {
  int error_number = 0;           ///< the kernel's errno for the refusal, kUnsupported, or 0
  std::vector<Finding> findings;  ///< of a refusal, the first one found comes first
  std::string registers;          ///< what the registers hold where it was refused, a line each
  std::string source;             ///< "file:line:column: text" of the refused instruction, or empty
  std::string kernel_log;         ///< what the kernel would log at the level asked for
  Stats stats;

  /// The whole refusal for a person: place, sentence, source line, registers.
  std::string to_text() const;
};

/// Where the walk says things. Nothing is kept of what is said while muted.
class Findings {
 public:
  /// Says message kMsg of the instruction at pc.
  template <Msg kMsg, class... Args>
  void say(u32 pc, const Args&... args) {
    using T = report_detail::Text<kMsg>;
    add({kMsg, pc, fmt::format(fmt::format_string<const Args&...>(T::kKernel), args...),
         fmt::format(fmt::format_string<const Args&...>(T::kWords), args...)});
  }
  const std::vector<Finding>& all() const { return all_; }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  void add(Finding finding);
  std::vector<Finding> all_;
};

/// The errno of a message.
template <Msg kMsg>
constexpr int error_of() {
  return report_detail::Text<kMsg>::kError;
}

}  // namespace skep::verify
