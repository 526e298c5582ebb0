/* SPDX-License-Identifier: Apache-2.0
 *
 * skep for C. The same objects as the C++ headers beside this one, as opaque pointers.
 *
 * Functions that can fail return 0 or a negative errno (-EINVAL, ...) and, where `error` is not
 * NULL, fill it in. What a *_create, *_load, *_compile or *_attach function made is given back by
 * the *_free function of the same name; those accept NULL. Nothing is printed, nothing exits.
 *
 * Tested by src/api/c_test.c; examples/run_program.c
 */
#ifndef SKEP_SKEP_H
#define SKEP_SKEP_H

#include <stddef.h>
#include <stdint.h>

#include "skep/export.h"
#include "skep/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A place that an error does not have. */
#define SKEP_NO_PLACE UINT32_MAX

/** Why a call failed. */
typedef struct skep_error {
  int number;        /**< positive errno */
  uint32_t pc;       /**< instruction, or SKEP_NO_PLACE */
  uint32_t line;     /**< of text, from 1, or SKEP_NO_PLACE */
  uint32_t column;   /**< in bytes, from 1, or SKEP_NO_PLACE */
  char message[256]; /**< with its place in front, cut to fit, always terminated */
} skep_error;

/** CPU slots; see skep/thread.h. */
typedef struct skep_cpus skep_cpus;
/** Permission to run in one operating-system thread. */
typedef struct skep_thread skep_thread;
/** A loaded eBPF program. */
typedef struct skep_program skep_program;
/** A compiled packet filter. */
typedef struct skep_filter skep_filter;

/** Makes count slots (0: one for each CPU of the machine). -EINVAL, -ENOMEM. */
SKEP_API int skep_cpus_create(unsigned count, skep_cpus** out, skep_error* error);
/** Must come after the skep_thread_free of every thread of the set. */
SKEP_API void skep_cpus_free(skep_cpus* cpus);
/** Takes a free slot; waits while there is none. -ENOMEM. */
SKEP_API int skep_thread_attach(skep_cpus* cpus, skep_thread** out, skep_error* error);
SKEP_API void skep_thread_free(skep_thread* thread);
/** The slot's number, from 0. */
SKEP_API unsigned skep_thread_cpu(const skep_thread* thread);

/** How a program is executed; see skep/program.h. */
typedef enum skep_engine { SKEP_CHECKED = 0, SKEP_SWITCH = 1, SKEP_THREADED = 2 } skep_engine;

/** A helper's function: arguments r1 to r5, result r0. */
typedef uint64_t (*skep_helper_function)(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4,
                                         uint64_t r5, void* user);

/** What SKEP_CHECKED demands of a helper's argument; see HelperArg in skep/program.h. */
typedef enum skep_helper_arg {
  SKEP_ARG_VALUE = 0,
  SKEP_ARG_MEMORY = 1,
  SKEP_ARG_WRITABLE_MEMORY = 2,
  SKEP_ARG_MEMORY_OR_NULL = 3,
  SKEP_ARG_BYTES = 4
} skep_helper_arg;

/** A helper under the number that call instructions use; zero what is not used. */
typedef struct skep_helper {
  uint32_t number;
  const char* name; /**< may be NULL */
  skep_helper_function function;
  void* user;
  uint8_t args[5]; /**< skep_helper_arg, r1 to r5 */
  uint32_t arg_bytes;
  uint32_t result_bytes;
} skep_helper;

/** What one run gets; zero what is not used. */
typedef struct skep_run_input {
  uint8_t* memory; /**< r1 = its address, r2 = its length; NULL: none, whatever the length */
  size_t memory_bytes;
  const uint8_t* packet; /**< for legacy packet loads */
  size_t packet_bytes;
  uint64_t budget; /**< SKEP_CHECKED: most instructions executed, 0 = 2^32 */
} skep_run_input;

/** What a run gave. */
typedef struct skep_outcome {
  uint64_t r0;
  uint32_t trap; /**< 0: none; else see skep_trap_text */
  uint32_t pc;   /**< the instruction that trapped */
} skep_outcome;

/** Loads bytecode (8 bytes an instruction, host byte order). -EINVAL, -E2BIG, -ENOENT (unknown
 * helper), -ENOTSUP, -ENOMEM. */
SKEP_API int skep_program_load(const uint8_t* bytecode, size_t bytes, skep_engine engine,
                               const skep_helper* helpers, size_t helper_count, skep_program** out,
                               skep_error* error);
/** The same from text in any notation; -EINVAL with line and column. */
SKEP_API int skep_program_assemble(const char* text, skep_engine engine, const skep_helper* helpers,
                                   size_t helper_count, skep_program** out, skep_error* error);
SKEP_API void skep_program_free(skep_program* program);
/** Runs the program once; allocates nothing, takes no lock. input may be NULL. */
SKEP_API skep_outcome skep_program_run(const skep_program* program, skep_thread* thread,
                                       const skep_run_input* input);
/** The sentence of a trap; "" for a number that is none. */
SKEP_API const char* skep_trap_text(uint32_t trap);

/** An instruction of classic BPF; the layout of Linux's struct sock_filter. */
typedef struct skep_classic_insn {
  uint16_t code;
  uint8_t jt;
  uint8_t jf;
  uint32_t k;
} skep_classic_insn;

/** Whose rules a classic program is checked and run by; see skep/filter.h. */
typedef enum skep_rules {
  SKEP_RULES_LINUX = 0,
  SKEP_RULES_LIBPCAP = 1,
  SKEP_RULES_SECCOMP = 2
} skep_rules;

/** Compiles a tcpdump expression for a LINKTYPE_ number (1: Ethernet). -EINVAL, -ENOTSUP (a build
 * without capture), -ENOMEM. */
SKEP_API int skep_filter_compile(const char* expression, uint32_t link_type, skep_filter** out,
                                 skep_error* error);
/** Checks a classic program by rules and readies it. -EINVAL, -E2BIG, -EACCES, -ENOMEM. */
SKEP_API int skep_filter_load(const skep_classic_insn* program, size_t count, skep_rules rules,
                              skep_filter** out, skep_error* error);
SKEP_API void skep_filter_free(skep_filter* filter);
/** What the program returns for a packet: 0 rejects it. wire_bytes 0 means packet_bytes. */
SKEP_API uint32_t skep_filter_match(const skep_filter* filter, const uint8_t* packet,
                                    size_t packet_bytes, uint32_t wire_bytes);

#ifdef __cplusplus
}
#endif

#endif /* SKEP_SKEP_H */
