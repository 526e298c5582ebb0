// SPDX-License-Identifier: Apache-2.0
// The parser: one function a notation; statements by the shape of their operand. Labels are
// resolved at the end.
// Tested by classic_assembler_test.cc
#include "asm/classic_assembler.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "asm/classic_lexer.h"

namespace skep::assembler::classic {
namespace {

using isa::cbpf::Kind;
using isa::cbpf::Op;
using isa::cbpf::Operand;
using isa::cbpf::OpInfo;
using isa::cbpf::RawInsn;

constexpr u32 kMaxReach = 255;  // of a conditional jump, in instructions

// bpf_asm's other names; `turned` ones jump where the comparison does not hold.
struct Alias {
  std::string_view word;
  std::string_view mnemonic;
  bool turned;
};
constexpr Alias kAliases[] = {{"ldi", "ld", false},  {"ldxi", "ldx", false}, {"jmp", "ja", false},
                              {"jneq", "jeq", true}, {"jne", "jeq", true},   {"jlt", "jge", true},
                              {"jle", "jgt", true}};
struct Keyword {
  std::string_view word;
  Op op;
};
constexpr Keyword kOtherKeywords[] = {{"vlan_pr", Op::VlanAvail}};

// A jump's target that was given as a label.
struct Reference {
  enum Field : u8 { Jt, Jf, K };
  u32 pc;
  Field field;
  Token label;
};

// An operand as written, before an operation is chosen by it.
struct Parsed {
  Operand shape = Operand::None;
  u32 k = 0;
  std::optional<Op> ancillary;
};

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<std::vector<RawInsn>> run() {
    Status status;
    if (here().is('{'))
      status = c_initialisers();
    else if (here().kind == TokenKind::Number)
      status = numbers();
    else
      status = statements();
    if (!status) return std::move(status).error();
    SKEP_TRY_DO(resolve());
    return std::move(program_);
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  bool at_end() const { return here().kind == TokenKind::End; }
  u32 pc() const { return static_cast<u32>(program_.size()); }

  Error error_at(const Token& token, std::string message, Code code = Code::Syntax) const {
    return error_at_line(code, token.line, token.column, std::move(message));
  }
  Error expected(std::string_view what) const {
    return error_at(here(), at_end() ? fmt::format("expected {}, the text ends", what)
                                     : fmt::format("expected {}, found '{}'", what, here().text));
  }
  bool accept(char symbol) {
    if (!here().is(symbol)) return false;
    ++at_;
    return true;
  }
  Status expect(char symbol) {
    if (!accept(symbol)) return expected(fmt::format("'{}'", symbol));
    return {};
  }
  Result<u32> number(std::string_view what, u32 limit = ~u32{0}) {
    if (here().kind != TokenKind::Number) return expected(what);
    if (here().number > limit)
      return error_at(here(), fmt::format("{} is at most {}", what, limit));
    return tokens_[at_++].number;
  }
  Status add(const Token& at, RawInsn insn) {
    if (program_.size() == kMaxInsns)
      return error_at(at, fmt::format("more than {} instructions", kMaxInsns), Code::TooLong);
    program_.push_back(insn);
    return {};
  }

  Status c_initialisers();
  Status numbers();
  Status statements();
  Status statement();
  Status listing_number();
  Status finish(const Token& word, std::string_view mnemonic, bool turned, const Parsed& operand);
  Result<Parsed> operand(u32 line);
  Result<Parsed> bracket();
  Result<Parsed> header_length();
  Status arms(bool turned, RawInsn& insn);
  Status listing_arms(RawInsn& insn);
  Status target(RawInsn& insn);
  Status label(Reference::Field field);
  Status resolve();

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<RawInsn> program_;
  std::map<std::string_view, u32> labels_;
  std::vector<Reference> references_;
  bool listed_ = false;  // the statement starts with (pc): targets are numbers
};

Status Parser::c_initialisers() {
  while (!at_end()) {
    const Token start = here();
    SKEP_TRY_DO(expect('{'));
    SKEP_TRY(const u32 code, number("an opcode", 0xffff));
    SKEP_TRY_DO(expect(','));
    SKEP_TRY(const u32 jt, number("jt", kMaxReach));
    SKEP_TRY_DO(expect(','));
    SKEP_TRY(const u32 jf, number("jf", kMaxReach));
    SKEP_TRY_DO(expect(','));
    SKEP_TRY(const u32 k, number("k"));
    SKEP_TRY_DO(expect('}'));
    if (!at_end()) SKEP_TRY_DO(expect(','));
    SKEP_TRY_DO(add(start, {static_cast<u16>(code), static_cast<u8>(jt), static_cast<u8>(jf), k}));
  }
  return {};
}

Status Parser::numbers() {
  const Token first = here();
  SKEP_TRY(const u32 count, number("the count of instructions"));
  accept(',');
  while (!at_end()) {
    const Token start = here();
    SKEP_TRY(const u32 code, number("an opcode", 0xffff));
    SKEP_TRY(const u32 jt, number("jt", kMaxReach));
    SKEP_TRY(const u32 jf, number("jf", kMaxReach));
    SKEP_TRY(const u32 k, number("k"));
    accept(',');
    SKEP_TRY_DO(add(start, {static_cast<u16>(code), static_cast<u8>(jt), static_cast<u8>(jf), k}));
  }
  if (count != pc())
    return error_at(first,
                    fmt::format("the count says {} instructions, there are {}", count, pc()));
  return {};
}

Status Parser::statements() {
  while (!at_end()) {
    if (here().kind == TokenKind::Word && ahead().is(':')) {
      if (!labels_.try_emplace(here().text, pc()).second)
        return error_at(here(), fmt::format("label '{}' is there already", here().text));
      at_ += 2;
      continue;
    }
    SKEP_TRY_DO(statement());
  }
  return {};
}

// (007), which must be the instruction's index.
Status Parser::listing_number() {
  listed_ = accept('(');
  if (!listed_) return {};
  const Token token = here();
  SKEP_TRY(const u32 index, number("the instruction's index"));
  if (index != pc())
    return error_at(token, fmt::format("this is instruction {}, not {}", pc(), index));
  return expect(')');
}

Status Parser::statement() {
  SKEP_TRY_DO(listing_number());
  if (here().kind != TokenKind::Word) return expected("an instruction");
  const Token word = tokens_[at_++];
  std::string_view mnemonic;
  bool turned = false;
  for (const OpInfo& row : isa::cbpf::kInfo)
    if (row.kind != Kind::Anc && word.is(row.mnemonic)) mnemonic = row.mnemonic;
  for (const Alias& alias : kAliases)
    if (word.is(alias.word)) mnemonic = alias.mnemonic, turned = alias.turned;
  if (mnemonic.empty()) return error_at(word, fmt::format("unknown instruction '{}'", word.text));
  if (mnemonic == "ja") {
    RawInsn insn{info(Op::Ja).code, 0, 0, 0};
    SKEP_TRY_DO(target(insn));
    return add(word, insn);
  }
  SKEP_TRY(const Parsed parsed, operand(word.line));
  return finish(word, mnemonic, turned, parsed);
}

// Chooses the operation by its mnemonic and the operand's shape.
Status Parser::finish(const Token& word, std::string_view mnemonic, bool turned,
                      const Parsed& operand) {
  RawInsn insn;
  insn.k = operand.k;
  bool found = false;
  bool jump = false;
  for (const OpInfo& row : isa::cbpf::kInfo) {
    if (row.kind == Kind::Anc) continue;
    // `ldx 4*(..)` is `ldxb 4*(..)`; numbers are written either way.
    const bool named =
        row.mnemonic == mnemonic || (row.operand == Operand::Msh && mnemonic == "ldx");
    const Operand shape = row.operand == Operand::Dec ? Operand::Hex : row.operand;
    const bool fits = shape == operand.shape || (operand.ancillary && shape == Operand::Abs);
    // `ret` alone is the listing's `ret a`.
    const bool bare = operand.shape == Operand::None && shape == Operand::A;
    if (!named || (!fits && !bare)) continue;
    found = true;
    insn.code = row.code;
    jump = row.kind == Kind::JmpK || row.kind == Kind::JmpX;
  }
  if (!found) return error_at(word, fmt::format("'{}' does not take this operand", word.text));
  if (operand.ancillary) insn.k = info(*operand.ancillary).offset;
  if (jump) SKEP_TRY_DO(arms(turned, insn));
  return add(word, insn);
}

Result<Parsed> Parser::operand(u32 line) {
  if (at_end() || here().line != line) return Parsed{};
  const bool hash = accept('#');
  if (accept('%') && !here().is("x") && !here().is("a")) return expected("'x' or 'a'");
  const Token token = here();
  if (token.kind == TokenKind::Number) {
    ++at_;
    if (!hash && accept('*')) {
      if (token.number != 4) return error_at(token, "only 4*([k]&0xf) exists");
      return header_length();
    }
    return Parsed{Operand::Hex, token.number, {}};
  }
  if (token.is('[')) return bracket();
  if (token.kind != TokenKind::Word) return expected("an operand");
  ++at_;
  if (token.is("m") && here().is('[')) {
    SKEP_TRY(Parsed memory, bracket());
    if (memory.shape != Operand::Abs || memory.ancillary)
      return error_at(token, "scratch memory is M[k]");
    memory.shape = Operand::Mem;
    return memory;
  }
  if (token.is("x")) return Parsed{Operand::X, 0, {}};
  if (token.is("a")) return Parsed{Operand::A, 0, {}};
  if (token.is("len") || token.is("pktlen")) return Parsed{Operand::Len, 0, {}};
  for (std::size_t i = 0; i < isa::cbpf::kOpCount; ++i)
    if (isa::cbpf::kInfo[i].kind == Kind::Anc && token.is(isa::cbpf::kInfo[i].mnemonic))
      return Parsed{Operand::Anc, 0, static_cast<Op>(i)};
  for (const Keyword& keyword : kOtherKeywords)
    if (token.is(keyword.word)) return Parsed{Operand::Anc, 0, keyword.op};
  --at_;
  return error_at(token, fmt::format("unknown operand '{}'", token.text));
}

// [k], [x + k], [x], and the listing's [keyword].
Result<Parsed> Parser::bracket() {
  SKEP_TRY_DO(expect('['));
  Parsed parsed{Operand::Abs, 0, {}};
  accept('%');
  if (here().is("x")) {
    parsed.shape = Operand::Ind;
    ++at_;
    const bool plus = accept('+');
    if (plus || here().kind == TokenKind::Number) {
      SKEP_TRY(parsed.k, number("a number"));
    }
  } else if (here().kind == TokenKind::Word) {
    for (std::size_t i = 0; i < isa::cbpf::kOpCount; ++i)
      if (isa::cbpf::kInfo[i].kind == Kind::Anc && here().is(isa::cbpf::kInfo[i].listing))
        parsed.ancillary = static_cast<Op>(i);
    if (!parsed.ancillary) return expected("an offset");
    ++at_;
  } else {
    SKEP_TRY(parsed.k, number("an offset"));
  }
  SKEP_TRY_DO(expect(']'));
  return parsed;
}

// The rest of 4*([k]&0xf).
Result<Parsed> Parser::header_length() {
  SKEP_TRY_DO(expect('('));
  SKEP_TRY(Parsed parsed, bracket());
  SKEP_TRY_DO(expect('&'));
  const Token mask = here();
  SKEP_TRY(const u32 value, number("0xf"));
  if (value != 0xf || parsed.shape != Operand::Abs || parsed.ancillary)
    return error_at(mask, "only 4*([k]&0xf) exists");
  SKEP_TRY_DO(expect(')'));
  parsed.shape = Operand::Msh;
  return parsed;
}

// ", yes, no" or ", yes" (no: the next instruction), or the listing's "jt 2 jf 5".
Status Parser::arms(bool turned, RawInsn& insn) {
  if (here().is("jt")) return listing_arms(insn);
  SKEP_TRY_DO(expect(','));
  SKEP_TRY_DO(label(turned ? Reference::Jf : Reference::Jt));
  if (!here().is(',')) return {};
  if (turned) return error_at(here(), "this jump has one label");
  ++at_;
  return label(Reference::Jf);
}

Status Parser::listing_arms(RawInsn& insn) {
  for (const bool taken : {true, false}) {
    if (!here().is(taken ? "jt" : "jf")) return expected(taken ? "jt" : "jf");
    ++at_;
    const Token token = here();
    SKEP_TRY(const u32 to, number("an instruction's index"));
    const u64 distance = u64{to} - pc() - 1;
    if (distance > kMaxReach)
      return error_at(token,
                      fmt::format("a comparison at {} reaches {} to {}, not {}", pc(), pc() + 1,
                                  pc() + 1 + kMaxReach, to),
                      Code::BadJump);
    (taken ? insn.jt : insn.jf) = static_cast<u8>(distance);
  }
  return {};
}

Status Parser::target(RawInsn& insn) {
  if (!listed_) return label(Reference::K);
  SKEP_TRY(const u32 to, number("an instruction's index"));
  insn.k = to - pc() - 1;
  return {};
}

Status Parser::label(Reference::Field field) {
  if (here().kind != TokenKind::Word) return expected("a label");
  references_.push_back({pc(), field, tokens_[at_++]});
  return {};
}

Status Parser::resolve() {
  for (const Reference& reference : references_) {
    const auto found = labels_.find(reference.label.text);
    if (found == labels_.end())
      return error_at(reference.label, fmt::format("there is no label '{}'", reference.label.text),
                      Code::BadJump);
    const u32 distance = found->second - reference.pc - 1;
    RawInsn& insn = program_[reference.pc];
    if (reference.field == Reference::K) {
      insn.k = distance;
      continue;
    }
    if (distance > kMaxReach)
      return error_at(reference.label,
                      found->second <= reference.pc
                          ? std::string("a comparison cannot jump back")
                          : fmt::format("'{}' is {} instructions away, comparisons reach {}",
                                        reference.label.text, distance, kMaxReach),
                      Code::BadJump);
    (reference.field == Reference::Jt ? insn.jt : insn.jf) = static_cast<u8>(distance);
  }
  return {};
}

}  // namespace

Result<std::vector<RawInsn>> assemble(std::string_view text) {
  SKEP_TRY(std::vector<Token> tokens, tokenize(text));
  return Parser(std::move(tokens)).run();
}

}  // namespace skep::assembler::classic
