// SPDX-License-Identifier: Apache-2.0
#include "verifier_table.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace skep::kernel_table {
namespace {

using nlohmann::json;

std::vector<u8> from_hex(const std::string& text) {
  std::vector<u8> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<u8>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string text_or_empty(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

TableTest read_test(const json& line) {
  TableTest test;
  test.id = line.at("id").get<u32>();
  test.file = line.at("file").get<std::string>();
  test.name = line.at("name").get<std::string>();
  test.prog_type = line.at("prog_type").get<u32>();
  test.expected_attach_type = line.at("expected_attach_type").get<u32>();
  test.flags = line.at("flags").get<u32>();
  test.insns = from_hex(text_or_empty(line.at("insns")));
  for (const auto& [kind, pcs] : line.at("fixups").items()) {
    test.fixups[kind] = pcs.get<std::vector<u32>>();
  }
  test.needs_kernel_functions = !line.at("kfuncs").empty();
  for (const json& function : line.at("func_info")) {
    test.functions.push_back(function.at(0).get<u32>());
  }
  test.attaches_to_function = line.at("attach_kfunc").is_string();
  test.message = text_or_empty(line.at("errstr"));
  const std::string other = text_or_empty(line.at("errstr_unpriv"));
  test.message_unprivileged = other.empty() ? test.message : other;
  return test;
}

std::optional<Answer> read_answer(const std::string& verdict, const std::string& error) {
  if (verdict != "ACCEPT" && verdict != "REJECT") return std::nullopt;
  return Answer{verdict == "ACCEPT", error.empty() ? 0 : std::stoi(error)};
}

void read_verdicts(std::istream& in, std::vector<TableTest>& tests) {
  std::string line;
  std::getline(in, line);  // heading
  while (std::getline(in, line)) {
    std::istringstream row(line);
    std::string id, file, privileged, privileged_errno, unprivileged, unprivileged_errno;
    std::getline(row, id, '\t');
    std::getline(row, file, '\t');
    std::getline(row, privileged, '\t');
    std::getline(row, privileged_errno, '\t');
    std::getline(row, unprivileged, '\t');
    std::getline(row, unprivileged_errno, '\t');
    const std::size_t index = std::stoul(id);
    if (index >= tests.size() || tests[index].file != file) continue;
    tests[index].privileged = read_answer(privileged, privileged_errno);
    tests[index].unprivileged = read_answer(unprivileged, unprivileged_errno);
  }
}

}  // namespace

Result<std::vector<TableTest>> read_table(const std::string& jsonl, const std::string& verdicts) {
  std::ifstream table(jsonl);
  std::ifstream answers(verdicts);
  if (!table || !answers) return Error{Code::Io, "cannot read " + (table ? verdicts : jsonl)};
  std::vector<TableTest> tests;
  std::string line;
  while (std::getline(table, line)) {
    const json value = json::parse(line, nullptr, false);
    if (value.is_discarded()) return Error{Code::BadFormat, jsonl + " is not JSON lines"};
    tests.push_back(read_test(value));
  }
  read_verdicts(answers, tests);
  return tests;
}

}  // namespace skep::kernel_table
