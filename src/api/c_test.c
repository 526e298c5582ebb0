// SPDX-License-Identifier: Apache-2.0
// The C face from C: every function once in the ordinary way and once with what it must refuse.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "skep/skep.h"

static int failures = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static uint64_t add(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void* user) {
  (void)r3, (void)r4, (void)r5;
  return r1 + r2 + *(const uint64_t*)user;
}

static void run_programs(void) {
  skep_error error;
  skep_cpus* cpus = NULL;
  skep_thread* thread = NULL;
  skep_program* program = NULL;
  EXPECT(skep_cpus_create(1, &cpus, &error) == 0);
  EXPECT(skep_thread_attach(cpus, &thread, &error) == 0);
  EXPECT(skep_thread_cpu(thread) == 0);

  uint8_t memory[4] = {1, 2, 3, 4};
  const skep_run_input input = {.memory = memory, .memory_bytes = sizeof memory};
  EXPECT(skep_program_assemble("r0 = *(u8 *)(r1 + 2)\nexit\n", SKEP_CHECKED, NULL, 0, &program,
                               &error) == 0);
  EXPECT(skep_program_run(program, thread, &input).r0 == 3);
  skep_outcome outcome = skep_program_run(program, thread, NULL);
  EXPECT(outcome.trap != 0 && outcome.pc == 0);
  const skep_run_input lying = {.memory = NULL, .memory_bytes = 4};
  outcome = skep_program_run(program, thread, &lying);
  EXPECT(outcome.trap != 0 && outcome.pc == 0);
  EXPECT(strlen(skep_trap_text(outcome.trap)) > 0);
  EXPECT(strcmp(skep_trap_text(9999), "") == 0);
  skep_program_free(program);

  uint64_t offset = 2;
  const skep_helper helper = {.number = 5, .name = "add", .function = add, .user = &offset};
  EXPECT(skep_program_assemble("r1 = 30\nr2 = 10\ncall 5\nexit\n", SKEP_THREADED, &helper, 1,
                               &program, &error) == 0);
  EXPECT(skep_program_run(program, thread, NULL).r0 == 42);
  skep_program_free(program);

  const uint8_t code[16] = {0xb7, 0, 0, 0, 9, 0, 0, 0, 0x95};
  EXPECT(skep_program_load(code, sizeof code, SKEP_SWITCH, NULL, 0, &program, &error) == 0);
  EXPECT(skep_program_run(program, thread, NULL).r0 == 9);
  skep_program_free(program);

  EXPECT(skep_program_load(code, 15, SKEP_SWITCH, NULL, 0, &program, &error) == -EINVAL);
  EXPECT(error.number == EINVAL && error.message[0] != '\0');
  EXPECT(skep_program_load(code, 8, SKEP_CHECKED, NULL, 0, &program, NULL) == -EINVAL);
  EXPECT(skep_program_load(NULL, 8, SKEP_CHECKED, NULL, 0, &program, &error) == -EINVAL);
  EXPECT(skep_program_load(code, 16, (skep_engine)7, NULL, 0, &program, &error) == -EINVAL);
  EXPECT(skep_program_assemble("r0 = 1\nr0 = )\n", SKEP_CHECKED, NULL, 0, &program, &error) ==
         -EINVAL);
  EXPECT(error.line == 2 && error.column == 6 && error.pc == SKEP_NO_PLACE);
  EXPECT(skep_program_assemble("call 6\nexit\n", SKEP_CHECKED, &helper, 1, &program, &error) ==
         -ENOENT);
  EXPECT(error.pc == 0);

  skep_thread_free(thread);
  skep_cpus_free(cpus);
}

static void run_filters(void) {
  skep_error error;
  skep_filter* filter = NULL;
  const skep_classic_insn accept[] = {{0x06, 0, 0, 64}};
  const uint8_t packet[14] = {0};
  EXPECT(skep_filter_load(accept, 1, SKEP_RULES_LINUX, &filter, &error) == 0);
  EXPECT(skep_filter_match(filter, packet, sizeof packet, 0) == 64);
  skep_filter_free(filter);
  EXPECT(skep_filter_load(accept, 0, SKEP_RULES_LINUX, &filter, &error) < 0);
  EXPECT(skep_filter_load(accept, 1, (skep_rules)9, &filter, &error) == -EINVAL);

  const int status = skep_filter_compile("arp", 1, &filter, &error);
  if (status == -ENOTSUP) return;  // a build without capture
  EXPECT(status == 0);
  EXPECT(skep_filter_match(filter, packet, sizeof packet, 0) == 0);
  skep_filter_free(filter);
  EXPECT(skep_filter_compile("arp or", 1, &filter, &error) == -EINVAL);
}

int main(void) {
  skep_error error;
  skep_cpus* cpus = NULL;
  EXPECT(skep_cpus_create(1u << 30, &cpus, &error) == -EINVAL);
  EXPECT(skep_cpus_create(1, NULL, &error) == -EINVAL);
  EXPECT(strcmp(skep_version(), SKEP_VERSION) == 0);
  skep_cpus_free(NULL);
  skep_thread_free(NULL);
  skep_program_free(NULL);
  skep_filter_free(NULL);
  run_programs();
  run_filters();
  return failures == 0 ? 0 : 1;
}
