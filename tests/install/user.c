// SPDX-License-Identifier: Apache-2.0
// The smallest embedder in C: succeeds if the library that runs is the one the headers describe.
#include <skep/version.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("skep %s\n", skep_version());
  return strcmp(skep_version(), SKEP_VERSION) == 0 ? 0 : 1;
}
