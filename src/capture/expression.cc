// SPDX-License-Identifier: Apache-2.0
// pcap_compile() behind values and errors of ours.
// Tested by expression_test.cc
#include "capture/expression.h"

#include <pthread.h>

#include <array>
#include <cstdio>

#include "capture/pcap_handle.h"
#include "capture/pcap_reader.h"
#include "capture/writer.h"

namespace skep::capture {

namespace {

constexpr u32 kLinktypeMask = 0x03ffffff;

struct CompiledProgram {
  bpf_program program = {};
  ~CompiledProgram() { pcap_freecode(&program); }
};

}  // namespace

PcapHandle savefile_handle(u32 linktype, u32 snaplen, std::string& reason) {
  std::array<u8, kPcapFileHeaderBytes> header = {};
  store_host<u32>(header.data(), kPcapMagicMicro);
  store_host<u16>(header.data() + 4, 2);
  store_host<u16>(header.data() + 6, 4);
  store_host<u32>(header.data() + 16, snaplen);
  store_host<u32>(header.data() + 20, linktype & kLinktypeMask);
  std::FILE* file = fmemopen(header.data(), header.size(), "rb");
  if (file == nullptr) {
    reason = "no memory";
    return nullptr;
  }
  char text[PCAP_ERRBUF_SIZE] = {};
  PcapHandle handle(pcap_fopen_offline(file, text));
  if (handle == nullptr) {
    reason = text;
    std::fclose(file);
  }
  return handle;
}

namespace {

Result<Program> compile_here(const std::string& text, const ExpressionOptions& options) {
  std::string reason;
  const PcapHandle handle = savefile_handle(options.linktype, options.snaplen, reason);
  if (handle == nullptr) return Error{Code::Unsupported, reason};
  CompiledProgram compiled;
  // tcpdump passes 0 as the netmask of a file, which `ip broadcast` compares with.
  if (pcap_compile(handle.get(), &compiled.program, text.c_str(), options.optimize ? 1 : 0, 0) !=
      0) {
    return Error{Code::Syntax, pcap_geterr(handle.get())};
  }
  Program program;
  program.reserve(compiled.program.bf_len);
  for (u32 pc = 0; pc < compiled.program.bf_len; ++pc) {
    const bpf_insn& insn = compiled.program.bf_insns[pc];
    program.push_back({.code = insn.code, .jt = insn.jt, .jf = insn.jf, .k = insn.k});
  }
  return program;
}

struct Job {
  const std::string& text;
  const ExpressionOptions& options;
  Result<Program> result;
};

// libpcap walks over its graph recursively, as deep as an expression has terms: thousands of terms
// overflow the stack of an ordinary thread. What libpcap allocates has a limit of its own, 64 MiB,
// which this stack is large enough for; only what is used of it takes memory.
Result<Program> compile_with_large_stack(const std::string& text,
                                         const ExpressionOptions& options) {
  constexpr std::size_t kStackBytes = std::size_t{sizeof(void*) >= 8 ? 512 : 128} << 20;
  Job job = {text, options, Program()};
  const auto work = [](void* user) -> void* {
    Job& to = *static_cast<Job*>(user);
    to.result = compile_here(to.text, to.options);
    return nullptr;
  };
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return Error{Code::OutOfMemory, "no memory"};
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                       pthread_create(&thread, &attributes, work, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) {
    return Error{Code::OutOfMemory, "no memory for the stack that a long expression needs"};
  }
  pthread_join(thread, nullptr);
  return std::move(job.result);
}

}  // namespace

Result<Program> compile_expression(const std::string& text, const ExpressionOptions& options) {
  // Any ordinary stack will do for a term a byte.
  constexpr std::size_t kShort = 1024;
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos) {
    return Error{Code::Syntax, "a NUL byte at offset " + std::to_string(nul)};
  }
  return text.size() <= kShort ? compile_here(text, options)
                               : compile_with_large_stack(text, options);
}

Result<u32> linktype_by_name(const std::string& name) {
  const int wanted = pcap_datalink_name_to_val(name.c_str());
  if (wanted < 0) return Error{Code::NotFound, "invalid data link type " + name};
  // libpcap maps LINKTYPE_ to its own numbers only by reading a file. Most are the same.
  std::string reason;
  const auto maps = [&](u32 linktype) {
    const PcapHandle handle = savefile_handle(linktype, kMaxSnaplen, reason);
    return handle != nullptr && pcap_datalink(handle.get()) == wanted;
  };
  if (maps(static_cast<u32>(wanted))) return canonical_linktype(static_cast<u32>(wanted));
  for (u32 linktype = 100; linktype < 110; ++linktype) {
    if (maps(linktype)) return linktype;
  }
  return Error{Code::NotFound, "data link type " + name + " has no number in capture files"};
}

std::string linktype_text(u32 linktype) {
  std::string reason;
  const PcapHandle handle = savefile_handle(linktype, kMaxSnaplen, reason);
  const int number = handle != nullptr ? pcap_datalink(handle.get()) : -1;
  const char* name = pcap_datalink_val_to_name(number);
  if (name == nullptr) return "link type " + std::to_string(linktype & kLinktypeMask);
  return std::string(name) + " (" + pcap_datalink_val_to_description_or_dlt(number) + ")";
}

}  // namespace skep::capture
