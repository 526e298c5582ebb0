// SPDX-License-Identifier: Apache-2.0
// Reading conformance files, line by line: a heading starts a case, a section line says what the
// lines after it are.
#include "case.h"

#include <fstream>
#include <sstream>

#include "asm/ebpf_assembler.h"
#include "isa/ebpf_codec.h"

namespace skep::conformance {
namespace {

bool starts_with(const std::string& line, std::string_view prefix) {
  return line.compare(0, prefix.size(), prefix) == 0;
}

Error syntax(u32 line, std::string message) {
  return error_at_line(Code::Syntax, line, 1, std::move(message));
}

Status append_hex(const std::string& line, u32 number, std::vector<u8>& out) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.size() != 2 || word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return syntax(number, "\"" + word + "\" is not a byte in hex");
    out.push_back(static_cast<u8>(std::stoul(word, nullptr, 16)));
  }
  return {};
}

/// Adds one line of a section's content to the case.
Status add_line(Case& test, const std::string& section, const std::string& line, u32 number) {
  if (section == "asm") {
    test.text += line + "\n";
    return {};
  }
  if (section == "raw") return append_hex(line, number, test.raw);
  if (section == "mem") return append_hex(line, number, test.memory);
  if (section == "packet") return append_hex(line, number, test.packet);
  if (line.empty()) return {};
  if (section == "result") {
    test.result = std::stoull(line, nullptr, 0);
  } else if (section == "budget") {
    test.budget = std::stoull(line, nullptr, 0);
  } else if (section == "error") {
    test.error = line;
  } else {
    return syntax(number, "no section of that name: " + section);
  }
  return {};
}

}  // namespace

Result<std::vector<Case>> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{Code::Io, "cannot read " + path};
  std::vector<Case> cases;
  std::string section;
  u32 number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (starts_with(line, "---- ")) {
      cases.push_back(Case{});
      cases.back().name = line.substr(5);
      cases.back().line = number;
      section.clear();
    } else if (starts_with(line, "-- ")) {
      if (cases.empty()) return syntax(number, "a section before the first case");
      std::istringstream words(line.substr(3));
      words >> section;
      if (section == "error") words >> cases.back().error_engine;
    } else if (!section.empty()) {
      SKEP_TRY_DO(add_line(cases.back(), section, line, number));
    } else if (!line.empty() && line[0] != '#') {
      return syntax(number, "text outside of a section");
    }
  }
  for (const Case& test : cases) {
    if (test.result.has_value() == !test.error.empty())
      return syntax(test.line, "a case has one of -- result and -- error");
  }
  return cases;
}

Result<std::vector<isa::ebpf::Insn>> instructions(const Case& test) {
  if (test.text.empty()) return isa::ebpf::decode(test.raw, ByteOrder::Little);
  return assembler::ebpf::assemble(test.text);
}

}  // namespace skep::conformance
