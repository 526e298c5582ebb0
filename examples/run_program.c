/* SPDX-License-Identifier: Apache-2.0 */
/* The C face: assembles a program, runs it, prints its result. */
#include <inttypes.h>
#include <stdio.h>

#include "skep/skep.h"

int main(void) {
  skep_error error;
  skep_cpus* cpus = NULL;
  skep_thread* thread = NULL;
  skep_program* program = NULL;
  const char* text =
      "r0 = *(u8 *)(r1 + 0)\n"
      "r2 += -1\n"
      "r1 += r2\n"
      "r3 = *(u8 *)(r1 + 0)\n"
      "r0 += r3\n"
      "exit\n";
  if (skep_cpus_create(1, &cpus, &error) != 0 || skep_thread_attach(cpus, &thread, &error) != 0 ||
      skep_program_assemble(text, SKEP_CHECKED, NULL, 0, &program, &error) != 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  uint8_t memory[3] = {3, 100, 7};
  const skep_run_input input = {.memory = memory, .memory_bytes = sizeof memory};
  const skep_outcome outcome = skep_program_run(program, thread, &input);
  if (outcome.trap != 0) {
    fprintf(stderr, "insn %" PRIu32 ": %s\n", outcome.pc, skep_trap_text(outcome.trap));
    return 1;
  }
  printf("r0 = %" PRIu64 "\n", outcome.r0);
  skep_program_free(program);
  skep_thread_free(thread);
  skep_cpus_free(cpus);
  return 0;
}
