// SPDX-License-Identifier: Apache-2.0
// Draws "[#####.....]  43%  812 MB/s" over itself.
// Tested by tests/e2e/filter_options.sh (that it stays away from files)
#include "tools/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace skep::tools {

namespace {

constexpr u64 kLongInput = u64{64} << 20;
constexpr std::size_t kBarWidth = 40;
constexpr auto kInterval = std::chrono::milliseconds(200);

}  // namespace

Progress::Progress(u64 total)
    : total_(total),
      shown_(total >= kLongInput && ::isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()),
      next_draw_(started_ + kInterval) {}

Progress::~Progress() {
  clear();
}

void Progress::draw(u64 done) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kInterval;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double seconds = std::chrono::duration<double>(now - started_).count();
  std::string bar(kBarWidth, '.');
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  std::fill_n(bar.begin(), filled, '#');
  std::fprintf(stderr, "\r[%s] %3.0f%%  %.0f MB/s ", bar.c_str(), share * 100,
               static_cast<double>(done) / seconds / 1e6);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r%*s\r", static_cast<int>(kBarWidth) + 24, "");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace skep::tools
