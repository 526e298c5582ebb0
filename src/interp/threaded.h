// SPDX-License-Identifier: Apache-2.0
// Direct-threaded code: the form in which the threaded interpreter runs a program. One record a
// slot of the program, so a record's index is its pc, each with the address of the code that does
// the operation, its handler. A handler ends with a jump to the next record's handler; there is no
// loop and no switch.
//
//   Insn[]:    mov r3, r1 | add r3, r2 | ldxb r0, [r3] | jeq r0, 0, +4 | ...
//   Record[]:  {MovAdd}     {Add64X}     {LdxB}          {Jeq64K}
//                 '------- next --------->'
//
// Runs of operations that real programs often have are fused (threaded_fused.def): the first record
// gets a handler that does all of them, reading the operands of the records behind it. Those keep
// their own handlers, for jumps that land there.
//
// Handlers are one of two compilations of threaded_handlers.inc: functions that call each other in
// tail position where the compiler guarantees it (threaded_calls.cc), else labels of one function
// (threaded_labels.cc). Not both: clang takes half a minute for the labels, and merges their jumps.
// Tested by interp_test.cc, threaded_test.cc
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "interp/frames.h"
#include "runtime/outcome.h"
#include "runtime/program.h"
#include "support/result.h"

#if defined(__clang__) && !defined(__arm__)
#if __has_cpp_attribute(clang::musttail)
#define SKEP_THREADED_CALLS 1
#endif
#endif

namespace skep::interp::threaded {

/// One operation, ready to run.
struct Record {
  std::uintptr_t handler;  ///< label or function
  s64 imm;                 ///< as in Insn; Call: index of the helper
  s32 jump;                ///< bytes from this record to the one a taken jump goes to
  s16 off;                 ///< bytes, of memory operations
  u8 dst;
  u8 src;
};

/// What handlers know of a run besides registers and the next record.
struct State {
  const Record* code;
  const runtime::Helper* helpers;
  const runtime::RunInput* input;
  Frames<Record> frames;
  runtime::Outcome outcome;
};

/// One compilation of the handlers.
struct Variant {
  std::string_view name;
  const std::uintptr_t* (*handlers)();  ///< by Handler number (threaded_table.h)
  void (*execute)(u64* registers, const Record* first, State& state);
};

/// The compilation of the handlers that this build has.
const Variant& variant();

/// A program as records of one variant.
struct Records {
  std::unique_ptr<Record[]> first;
  const Variant* variant = nullptr;
};

/// Decodes program for variant; with fuse off every instruction keeps a handler of its own. Errors:
/// OutOfMemory.
Result<Records> prepare(const runtime::Program& program, const Variant& variant, bool fuse = true);

/// Runs code that was prepared from program.
runtime::Outcome run(const Records& code, const runtime::Program& program,
                     const runtime::RunInput& input) noexcept;

}  // namespace skep::interp::threaded
