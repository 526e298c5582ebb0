// SPDX-License-Identifier: Apache-2.0
// One pass over the lines, which notes where labels are used, then the labels' distances. After the
// first error nothing that depends on the number of instructions so far is complained about.
// Tested by ebpf_assembler_test.cc, ebpf_roundtrip_test.cc
#include "asm/ebpf_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "asm/ebpf_operands.h"
#include "asm/ebpf_statement.h"
#include "isa/ebpf_check.h"
#include "isa/ebpf_codec.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::info;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::kMaxInsns;
using isa::ebpf::kSlotBytes;
using isa::ebpf::Op;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// What stands before the instruction in listings of other tools.
struct Prefix {
  std::size_t length = 0;         ///< bytes of the line that it takes
  std::optional<u64> pc = {};     ///< `12:`
  std::optional<u8> opcode = {};  ///< `(b7)`
};

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

/// Bytes that llvm-objdump's raw instruction takes at `at`, 0 when there is none.
std::size_t raw_bytes_length(std::string_view line, std::size_t at) {
  std::size_t pairs = 0, end = at;
  while (end + 1 < line.size() && is_hex(line[end]) && is_hex(line[end + 1]) &&
         (end + 2 == line.size() || is_blank(line[end + 2]))) {
    ++pairs;
    end = std::min(end + 3, line.size());
  }
  return pairs == kSlotBytes || pairs == 2 * kSlotBytes ? end - at : 0;
}

Prefix split_prefix(std::string_view line) {
  Prefix prefix;
  std::size_t at = skip_blanks(line, 0);
  std::size_t end = at;
  u64 pc = 0;
  while (end < line.size() && is_digit(line[end]) && end - at < 10) {
    pc = pc * 10 + static_cast<u64>(line[end++] - '0');
  }
  if (end > at && end < line.size() && line[end] == ':') {
    prefix.pc = pc;
    at = skip_blanks(line, end + 1);
    at = skip_blanks(line, at + raw_bytes_length(line, at));
  }
  if (at + 3 < line.size() && line[at] == '(' && is_hex(line[at + 1]) && is_hex(line[at + 2]) &&
      line[at + 3] == ')') {
    const auto digit = [](char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; };
    prefix.opcode = static_cast<u8>(digit(line[at + 1]) << 4 | digit(line[at + 2]));
    at += 4;
  }
  prefix.length = at;
  return prefix;
}

/// The name in llvm-objdump's `0000000000000018 <LBB0_1>:`, or "".
std::string_view objdump_label(std::string_view line) {
  const std::size_t digits =
      static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_hex) - line.begin());
  if (digits < 8 || !line.substr(digits).starts_with(" <")) return {};
  const std::string_view name = line.substr(digits + 2);
  const std::size_t end = name.find(">:");
  return end == std::string_view::npos ? std::string_view{} : name.substr(0, end);
}

/// Directives of compilers' output that put no instruction into the text.
bool is_skipped_directive(const Token& token) {
  constexpr std::array<std::string_view, 14> kSkipped = {
      ".text", ".globl", ".global",  ".local", ".weak",  ".hidden",  ".type",
      ".size", ".align", ".p2align", ".file",  ".ident", ".addrsig", ".addrsig_sym"};
  return token.kind == TokenKind::Word &&
         std::find(kSkipped.begin(), kSkipped.end(), token.text) != kSkipped.end();
}

class Assembler {
 public:
  Assembler(const AssembleOptions& options, Diagnostics& found)
      : options_(options), found_(found), mnemonics_(make_mnemonics()) {}

  void run(std::string_view text) {
    u32 number = 0;
    while (!text.empty() && !found_.full()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const auto status = line(text.substr(0, end), ++number);
      if (!status) found_.add(status.error());
      text.remove_prefix(std::min(end + 1, text.size()));
      if (program_.size() > kMaxInsns) {
        found_.add(
            error_at_line(Code::TooLong, number, 1,
                          fmt::format("the program has more than {} instructions", kMaxInsns)));
        return;
      }
    }
    for (const Use& use : uses_) {
      if (const auto status = resolve(use); !status) found_.add(status.error());
    }
  }

  std::vector<Insn> take_program() { return std::move(program_); }

 private:
  struct Definition {
    std::size_t pc = 0;
    u32 line = 0;
  };
  struct Use {
    std::size_t pc = 0;
    u32 line = 0;
    Token label = {};
    bool may_name_helper = false;
  };

  Status line(std::string_view text, u32 number) {
    if (const std::string_view name = objdump_label(text); !name.empty()) {
      return define(Token{.kind = TokenKind::Word, .text = name, .number = 0, .column = 1}, number);
    }
    const Prefix prefix = split_prefix(text);
    if (prefix.pc && *prefix.pc != program_.size() && found_.empty()) {
      const auto column = static_cast<u32>(skip_blanks(text, 0)) + 1;
      return error_at_line(
          Code::Syntax, number, column,
          fmt::format("this is instruction {}, not {}", program_.size(), *prefix.pc));
    }
    SKEP_TRY(const std::vector<Token> tokens,
             tokenize(text.substr(prefix.length), number, static_cast<u32>(prefix.length) + 1));
    Cursor in(tokens, number);
    while (in.peek().kind == TokenKind::Word && in.peek(1).is(":")) {
      SKEP_TRY_DO(define(in.take(), number));
      in.take();
    }
    if (in.at_end() && !prefix.opcode) return {};
    if (is_skipped_directive(in.peek())) return {};
    if (in.peek().kind == TokenKind::Word && in.peek().text.starts_with('.')) {
      return in.error_at(in.peek(), fmt::format("the directive {} is not known: only instructions "
                                                "of one program are assembled",
                                                in.peek().text));
    }
    SKEP_TRY(const Statement statement, parse_statement(in, prefix.opcode, mnemonics_));
    append(statement, number);
    return {};
  }

  void append(const Statement& statement, u32 number) {
    const std::size_t pc = program_.size();
    if (statement.label.kind != TokenKind::End) {
      uses_.push_back({.pc = pc,
                       .line = number,
                       .label = statement.label,
                       .may_name_helper = statement.may_name_helper});
    }
    if (statement.insn.op == Op::Exit && !first_exit_) first_exit_ = pc;
    program_.push_back(statement.insn);
    if (info(statement.insn.op).kind == Kind::Lddw) program_.push_back(Insn{.op = Op::LddwHigh});
  }

  Status define(const Token& label, u32 number) {
    const auto [place, fresh] =
        labels_.try_emplace(label.text, Definition{.pc = program_.size(), .line = number});
    if (fresh) return {};
    return error_at_line(
        Code::Syntax, number, label.column,
        fmt::format("the label '{}' is in line {} already", label.text, place->second.line));
  }

  std::optional<std::size_t> find_label(const Use& use) const {
    if (const auto place = labels_.find(use.label.text); place != labels_.end()) {
      return place->second.pc;
    }
    // bpf_conformance: `exit` as a jump's target is the first exit instruction.
    if (use.label.is("exit") && !use.may_name_helper) return first_exit_;
    return std::nullopt;
  }

  std::optional<s32> find_helper(std::string_view name) const {
    for (const HelperName& helper : options_.helpers) {
      const bool with_bpf = helper.name == name;
      const bool without = helper.name.starts_with("bpf_") && helper.name.substr(4) == name;
      if (with_bpf || without) return helper.number;
    }
    return std::nullopt;
  }

  Status resolve(const Use& use) {
    Insn& insn = program_[use.pc];
    if (const auto target = find_label(use)) {
      if (use.may_name_helper) insn.op = Op::CallLocal;
      const s64 slots = static_cast<s64>(*target) - static_cast<s64>(use.pc) - 1;
      return set_distance(insn, slots, use.label, use.line);
    }
    if (use.may_name_helper) {
      if (const auto number = find_helper(use.label.text)) {
        insn.imm = *number;
        return {};
      }
    }
    return error_at_line(
        Code::Syntax, use.line, use.label.column,
        fmt::format("there is no {} '{}'", use.may_name_helper ? "function or helper" : "label",
                    use.label.text));
  }

  const AssembleOptions& options_;
  Diagnostics& found_;
  Mnemonics mnemonics_;
  std::vector<Insn> program_;
  std::vector<Use> uses_;
  std::unordered_map<std::string_view, Definition> labels_;
  std::optional<std::size_t> first_exit_;
};

}  // namespace

Result<std::vector<Insn>> assemble(std::string_view text, const AssembleOptions& options,
                                   Diagnostics* all) {
  Diagnostics own;
  Diagnostics& found = all != nullptr ? *all : own;
  Assembler assembler(options, found);
  assembler.run(text);
  if (!found.empty()) return found.errors().front();
  return assembler.take_program();
}

}  // namespace skep::assembler::ebpf
