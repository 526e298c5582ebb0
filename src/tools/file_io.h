// SPDX-License-Identifier: Apache-2.0
// Whole files in and out for sub-commands that work on one program; "-" is standard input or
// output.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace skep::tools {

/// All bytes of the file. Errors: NotFound, Io, with the system's reason; the message names the
/// file.
Result<std::string> read_file(const std::string& path);

/// Makes the file hold exactly these bytes. Errors: Io; the message names the file.
Status write_file(const std::string& path, std::string_view bytes);

/// Puts something unusable in the place of closed standard descriptors, so that no file opened
/// later takes their numbers and gets what is meant for them.
void occupy_standard_descriptors();

/// Writes out what stdout still holds. Errors: Io; the message names it. A closed pipe ends the
/// process as SIGPIPE does.
Status finish_stdout();

/// How messages name the file: "standard input" for "-".
std::string input_name(const std::string& path);

}  // namespace skep::tools
