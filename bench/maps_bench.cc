// SPDX-License-Identifier: Apache-2.0
// Map operations of skep beside the running kernel's, in one interleaved run: nanoseconds an
// operation, loop included, and the ratio. The kernel executes a BPF program (its JIT) with the
// same loop over the same keys by BPF_PROG_TEST_RUN; skep is called as compiled programs call it:
// the array's address computed in place, everything else through the map's function.
// Without bpf(2), the kernel's column stays empty.
//
//   maps_bench [ROUNDS]
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "runtime/maps/create.h"
#include "tests/kernel/kernel_bpf.h"

namespace skep::bench {
namespace {

using runtime::maps::Map;
using runtime::maps::MapType;

constexpr u32 kEntries = 1024;
constexpr u32 kLoop = 256;   // iterations of one program run
constexpr u32 kRepeat = 20;  // runs of one sample: short enough to be rarely interrupted
constexpr u32 kOps = kLoop * kRepeat;

enum class What { Count, Find, Miss, Update, NewKeys, InsertDelete };

struct Row {
  const char* name;
  MapType type;
  What what;
};

constexpr Row kRows[] = {
    {"array: look-up, increment", MapType::Array, What::Count},
    {"array: update", MapType::Array, What::Update},
    {"percpu_array: look-up, increment", MapType::PercpuArray, What::Count},
    {"hash: hit", MapType::Hash, What::Find},
    {"hash: miss", MapType::Hash, What::Miss},
    {"hash: hit, increment", MapType::Hash, What::Count},
    {"hash: update", MapType::Hash, What::Update},
    {"hash: insert and delete", MapType::Hash, What::InsertDelete},
    {"percpu_hash: hit, increment", MapType::PercpuHash, What::Count},
    {"percpu_hash: update", MapType::PercpuHash, What::Update},
    {"lru_hash: hit", MapType::LruHash, What::Find},
    {"lru_hash: update", MapType::LruHash, What::Update},
    {"lru_hash: new keys", MapType::LruHash, What::NewKeys},
};

/// The key of iteration i, as the BPF program computes it.
u32 key_of(What what, u32 i, u32 start) {
  if (what == What::NewKeys) return start + i;
  const u32 key = (i * 37) & (kEntries - 1);
  return what == What::Miss || what == What::InsertDelete ? key + 100'000 : key;
}

// ---- the kernel
// --------------------------------------------------------------------------------------

constexpr u8 kMov64K = 0xb7, kMov64X = 0xbf, kMul32K = 0x24, kAnd32K = 0x54, kAdd32K = 0x04;
constexpr u8 kAdd32X = 0x0c, kAdd64K = 0x07, kCall = 0x85, kExit = 0x95, kJeqK = 0x15, kJltK = 0xa5;
constexpr u8 kStoreW = 0x63, kStoreDw = 0x7b, kLoadDw = 0x79, kLddw = 0x18;

void map_address(std::vector<bpf_insn>& out, u8 dst, int fd) {
  out.push_back(kernel::insn(kLddw, dst, BPF_PSEUDO_MAP_FD, 0, fd));
  out.push_back(kernel::insn(0, 0, 0, 0, 0));
}

/// helper(map, key at fp - 4 [, value at fp - 16, 0]).
void call_helper(std::vector<bpf_insn>& out, int fd, s32 helper) {
  map_address(out, 1, fd);
  out.push_back(kernel::insn(kMov64X, 2, 10, 0, 0));
  out.push_back(kernel::insn(kAdd64K, 2, 0, 0, -4));
  if (helper == BPF_FUNC_map_update_elem) {
    out.push_back(kernel::insn(kMov64X, 3, 10, 0, 0));
    out.push_back(kernel::insn(kAdd64K, 3, 0, 0, -16));
    out.push_back(kernel::insn(kMov64K, 4, 0, 0, 0));
  }
  out.push_back(kernel::insn(kCall, 0, 0, 0, helper));
}

/// r6 counts, r7 is where new keys start.
std::vector<bpf_insn> loop_program(What what, int fd) {
  std::vector<bpf_insn> out;
  out.push_back(kernel::insn(kCall, 0, 0, 0, BPF_FUNC_get_prandom_u32));
  out.push_back(kernel::insn(kMov64X, 7, 0, 0, 0));
  out.push_back(kernel::insn(kMov64K, 6, 0, 0, 0));
  out.push_back(kernel::insn(kStoreDw, 10, 6, -16, 0));
  const std::size_t top = out.size();
  out.push_back(kernel::insn(kMov64X, 1, 6, 0, 0));
  if (what == What::NewKeys) {
    out.push_back(kernel::insn(kAdd32X, 1, 7, 0, 0));
  } else {
    out.push_back(kernel::insn(kMul32K, 1, 0, 0, 37));
    out.push_back(kernel::insn(kAnd32K, 1, 0, 0, kEntries - 1));
    if (what == What::Miss || what == What::InsertDelete)
      out.push_back(kernel::insn(kAdd32K, 1, 0, 0, 100'000));
  }
  out.push_back(kernel::insn(kStoreW, 10, 1, -4, 0));
  switch (what) {
    case What::Find:
    case What::Miss: call_helper(out, fd, BPF_FUNC_map_lookup_elem); break;
    case What::Count:
      call_helper(out, fd, BPF_FUNC_map_lookup_elem);
      out.push_back(kernel::insn(kJeqK, 0, 0, 3, 0));
      out.push_back(kernel::insn(kLoadDw, 1, 0, 0, 0));
      out.push_back(kernel::insn(kAdd64K, 1, 0, 0, 1));
      out.push_back(kernel::insn(kStoreDw, 0, 1, 0, 0));
      break;
    case What::Update:
    case What::NewKeys: call_helper(out, fd, BPF_FUNC_map_update_elem); break;
    case What::InsertDelete:
      call_helper(out, fd, BPF_FUNC_map_update_elem);
      call_helper(out, fd, BPF_FUNC_map_delete_elem);
      break;
  }
  out.push_back(kernel::insn(kAdd64K, 6, 0, 0, 1));
  const auto back = static_cast<s16>(static_cast<s32>(top) - static_cast<s32>(out.size()) - 1);
  out.push_back(kernel::insn(kJltK, 6, 0, back, kLoop));
  out.push_back(kernel::insn(kMov64K, 0, 0, 0, 0));
  out.push_back(kernel::insn(kExit, 0, 0, 0, 0));
  return out;
}

struct Kernel {
  kernel::Fd map, program;

  explicit Kernel(const Row& row)
      : map(kernel::create_map(static_cast<u32>(row.type), 4, 8, kEntries, 0)) {
    if (!map.ok()) return;
    std::vector<u64> value(kernel::possible_cpus());
    for (u32 key = 0; key < kEntries && row.what != What::InsertDelete; key++)
      kernel::element(BPF_MAP_UPDATE_ELEM, map, &key, value.data(), 0);
    program = kernel::load(BPF_PROG_TYPE_SCHED_CLS, loop_program(row.what, map.number()));
  }
  /// ns an operation, or 0.
  double sample() const {
    if (!program.ok()) return 0;
    const u8 packet[64] = {};
    const kernel::TestRun run = kernel::test_run(program, packet, sizeof packet, kRepeat);
    return run.error != 0 ? 0 : static_cast<double>(run.duration_ns) / kLoop;
  }
};

// ---- skep
// ----------------------------------------------------------------------------------------------

struct Ours {
  std::shared_ptr<Map> map;
  What what;
  u32 start = 1 << 20;

  explicit Ours(const Row& row) : what(row.what) {
    auto made = runtime::maps::create(
        {.type = row.type, .key_size = 4, .value_size = 8, .max_entries = kEntries}, {.cpus = 2});
    if (!made) std::exit(1);
    map = *made;
    const u64 value = 0;
    for (u32 key = 0; key < kEntries && what != What::InsertDelete; key++)
      map->update(&key, &value, runtime::maps::kAny, 0);
  }

  [[gnu::noinline]] void count_directly(const runtime::maps::DirectArray& array) const {
    for (u32 i = 0; i < kLoop; i++) {
      const u32 key = key_of(What::Count, i, 0);
      keep(key);
      if (key >= array.max_entries) continue;
      u64* const value = reinterpret_cast<u64*>(array.values + u64{key} * array.stride);
      __atomic_store_n(value, __atomic_load_n(value, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    }
  }
  [[gnu::noinline]] void look_up() const {
    const Map::LookupFn find = map->lookup_fn();
    for (u32 i = 0; i < kLoop; i++) {
      const u32 key = key_of(what, i, 0);
      u64* const value = static_cast<u64*>(find(*map, &key, 0));
      keep(value);
      if (what == What::Count && value != nullptr)
        __atomic_store_n(value, __atomic_load_n(value, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    }
  }
  [[gnu::noinline]] void update() {
    const u64 value = 0;
    for (u32 i = 0; i < kLoop; i++) {
      const u32 key = key_of(what, i, start);
      map->update(&key, &value, runtime::maps::kAny, 0);
      if (what == What::InsertDelete) map->remove(&key);
    }
    start += kLoop;
  }
  double sample() {
    const auto array = map->direct();
    const auto run = [&] {
      for (u32 i = 0; i < kRepeat; i++) {
        if (what == What::Count && array) {
          count_directly(*array);
        } else if (what == What::Count || what == What::Find || what == What::Miss) {
          look_up();
        } else {
          update();
        }
      }
    };
    return median_ns({run}, 1)[0] / kOps;
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(int rounds) {
  kernel::pin_to(0);
  std::printf("%-34s %8s %8s %7s\n", "ns an operation", "skep", "kernel", "ratio");
  std::vector<double> ratios;
  for (const Row& row : kRows) {
    Ours ours(row);
    const Kernel theirs(row);
    std::vector<double> mine;
    std::vector<double> others;
    for (int i = 0; i < rounds; i++) {
      mine.push_back(ours.sample());
      others.push_back(theirs.sample());
    }
    const double a = median(mine);
    const double b = median(others);
    if (b > 0) {
      ratios.push_back(a / b);
      std::printf("%-34s %8.2f %8.2f %7.2f\n", row.name, a, b, a / b);
    } else {
      std::printf("%-34s %8.2f %8s %7s\n", row.name, a, "-", "-");
    }
  }
  if (!ratios.empty()) std::printf("%-34s %25.2f\n", "geometric mean", geometric_mean(ratios));
  return 0;
}

}  // namespace
}  // namespace skep::bench

int main(int argc, char** argv) {
  return skep::bench::run(argc > 1 ? std::atoi(argv[1]) : 301);
}
