// SPDX-License-Identifier: Apache-2.0
// The running kernel's bpf(2), for tests and benchmarks that compare skep with it: maps and small
// programs by raw system calls. Results are 0 (or a descriptor) or a negative errno.
#pragma once

#include <linux/bpf.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "support/ints.h"

namespace skep::kernel {

inline u64 address(const void* p) {
  return static_cast<u64>(reinterpret_cast<std::uintptr_t>(p));
}

inline long bpf(bpf_cmd command, bpf_attr& attr) {
  const long result = syscall(SYS_bpf, command, &attr, sizeof attr);
  return result < 0 ? -errno : result;
}

/// Owns a descriptor; a negative one is an errno.
class Fd {
 public:
  Fd() = default;
  explicit Fd(long fd) : fd_(static_cast<int>(fd)) {}
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -EBADF)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int number() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_ = -EBADF;
};

inline Fd create_map(u32 type, u32 key_size, u32 value_size, u32 max_entries, u32 flags,
                     int inner_fd = -1, u32 numa_node = 0) {
  bpf_attr attr = {};
  attr.map_type = type;
  attr.key_size = key_size;
  attr.value_size = value_size;
  attr.max_entries = max_entries;
  attr.map_flags = flags;
  attr.numa_node = numa_node;
  if (inner_fd >= 0) attr.inner_map_fd = static_cast<u32>(inner_fd);
  return Fd(bpf(BPF_MAP_CREATE, attr));
}

inline int element(bpf_cmd command, const Fd& map, const void* key, const void* value, u64 flags) {
  bpf_attr attr = {};
  attr.map_fd = static_cast<u32>(map.number());
  attr.key = address(key);
  attr.value = address(value);  // next_key is the same field
  attr.flags = flags;
  return static_cast<int>(bpf(command, attr));
}

inline int batch(bpf_cmd command, const Fd& map, const void* start, void* end, void* keys,
                 void* values, u32& count, u64 elem_flags, u64 flags) {
  bpf_attr attr = {};
  attr.batch.in_batch = address(start);
  attr.batch.out_batch = address(end);
  attr.batch.keys = address(keys);
  attr.batch.values = address(values);
  attr.batch.count = count;
  attr.batch.map_fd = static_cast<u32>(map.number());
  attr.batch.elem_flags = elem_flags;
  attr.batch.flags = flags;
  const int result = static_cast<int>(bpf(command, attr));
  count = attr.batch.count;
  return result;
}

inline u32 map_id(const Fd& map) {
  bpf_map_info info = {};
  bpf_attr attr = {};
  attr.info.bpf_fd = static_cast<u32>(map.number());
  attr.info.info_len = sizeof info;
  attr.info.info = address(&info);
  return bpf(BPF_OBJ_GET_INFO_BY_FD, attr) == 0 ? info.id : 0;
}

inline u32 prog_id(const Fd& prog) {
  bpf_prog_info info = {};
  bpf_attr attr = {};
  attr.info.bpf_fd = static_cast<u32>(prog.number());
  attr.info.info_len = sizeof info;
  attr.info.info = address(&info);
  return bpf(BPF_OBJ_GET_INFO_BY_FD, attr) == 0 ? info.id : 0;
}

inline bpf_insn insn(u8 code, u8 dst, u8 src, s16 off, s32 imm) {
  bpf_insn i = {};
  i.code = code;
  i.dst_reg = dst & 15;
  i.src_reg = src & 15;
  i.off = off;
  i.imm = imm;
  return i;
}

inline Fd load(bpf_prog_type type, const std::vector<bpf_insn>& insns) {
  static constexpr char kLicense[] = "GPL";
  bpf_attr attr = {};
  attr.prog_type = type;
  attr.insns = address(insns.data());
  attr.insn_cnt = static_cast<u32>(insns.size());
  attr.license = address(kLicense);
  return Fd(bpf(BPF_PROG_LOAD, attr));
}

struct TestRun {
  int error = 0;
  u32 result = 0;
  u32 duration_ns = 0;
};
inline TestRun test_run(const Fd& prog, const void* data, u32 size, u32 repeat) {
  bpf_attr attr = {};
  attr.test.prog_fd = static_cast<u32>(prog.number());
  attr.test.data_in = address(data);
  attr.test.data_size_in = size;
  attr.test.repeat = repeat;
  TestRun run;
  run.error = static_cast<int>(bpf(BPF_PROG_TEST_RUN, attr));
  run.result = attr.test.retval;
  run.duration_ns = attr.test.duration;
  return run;
}

/// CPUs that per-CPU maps have copies for.
inline u32 possible_cpus() {
  u32 first = 0;
  u32 last = 0;
  std::FILE* file = std::fopen("/sys/devices/system/cpu/possible", "r");
  if (file == nullptr) return 1;
  if (std::fscanf(file, "%u-%u", &first, &last) < 2) last = first;
  std::fclose(file);
  return last + 1;
}

/// Whether the running kernel is at least that version.
inline bool is_at_least(int major, int minor) {
  utsname name = {};
  int have_major = 0;
  int have_minor = 0;
  if (uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &have_major, &have_minor) != 2)
    return false;
  return have_major > major || (have_major == major && have_minor >= minor);
}

/// Keeps the calling thread on one CPU.
inline bool pin_to(u32 cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/// Empty where bpf(2) may be used, else why not.
inline const char* why_not() {
  const Fd probe = create_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
  return probe.ok() ? nullptr : std::strerror(-probe.number());
}

}  // namespace skep::kernel
