// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error, where that is a terminal and the input is long.
#pragma once

#include <chrono>
#include <string>

#include "support/ints.h"

namespace skep::tools {

class Progress {
 public:
  /// `total` bytes are expected; 0 or little shows nothing.
  explicit Progress(u64 total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap to call often: looks at the clock only now and then.
  void update(u64 done) {
    if (shown_ && (++calls_ & 63) == 0) draw(done);
  }
  /// Removes the bar, so that other text may follow.
  void clear();

 private:
  void draw(u64 done);

  u64 total_;
  bool shown_;
  bool drawn_ = false;
  u32 calls_ = 0;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace skep::tools
