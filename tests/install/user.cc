// SPDX-License-Identifier: Apache-2.0
// The smallest embedder in C++: succeeds if the library that runs is the one the headers describe.
#include <skep/error.h>
#include <skep/version.h>

#include <cstdio>
#include <cstring>

int main() {
  std::printf("skep %s\n", skep_version());
  return std::strcmp(skep_version(), SKEP_VERSION) == 0 ? 0 : 1;
}
