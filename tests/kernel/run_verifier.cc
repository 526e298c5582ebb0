// SPDX-License-Identifier: Apache-2.0
// skep_kernel_verifier TABLE.jsonl VERDICTS.tsv [OPTION...]
//   the programs of Linux's test_verifier, judged at level 6.1, beside the answers of Linux 6.1.
//   --wrong     a line for each wrong answer and each program that is not judged
//   --run N     every accepted program is run N times on random input by a machine that checks all
//   --test N    test N only, with everything that the verifier says
//   --at-least SUPPORTED PERCENT   fail unless so many privileged tests are supported, so many
//   right
// Right means the same verdict and, for refusals, the same errno. What is not built is counted as
// unsupported. Exit status 77 without the table.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <span>

#include "isa/ebpf_codec.h"
#include "tests/verify/machine.h"
#include "verifier_table.h"
#include "verify/table_world.h"
#include "verify/verify.h"

namespace skep::kernel_table {
namespace {

using isa::ebpf::Slot;
using verify::MapFacts;
namespace map_type = verify::map_type;

constexpr u32 kStrictAlignment = 2;     // F_LOAD_WITH_STRICT_ALIGNMENT
constexpr u32 kTestStateFrequency = 8;  // BPF_F_TEST_STATE_FREQ

struct MapKind {
  const char* name;
  u32 type, key, value, entries;
};

// The maps that test_verifier makes.
constexpr MapKind kMaps[] = {
    {"fixup_map_hash_8b", map_type::kHash, 8, 8, 1},
    {"fixup_map_hash_16b", map_type::kHash, 8, 16, 1},
    {"fixup_map_hash_48b", map_type::kHash, 8, 48, 1},
    {"fixup_map_array_48b", map_type::kArray, 4, 48, 1},
    {"fixup_prog1", map_type::kProgArray, 4, 4, 4},
    {"fixup_prog2", map_type::kProgArray, 4, 4, 8},
    {"fixup_map_in_map", map_type::kArrayOfMaps, 4, 4, 1},
    {"fixup_map_array_ro", map_type::kArray, 4, 48, 1},
    {"fixup_map_array_wo", map_type::kArray, 4, 48, 1},
    {"fixup_map_array_small", map_type::kArray, 4, 1, 1},
    {"fixup_map_event_output", map_type::kPerfEventArray, 4, 4, 1},
    {"fixup_map_ringbuf", map_type::kRingbuf, 0, 0, 4096},
    {"fixup_map_sockmap", map_type::kSockmap, 4, 4, 1},
    {"fixup_map_sockhash", map_type::kSockhash, 4, 4, 1},
    {"fixup_map_xskmap", map_type::kXskmap, 4, 4, 1},
    {"fixup_map_stacktrace", map_type::kStackTrace, 4, 8, 1},
    {"fixup_map_reuseport_array", map_type::kReuseportSockarray, 4, 8, 1},
    {"fixup_map_spin_lock", map_type::kArray, 4, 8, 1},
};

// What a program needs before it can be judged.
struct Loadable {
  std::vector<isa::ebpf::Insn> insns;
  std::vector<MapFacts> maps;
  bool undecodable = false;
};

enum class Verdict { Right, WrongAccept, WrongRefuse, WrongErrno, Unsupported, NotAsked };

struct Outcome {
  Verdict verdict = Verdict::NotAsked;
  bool message_expected = false;
  bool message_found = false;
  int error = 0;
  std::string words;
  std::string trap;  ///< what an accepted program did
};

bool add_map(const std::string& kind, Loadable& out) {
  for (const MapKind& row : kMaps) {
    if (kind != row.name) continue;
    MapFacts facts = verify::map_facts(row.type, row.key, row.value, row.entries);
    facts.program_may_write = kind != "fixup_map_array_ro";
    facts.program_may_read = kind != "fixup_map_array_wo";
    if (row.type == map_type::kArrayOfMaps) {
      out.maps.push_back(verify::map_facts(map_type::kArray, 4, 4, 1));
      facts.inner = static_cast<u32>(out.maps.size());
    }
    if (kind == "fixup_map_spin_lock") {
      facts.spin_lock_off = 4;
      facts.has_btf = true;
    }
    out.maps.push_back(facts);
    return true;
  }
  return false;
}

// Makes the program that test_verifier would load: maps put in, 64-bit constants that name them.
std::optional<Loadable> prepare(const TableTest& test, bool privileged) {
  if (test.insns.empty() || test.needs_kernel_functions || test.attaches_to_function) {
    return std::nullopt;
  }
  if (!verify::TableWorld::knows(test.prog_type)) return std::nullopt;
  Loadable out;
  std::vector<u8> bytes = test.insns;
  for (const auto& [kind, pcs] : test.fixups) {
    // The BTF of such a map cannot be loaded without privileges: the test goes on with fd -1.
    const bool no_map = kind == "fixup_map_spin_lock" && !privileged;
    if (!no_map && !add_map(kind, out)) return std::nullopt;
    for (const u32 pc : pcs) {
      u8* const at = bytes.data() + pc * isa::ebpf::kSlotBytes;
      Slot slot = isa::ebpf::read_slot(at, ByteOrder::Little);
      if (!no_map) slot.src = slot.src == 2 ? 6 : 5;  // file descriptor -> index
      slot.imm = no_map ? -1 : static_cast<s32>(out.maps.size() - 1);
      isa::ebpf::write_slot(at, slot, ByteOrder::Little);
    }
  }
  Result<std::vector<isa::ebpf::Insn>> insns = isa::ebpf::decode(bytes, ByteOrder::Little);
  if (insns) {
    out.insns = std::move(*insns);
  } else {
    out.undecodable = true;
  }
  return out;
}

std::string all_lines(const verify::Report& report) {
  std::string text;
  for (const verify::Finding& finding : report.findings) text += finding.kernel + "\n";
  return text;
}

bool has_in_sequence(const std::string& text, const std::string& parts) {
  std::size_t at = 0;
  std::size_t begin = 0;
  while (begin <= parts.size()) {
    const std::size_t end = std::min(parts.find('\t', begin), parts.size());
    const std::size_t found = text.find(parts.substr(begin, end - begin), at);
    if (found == std::string::npos) return false;
    at = found + (end - begin);
    begin = end + 1;
  }
  return true;
}

struct How {
  bool talk = false;
  u32 runs = 0;
};

// Runs an accepted program on random inputs; what went wrong.
std::string run_many(const verify::WalkInput& input, const verify::World& world,
                     const verify::Verified& verified, u32 seed, u32 runs) {
  testing::Random random(seed);
  for (u32 i = 0; i < runs; ++i) {
    if (const auto problem = verify::run_checked(input, world, verified, random)) return *problem;
  }
  return "";
}

Outcome judge(const TableTest& test, bool privileged, const How& how) {
  const std::optional<Answer>& answer = privileged ? test.privileged : test.unprivileged;
  Outcome outcome;
  if (!answer) return outcome;
  const std::optional<Loadable> program = prepare(test, privileged);
  outcome.verdict = Verdict::Unsupported;
  if (!program) return outcome;
  verify::WalkInput input;
  input.insns = program->insns;
  // All functions that the table declares are static ones that return an int.
  std::vector<verify::FuncDecl> functions;
  for (const u32 start : test.functions) {
    functions.emplace_back();
    functions.back().start_pc = start;
  }
  input.functions = functions;
  input.level = verify::Level::Linux61;
  input.rights = privileged ? verify::Rights::privileged() : verify::Rights::unprivileged();
  input.strict_alignment = (test.flags & kStrictAlignment) != 0;
  input.remember_every_point = privileged && (test.flags & kTestStateFrequency) != 0;
  // Some accepted programs come with lines of the log.
  if (privileged && answer->accepted && !test.message.empty()) input.log_level = 2;
  const verify::TableWorld world(test.prog_type, input.rights, program->maps,
                                 test.expected_attach_type);
  verify::Report report;
  int error = EINVAL;
  if (program->undecodable) {
    outcome.words = "cannot be decoded";
  } else {
    const Result<verify::Verified> verified = verify::verify(input, world, &report);
    error = report.error_number;
    outcome.words = all_lines(report);
    if (verified) outcome.trap = run_many(input, world, *verified, test.id, how.runs);
  }
  outcome.error = error;
  if (how.talk) {
    fmt::print("{}: errno {}\n{}{}{}\n", privileged ? "privileged" : "unprivileged", error,
               report.kernel_log, report.registers, outcome.trap);
  }
  if (error == verify::kUnsupported) return outcome;
  if (error == 0 && !answer->accepted) outcome.verdict = Verdict::WrongAccept;
  if (error != 0 && answer->accepted) outcome.verdict = Verdict::WrongRefuse;
  if ((error == 0) != answer->accepted) return outcome;
  outcome.verdict = error == answer->error ? Verdict::Right : Verdict::WrongErrno;
  const std::string& message = privileged ? test.message : test.message_unprivileged;
  if ((error != 0 || input.log_level != 0) && !program->undecodable && !message.empty()) {
    outcome.message_expected = true;
    const std::string& log = error != 0 ? outcome.words : report.kernel_log;
    outcome.message_found = has_in_sequence(log, message);
  }
  return outcome;
}

struct Counts {
  u32 asked = 0, supported = 0, right = 0, wrong_accept = 0, wrong_refuse = 0, wrong_errno = 0;
  u32 messages = 0, messages_found = 0, traps = 0;

  void add(const Outcome& o) {
    if (o.verdict == Verdict::NotAsked) return;
    ++asked;
    if (o.verdict == Verdict::Unsupported) return;
    ++supported;
    right += o.verdict == Verdict::Right ? 1 : 0;
    wrong_accept += o.verdict == Verdict::WrongAccept ? 1 : 0;
    wrong_refuse += o.verdict == Verdict::WrongRefuse ? 1 : 0;
    wrong_errno += o.verdict == Verdict::WrongErrno ? 1 : 0;
    traps += o.trap.empty() ? 0 : 1;
    messages += o.message_expected ? 1 : 0;
    messages_found += o.message_found ? 1 : 0;
  }
  std::string row() const {
    return fmt::format("{:5} {:5} {:5} {:6} {:6} {:5}", asked, supported, right, wrong_accept,
                       wrong_refuse, wrong_errno);
  }
};

struct Options {
  bool list_wrong = false;
  std::optional<u32> only;
  u32 supported = 0;
  u32 percent = 0;
  u32 runs = 0;
};

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Right: return "right";
    case Verdict::WrongAccept: return "WRONG ACCEPT";
    case Verdict::WrongRefuse: return "wrong refusal";
    case Verdict::WrongErrno: return "wrong errno";
    case Verdict::Unsupported: return "unsupported";
    case Verdict::NotAsked: return "not asked";
  }
  return "";
}

void print_wrong(const TableTest& test, bool privileged, const Outcome& o) {
  const bool wrong = o.verdict != Verdict::Right && o.verdict != Verdict::NotAsked &&
                     o.verdict != Verdict::Unsupported;
  const bool words = o.message_expected && !o.message_found;
  if (o.verdict == Verdict::Unsupported && privileged) {
    fmt::print("{} {} '{}': unsupported: {}\n", test.id, test.file, test.name,
               o.words.empty() ? "its type, a map or a kernel function" : o.words);
  }
  if (!wrong && !words) return;
  const Answer& answer = *(privileged ? test.privileged : test.unprivileged);
  const std::string& expected = privileged ? test.message : test.message_unprivileged;
  fmt::print("{} {} {} '{}': {} errno {} expected {} '{}'; said: {}\n", test.id, test.file,
             privileged ? "priv" : "unpriv", test.name,
             wrong ? verdict_name(o.verdict) : "other words", o.error, answer.error, expected,
             o.words.substr(0, 300));
}

int run(const std::vector<TableTest>& tests, const Options& options) {
  std::map<std::string, std::pair<Counts, Counts>> files;
  Counts all[2];
  for (const TableTest& test : tests) {
    if (options.only && *options.only != test.id) continue;
    for (const bool privileged : {true, false}) {
      const Outcome outcome = judge(test, privileged, {options.only.has_value(), options.runs});
      auto& [first, second] = files[test.file];
      (privileged ? first : second).add(outcome);
      all[privileged ? 0 : 1].add(outcome);
      if (options.list_wrong) print_wrong(test, privileged, outcome);
      if (!outcome.trap.empty()) {
        fmt::print("{} {} '{}' was accepted and trapped: {}\n", test.id, test.file, test.name,
                   outcome.trap);
      }
    }
  }
  if (options.only) return 0;
  constexpr std::string_view kHeads = "tests built right accept refuse errno";
  fmt::print("{:38} {} | {}\n", "", kHeads, kHeads);
  for (const auto& [file, counts] : files) {
    fmt::print("{:38} {} | {}\n", file, counts.first.row(), counts.second.row());
  }
  fmt::print("{:38} {} | {}\n", "all", all[0].row(), all[1].row());
  for (const int i : {0, 1}) {
    fmt::print(
        "{}: {} of {} supported, {} right, {} wrongly accepted, {} wrongly refused, {} "
        "with another errno; expected words found in {} of {}; {} accepted ones trapped\n",
        i == 0 ? "privileged" : "unprivileged", all[i].supported, all[i].asked, all[i].right,
        all[i].wrong_accept, all[i].wrong_refuse, all[i].wrong_errno, all[i].messages_found,
        all[i].messages, all[i].traps);
  }
  bool good = all[0].supported >= options.supported;
  for (const Counts& counts : all) {
    good &= counts.right * 100 >= counts.supported * options.percent && counts.traps == 0;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace skep::kernel_table

int main(int argc, char** argv) {
  using namespace skep::kernel_table;
  Options options;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--wrong") {
      options.list_wrong = true;
    } else if (arg == "--run" && i + 1 < argc) {
      options.runs = static_cast<skep::u32>(std::stoul(argv[++i]));
    } else if (arg == "--test" && i + 1 < argc) {
      options.only = static_cast<skep::u32>(std::stoul(argv[++i]));
    } else if (arg == "--at-least" && i + 2 < argc) {
      options.supported = static_cast<skep::u32>(std::stoul(argv[++i]));
      options.percent = static_cast<skep::u32>(std::stoul(argv[++i]));
    } else {
      files.emplace_back(arg);
    }
  }
  if (files.size() != 2) {
    std::fprintf(stderr, "usage: skep_kernel_verifier TABLE.jsonl VERDICTS.tsv [--wrong] ...\n");
    return 2;
  }
  const auto tests = read_table(files[0], files[1]);
  if (!tests) {
    fmt::print("skipped: {}\n", skep::to_string(tests.error()));
    return 77;
  }
  return run(*tests, options);
}
