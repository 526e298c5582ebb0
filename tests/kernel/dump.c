// SPDX-License-Identifier: Apache-2.0
// dump INSNS.BIN: prints the kernel's table of BPF tests as JSON lines (README.md has the fields)
// and writes all instructions, test after test, to INSNS.BIN. Compiled and run by extract.py, which
// makes kernel_tests.inc from the kernel's sources.
#include "shim.h"
// The slices: instruction macros of include/linux/filter.h, then struct bpf_test, the functions
// that generate long programs, and tests[] of lib/test_bpf.c.
#include "kernel_tests.inc"

static void print_hex(const void* data, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) printf("%02x", ((const u8*)data)[i]);
}

static void print_text(const char* text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
}

// A program without a count of its own ends at its last instruction that is not all zero.
static unsigned written_length(const struct bpf_test* test, bool classic) {
  unsigned length = MAX_INSNS;
  while (length > 1) {
    const bool used = classic
                          ? test->u.insns[length - 1].code || test->u.insns[length - 1].k
                          : test->u.insns_int[length - 1].code || test->u.insns_int[length - 1].imm;
    if (used) break;
    length--;
  }
  return length;
}

static void print_runs(const struct bpf_test* test) {
  for (int i = 0; i < MAX_SUBTESTS; i++) {
    const bool empty = test->test[i].data_size == 0 && test->test[i].result == 0;
    if (empty && i > 0) break;
    printf("%s[%d,%u]", i > 0 ? "," : "", test->test[i].data_size, test->test[i].result);
  }
}

/// Prints one test and appends its instructions; returns how many there are.
static unsigned print_test(unsigned index, unsigned offset, struct bpf_test* test, FILE* code) {
  const bool classic = test->aux & CLASSIC;
  const bool filled = test->fill_helper != NULL;
  const void* insns = &test->u;
  unsigned length = 0;
  if (filled) {
    if (test->fill_helper(test) < 0) {
      fprintf(stderr, "cannot generate %s\n", test->descr);
      exit(1);
    }
    insns = test->u.ptr.insns;
    length = test->u.ptr.len;
  } else {
    length = written_length(test, classic);
  }
  int data_bytes = 0;
  for (int i = 0; i < MAX_SUBTESTS; i++) data_bytes = max(data_bytes, test->test[i].data_size);

  printf("{\"index\":%u,\"name\":\"", index);
  print_text(test->descr);
  printf("\",\"kind\":\"%s\",\"flags\":%u,\"errcode\":%d,\"stack\":%d,\"offset\":%u,\"insns\":%u",
         classic ? "classic" : "ebpf", test->aux & 31u, test->expected_errcode, test->stack_depth,
         offset, length);
  fwrite(insns, 8, length, code);
  printf(",\"data\":\"");
  print_hex(test->data, (unsigned)min(data_bytes, MAX_DATA));
  printf("\",\"frag\":\"");
  if (test->aux & FLAG_SKB_FRAG) print_hex(test->frag_data, MAX_DATA);
  printf("\",\"runs\":[");
  print_runs(test);
  printf("]}\n");
  if (filled) free(test->u.ptr.insns);
  return length;
}

int main(int argc, char** argv) {
  FILE* code = argc == 2 ? fopen(argv[1], "wb") : NULL;
  if (!code) return 2;
  unsigned offset = 0;
  for (unsigned i = 0; i < ARRAY_SIZE(tests); i++) offset += print_test(i, offset, &tests[i], code);
  return fclose(code) == 0 ? 0 : 1;
}
