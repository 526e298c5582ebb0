// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a request to come to an end. The only global state of the tools: a signal
// handler has no other way to be told anything.
#pragma once

namespace skep::capture {
class LiveCapture;
}

namespace skep::tools {

/// Catches SIGINT and SIGTERM once; a second one ends the process. Ignores SIGPIPE and SIGXFSZ, so
/// that writing to a closed pipe or beyond the largest file allowed is an error.
void catch_stop_signals();
/// True once one of them came.
bool stop_requested();
/// The capture whose waiting they end, or null.
void stop_also(capture::LiveCapture* live);
/// Ends the process as an uncaught SIGPIPE does.
void die_of_closed_pipe();

}  // namespace skep::tools
