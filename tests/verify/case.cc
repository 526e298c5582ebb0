// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>

namespace skep::verify {
namespace {

constexpr std::string_view kHeading = "---- ";
constexpr std::string_view kOption = "-- ";
constexpr std::string_view kError = "; error: ";

bool starts_with(const std::string& line, std::string_view prefix) {
  return line.compare(0, prefix.size(), prefix) == 0;
}

template <class T>
std::optional<T> named(const std::map<std::string, T>& table, const std::string& name) {
  const auto at = table.find(name);
  return at == table.end() ? std::nullopt : std::optional<T>(at->second);
}

const std::map<std::string, u32> kTypes = {{"socket_filter", prog_type::kSocketFilter},
                                           {"sched_cls", prog_type::kSchedCls},
                                           {"xdp", prog_type::kXdp},
                                           {"tracepoint", prog_type::kTracepoint},
                                           {"cgroup_skb", prog_type::kCgroupSkb}};
const std::map<std::string, u32> kMapTypes = {{"hash", map_type::kHash},
                                              {"array", map_type::kArray},
                                              {"prog_array", map_type::kProgArray},
                                              {"ringbuf", map_type::kRingbuf}};
const std::map<std::string, int> kErrors = {
    {"EACCES", EACCES}, {"EINVAL", EINVAL}, {"E2BIG", E2BIG}, {"EPERM", EPERM}, {"EBADF", EBADF}};

bool read_map(std::istream& in, Case& out) {
  std::string type;
  u32 key = 0;
  u32 value = 0;
  u32 entries = 0;
  in >> type >> key >> value >> entries;
  const std::optional<u32> number = named(kMapTypes, type);
  if (!in || !number) return false;
  MapFacts facts = map_facts(*number, key, value, entries);
  std::string word;
  while (in >> word) {
    if (word == "ro" || word == "const") facts.program_may_write = false;
    if (word == "wo") facts.program_may_read = false;
    if (word == "const") facts.constant = true;
  }
  out.maps.push_back(facts);
  return true;
}

bool read_function(std::istream& in, Case& out) {
  FuncDecl function;
  std::string linkage;
  in >> function.start_pc >> function.name >> linkage;
  if (!in) return false;
  function.global = linkage == "global";
  std::string word;
  while (in >> word) {
    FuncArg arg;
    if (word == "ctx") arg.kind = FuncArg::Kind::Ctx;
    if (word.compare(0, 4, "mem:") == 0) {
      arg.kind = FuncArg::Kind::Mem;
      arg.bytes = static_cast<u32>(std::stoul(word.substr(4)));
    }
    function.args.push_back(arg);
  }
  out.functions.push_back(function);
  return true;
}

template <class T>
bool read_named(std::istream& in, const std::map<std::string, T>& table, T& value) {
  std::string name;
  in >> name;
  const std::optional<T> found = named(table, name);
  if (found) value = *found;
  return found.has_value();
}

bool read_number(std::istream& in, std::optional<u64>& value) {
  u64 number = 0;
  in >> number;
  value = number;
  return !in.fail();
}

bool read_option(const std::string& line, Case& out) {
  std::istringstream in(line.substr(kOption.size()));
  std::string word;
  in >> word;
  if (word == "type") return read_named(in, kTypes, out.type);
  if (word == "errno") return read_named(in, kErrors, out.error_number);
  if (word == "map") return read_map(in, out);
  if (word == "function") return read_function(in, out);
  if (word == "states") return read_number(in, out.max_states);
  if (word == "insns") return read_number(in, out.max_insns);
  if (word == "unprivileged") out.rights = Rights::unprivileged();
  if (word == "strict") out.strict = true;
  if (word == "no-gpl") out.gpl = false;
  if (word == "level") {
    std::string level;
    in >> level;
    out.level = level == "default" ? Level::Default : Level::Linux61;
  }
  return word == "unprivileged" || word == "strict" || word == "no-gpl" || word == "level";
}

// Slots that a line of the program takes.
u32 slots_of(const std::string& line) {
  const std::string code = line.substr(0, line.find(';'));
  const std::size_t first = code.find_first_not_of(" \t");
  const std::size_t last = code.find_last_not_of(" \t");
  if (first == std::string::npos || code[last] == ':') return 0;
  const bool wide = code.find(" ll") != std::string::npos ||
                    code.find("map[") != std::string::npos ||
                    code.find("subprog[") != std::string::npos;
  return wide ? 2 : 1;
}

struct Reading {
  std::vector<Case> cases;
  u32 pc = 0;
};

bool read_line(const std::string& line, u32 number, Reading& r) {
  if (starts_with(line, kHeading)) {
    r.cases.emplace_back();
    r.cases.back().name = line.substr(kHeading.size());
    r.cases.back().line = number;
    r.pc = 0;
    return true;
  }
  if (r.cases.empty()) return line.empty() || line[0] == '#';
  Case& current = r.cases.back();
  if (starts_with(line, kOption)) return read_option(line, current);
  const std::size_t error = line.find(kError);
  if (error != std::string::npos) {
    current.error = line.substr(error + kError.size());
    current.error_pc = r.pc;
  }
  current.text += line + "\n";
  r.pc += slots_of(line);
  return true;
}

}  // namespace

Result<std::vector<Case>> read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) return Error{Code::Io, "cannot read " + path};
  Reading reading;
  std::string line;
  for (u32 number = 1; std::getline(in, line); ++number) {
    if (!read_line(line, number, reading)) {
      return error_at_line(Code::Syntax, number, 1, "not understood: " + line);
    }
  }
  return std::move(reading.cases);
}

}  // namespace skep::verify
