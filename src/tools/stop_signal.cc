// SPDX-License-Identifier: Apache-2.0
// Signal handling; see the header.
// Tested by tests/e2e/filter_live.sh, filter_bad_output.sh
#include "tools/stop_signal.h"

#include <atomic>
#include <csignal>

#include "capture/live.h"

namespace skep::tools {

namespace {

volatile std::sig_atomic_t requested = 0;
std::atomic<capture::LiveCapture*> live_capture{nullptr};

extern "C" void on_stop_signal(int) {
  requested = 1;
  capture::LiveCapture* live = live_capture.load();
  if (live != nullptr) live->stop();
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = &on_stop_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one kills
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool stop_requested() {
  return requested != 0;
}

void stop_also(capture::LiveCapture* live) {
  live_capture.store(live);
}

void die_of_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

}  // namespace skep::tools
