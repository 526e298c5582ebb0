// SPDX-License-Identifier: Apache-2.0
// Claims on regular files; pipes and devices may be used twice.
// Tested by tests/e2e/filter_bad_output.sh
#include "tools/file_claims.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tools/packet_output.h"

namespace skep::tools {

bool FileClaims::file_id(const std::string& path, int standard, FileId& id) {
  struct stat info = {};
  const int failed = path == "-" ? ::fstat(standard, &info) : ::stat(path.c_str(), &info);
  if (failed != 0 || !S_ISREG(info.st_mode)) return false;
  id = {info.st_dev, info.st_ino};
  return true;
}

void FileClaims::add_input(const std::string& path) {
  FileId id;
  if (file_id(path, STDIN_FILENO, id)) owners_[id] = nullptr;
}

void FileClaims::add_output(const std::string& path, const void* owner) {
  FileId id;
  if (file_id(path, STDOUT_FILENO, id)) owners_.emplace(id, owner);
}

Status FileClaims::check_output(const std::string& path, const void* owner) const {
  FileId id;
  if (!file_id(path, STDOUT_FILENO, id)) return {};
  const auto claim = owners_.find(id);
  if (claim == owners_.end() || (claim->second == owner && owner != nullptr)) return {};
  const char* reason = claim->second == nullptr ? "is an input too; it would be overwritten"
                                                : "is another output's file";
  return in_file(Error{Code::InvalidArgument, reason}, path);
}

}  // namespace skep::tools
