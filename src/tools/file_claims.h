// SPDX-License-Identifier: Apache-2.0
// Which files a run reads and which output writes which, by device and inode: names do not tell
// (./a and a, links, the numbers of -C). Asked before a file is created, so that neither an input
// nor another output's packets are overwritten. Tested by tests/e2e/filter_bad_output.sh
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>

#include "support/result.h"

namespace skep::tools {

class FileClaims {
 public:
  /// Notes a file that is read; - is standard input.
  void add_input(const std::string& path);
  /// Notes what `owner` writes to; - is standard output.
  void add_output(const std::string& path, const void* owner);
  /// Refuses a file that is an input or another owner's. Errors name the file.
  Status check_output(const std::string& path, const void* owner) const;

 private:
  using FileId = std::pair<dev_t, ino_t>;
  static bool file_id(const std::string& path, int standard, FileId& id);

  std::map<FileId, const void*> owners_;  // null: an input
};

}  // namespace skep::tools
