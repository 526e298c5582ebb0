// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/report.h"

#include <algorithm>

namespace skep::verify {

void Findings::add(Finding finding) {
  all_.push_back(std::move(finding));
}

std::string Report::to_text() const {
  std::string text;
  if (findings.empty()) return text;
  // The last finding is the check's own, those before it are its reasons.
  text = fmt::format("insn {}: {}\n", findings.back().pc, findings.back().words);
  for (std::size_t i = 0; i + 1 < findings.size(); ++i) {
    text += fmt::format("  because {}\n", findings[i].words);
  }
  if (!source.empty()) text += fmt::format("  in: {}\n", source);
  text += registers;
  return text;
}

}  // namespace skep::verify
