// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify and tests/kernel
#include "verify/verify.h"

#include <fmt/format.h>

#include "verify/log.h"
#include "verify/walk.h"

namespace skep::verify {
namespace {

Code code_of(int error) {
  switch (error) {
    case EINVAL: return Code::InvalidArgument;
    case E2BIG: return Code::TooLong;
    case ENOMEM: return Code::OutOfMemory;
    case kUnsupported: return Code::Unsupported;
    default: return Code::Rejected;  // not an enum: EACCES, EPERM, EBADF, EFAULT
  }
}

Error to_error(int error, const std::vector<Finding>& findings) {
  if (findings.empty()) return {code_of(error), "the program is refused"};
  return error_at_pc(code_of(error), findings.back().pc, findings.back().words);
}

void fill_report(Walk& walk, int error, Report& report) {
  report.error_number = error;
  report.stats = walk.stats;
  if (error != 0 && walk.current != nullptr && walk.current->frames[0] != nullptr) {
    report.registers = describe_registers(walk);
  }
  report.kernel_log = kernel_log(walk);
  if (error != 0 && !walk.findings.all().empty()) {
    const SourceLine* const line = walk.source_line(walk.findings.all().back().pc);
    if (line != nullptr) {
      report.source = fmt::format("{}:{}:{}: {}", line->file, line->line, line->column, line->text);
    }
  }
  report.findings = walk.findings.take();
}

}  // namespace

Result<Verified> verify(const WalkInput& input, const World& world, Report* report) {
  Walk walk(input, world);
  const int error = check_program(walk).error().error;
  Report own;
  Report& out = report == nullptr ? own : *report;
  fill_report(walk, error, out);
  if (error != 0) return to_error(error, out.findings);
  Verified verified;
  verified.facts = std::move(walk.facts);
  for (const Subprog& subprog : walk.subprogs) {
    verified.functions.push_back(subprog.start);
    verified.stack_bytes.push_back(subprog.stack_bytes);
  }
  return verified;
}

}  // namespace skep::verify
