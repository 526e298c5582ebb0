// SPDX-License-Identifier: Apache-2.0
// Prints the table of Linux's test_verifier, a test a line, as JSON (verifier_table.cc reads it).
// Includes the kernel's own program whole, with its main() renamed; built by verifier.sh against
// the package's sources, never part of skep. tests.h is generated with a marker before each file's
// tests, so that the file a test comes from is known.
#define main kernel_main
#include "test_verifier.c"
#undef main

static FILE* out;

static void print_string(const char* text) {
  if (text == NULL) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (; *text != 0; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c < 32 || c > 126) {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static void print_hex(const void* data, size_t bytes) {
  const unsigned char* at = data;
  fputc('"', out);
  while (bytes-- != 0) fprintf(out, "%02x", *at++);
  fputc('"', out);
}

static const char* separator;

static void print_fixup(const char* name, const int* pcs) {
  if (pcs[0] == 0) return;
  fprintf(out, "%s\"%s\":[", separator, name);
  separator = ",";
  for (int i = 0; i < MAX_FIXUPS && pcs[i] != 0; ++i)
    fprintf(out, "%s%d", i != 0 ? "," : "", pcs[i]);
  fputc(']', out);
}

#define FIXUP(kind) print_fixup(#kind, test->kind)

static void print_fixups(const struct bpf_test* test) {
  separator = "";
  fputs(",\"fixups\":{", out);
  FIXUP(fixup_map_hash_8b);
  FIXUP(fixup_map_hash_48b);
  FIXUP(fixup_map_hash_16b);
  FIXUP(fixup_map_array_48b);
  FIXUP(fixup_map_sockmap);
  FIXUP(fixup_map_sockhash);
  FIXUP(fixup_map_xskmap);
  FIXUP(fixup_map_stacktrace);
  FIXUP(fixup_prog1);
  FIXUP(fixup_prog2);
  FIXUP(fixup_map_in_map);
  FIXUP(fixup_cgroup_storage);
  FIXUP(fixup_percpu_cgroup_storage);
  FIXUP(fixup_map_spin_lock);
  FIXUP(fixup_map_array_ro);
  FIXUP(fixup_map_array_wo);
  FIXUP(fixup_map_array_small);
  FIXUP(fixup_sk_storage_map);
  FIXUP(fixup_map_event_output);
  FIXUP(fixup_map_reuseport_array);
  FIXUP(fixup_map_ringbuf);
  FIXUP(fixup_map_timer);
  FIXUP(fixup_map_kptr);
  fputs("},\"kfuncs\":[", out);
  for (int i = 0; i < MAX_FIXUPS && test->fixup_kfunc_btf_id[i].kfunc != NULL; ++i) {
    fprintf(out, "%s%d", i != 0 ? "," : "", test->fixup_kfunc_btf_id[i].insn_idx);
  }
  fputs("],\"func_info\":[", out);
  for (int i = 0; i < test->func_info_cnt; ++i) {
    fprintf(out, "%s[%u,%u]", i != 0 ? "," : "", test->func_info[i].insn_off,
            test->func_info[i].type_id);
  }
  fputc(']', out);
}

static void print_btf(const struct bpf_test* test) {
  fputs(",\"btf_types\":", out);
  if (test->btf_types[0] == 0) {
    fputs("null", out);
    return;
  }
  int words = 0;
  while (words < MAX_BTF_TYPES && test->btf_types[words] != BTF_END_RAW) ++words;
  print_hex(test->btf_types, 4 * (size_t)words);
  int bytes = MAX_BTF_STRINGS;
  while (bytes > 1 && test->btf_strings[bytes - 1] == 0) --bytes;
  fputs(",\"btf_strings\":", out);
  print_hex(test->btf_strings, (size_t)bytes + 1);
}

static void print_runs(const struct bpf_test* test) {
  fprintf(out, ",\"n_runs\":%d,\"runs\":[", test->runs);
  const int runs = test->runs == 0 ? 1 : test->runs;
  for (int i = 0; i < runs; ++i) {
    int bytes = TEST_DATA_LEN;
    while (bytes > 0 && test->retvals[i].data[bytes - 1] == 0) --bytes;
    fprintf(out, "%s{\"retval\":%u,\"any\":%s,\"data\":", i != 0 ? "," : "",
            test->retvals[i].retval, test->retvals[i].retval == POINTER_VALUE ? "true" : "false");
    print_hex(test->retvals[i].data, (size_t)bytes);
    fputc('}', out);
  }
  fputc(']', out);
}

static void print_test(int id, const char* file, struct bpf_test* test) {
  struct bpf_insn* insns = test->insns;
  int count;
  if (test->fill_helper != NULL) {
    test->fill_insns = calloc(MAX_TEST_INSNS, sizeof(struct bpf_insn));
    test->fill_helper(test);
    insns = test->fill_insns;
    count = test->prog_len;
  } else {
    count = probe_filter_length(insns);
  }
  fprintf(out, "{\"id\":%d,\"file\":", id);
  print_string(file);
  fputs(",\"name\":", out);
  print_string(test->descr);
  fprintf(out, ",\"prog_type\":%d,\"expected_attach_type\":%d,\"attach_kfunc\":",
          test->prog_type != 0 ? test->prog_type : BPF_PROG_TYPE_SOCKET_FILTER,
          test->expected_attach_type);
  print_string(test->kfunc);
  fprintf(out, ",\"flags\":%u,\"insn_processed\":%u,\"errstr\":", test->flags,
          test->insn_processed);
  print_string(test->errstr);
  fputs(",\"errstr_unpriv\":", out);
  print_string(test->errstr_unpriv);
  fputs(",\"insns\":", out);
  print_hex(insns, (size_t)count * 8);
  print_runs(test);
  print_fixups(test);
  print_btf(test);
  fputs("}\n", out);
  free(test->fill_insns);
  test->fill_insns = NULL;
}

int main(void) {
  // The kernel's code prints to standard output: that goes to standard error.
  out = fdopen(dup(1), "w");
  dup2(2, 1);
  bpf_semi_rand_init();
  const char* file = "";
  int id = 0;
  for (size_t i = 0; i < ARRAY_SIZE(tests); ++i) {
    struct bpf_test* test = &tests[i];
    if (test->descr != NULL && strncmp(test->descr, "@file:", 6) == 0) {
      file = test->descr + 6;
      continue;
    }
    print_test(id++, file, test);
  }
  return fclose(out) == 0 ? 0 : 1;
}
