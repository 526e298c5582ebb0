// SPDX-License-Identifier: Apache-2.0
// The same random operations on skep's maps and on the running kernel's: equal results, errnos,
// values and contents. The order of a hash map's elements is not compared, which of them an LRU map
// removes is. Skipped where bpf(2) is not allowed.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "kernel_bpf.h"
#include "runtime/maps/create.h"
#include "runtime/maps/shared_memory.h"

namespace skep::runtime::maps {
namespace {

using Bytes_ = std::vector<u8>;
using Contents = std::map<Bytes_, Bytes_>;

struct Case {
  const char* name;
  MapType type;
  u32 key_size, value_size, max_entries, flags;
  u32 keys;  ///< keys are numbers below
  u32 steps = 20'000;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// r0 = 1 if the map has the key in the packet's first 4 bytes.
std::vector<bpf_insn> look_up_program(int fd) {
  using kernel::insn;
  return {
      insn(0x61, 2, 1, 76, 0),                            // r2 = ctx->data
      insn(0x61, 3, 1, 80, 0),                            // r3 = ctx->data_end
      insn(0xbf, 4, 2, 0, 0),                             // r4 = r2 + 4
      insn(0x07, 4, 0, 0, 4),   insn(0xb7, 0, 0, 0, 0),   // r0 = 0
      insn(0x2d, 4, 3, 9, 0),                             // if r4 > r3 exit
      insn(0x61, 4, 2, 0, 0),                             // *(u32*)(fp - 4) = *(u32*)r2
      insn(0x63, 10, 4, -4, 0), insn(0xbf, 2, 10, 0, 0),  // r2 = fp - 4
      insn(0x07, 2, 0, 0, -4),  insn(0x18, 1, BPF_PSEUDO_MAP_FD, 0, fd),  // r1 = map
      insn(0, 0, 0, 0, 0),      insn(0x85, 0, 0, 0, BPF_FUNC_map_lookup_elem),
      insn(0x15, 0, 0, 1, 0),  // r0 = r0 != 0
      insn(0xb7, 0, 0, 0, 1),   insn(0x95, 0, 0, 0, 0),
  };
}

class MapsOracle : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (const char* reason = kernel::why_not())
      GTEST_SKIP() << "bpf(2) is not allowed here: " << reason;
    ASSERT_TRUE(kernel::pin_to(0));
    const Case& c = GetParam();
    options_.cpus = kernel::possible_cpus();
    if (kernel::is_at_least(6, 17))
      options_.lru_free_target = lru_free_target_617(c.max_entries, options_.cpus);
    const MapDef def = {.type = c.type,
                        .key_size = c.key_size,
                        .value_size = c.value_size,
                        .max_entries = c.max_entries,
                        .flags = c.flags};
    Result<std::shared_ptr<Map>> made = create(def, options_);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    ours_ = *made;
    theirs_ = kernel::create_map(static_cast<u32>(c.type), c.key_size, c.value_size, c.max_entries,
                                 c.flags);
    ASSERT_TRUE(theirs_.ok()) << std::strerror(-theirs_.number());
    value_size_ = ours_->user_value_size();
    if (c.key_size == 4) {
      program_ = kernel::load(BPF_PROG_TYPE_SCHED_CLS, look_up_program(theirs_.number()));
      ASSERT_TRUE(program_.ok()) << std::strerror(-program_.number());
    }
  }

  u32 pick(u32 below) { return std::uniform_int_distribution<u32>(0, below - 1)(random_); }

  Bytes_ key() {
    Bytes_ key(GetParam().key_size);
    const u32 number = pick(GetParam().keys);
    std::memcpy(key.data(), &number, std::min<std::size_t>(4, key.size()));
    if (key.size() > 8) key.back() = static_cast<u8>(number * 7);
    return key;
  }
  Bytes_ value() {
    Bytes_ value(value_size_);
    for (u8& byte : value) byte = static_cast<u8>(random_());
    return value;
  }
  u64 flags() {
    static constexpr u64 kSome[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 8, ~u64{0}};
    return kSome[pick(std::size(kSome))];
  }

  void step();
  void update();
  void look_up(bpf_cmd command);
  void next_key();
  void program_look_up();
  void compare_contents();
  void batches();
  Contents our_contents();
  Contents their_contents();

  MapOptions options_;
  std::shared_ptr<Map> ours_;
  kernel::Fd theirs_;
  kernel::Fd program_;  // looks up the packet's first 4 bytes: the use that an LRU map counts
  u32 value_size_ = 0;
  std::mt19937 random_{42};
};

void MapsOracle::update() {
  const Bytes_ k = key();
  const Bytes_ v = value();
  const u64 f = flags();
  ASSERT_EQ(ours_->user_update(k.data(), v.data(), f),
            kernel::element(BPF_MAP_UPDATE_ELEM, theirs_, k.data(), v.data(), f))
      << "update, flags " << f;
}

void MapsOracle::look_up(bpf_cmd command) {
  const Bytes_ k = key();
  const u64 f = pick(8) == 0 ? flags() : 0;
  Bytes_ mine(value_size_);
  Bytes_ other(value_size_);
  const int result = command == BPF_MAP_LOOKUP_ELEM ? ours_->user_lookup(k.data(), mine.data(), f)
                                                    : ours_->user_take(k.data(), mine.data(), f);
  ASSERT_EQ(result, kernel::element(command, theirs_, k.data(), other.data(), f))
      << "command " << command << ", flags " << f;
  if (result == 0) {
    ASSERT_EQ(mine, other);
  }
}

void MapsOracle::next_key() {
  const bool is_array =
      GetParam().type == MapType::Array || GetParam().type == MapType::PercpuArray;
  const Bytes_ k = key();
  const void* from = pick(4) == 0 ? nullptr : k.data();
  Bytes_ mine(GetParam().key_size);
  Bytes_ other(GetParam().key_size);
  const int result = ours_->next_key(from, mine.data());
  const int kernels = kernel::element(BPF_MAP_GET_NEXT_KEY, theirs_, from, other.data(), 0);
  // In a hash map what comes after a key depends on the hash.
  if (!is_array && from != nullptr) return;
  ASSERT_EQ(result, kernels);
  if (is_array && result == 0) {
    ASSERT_EQ(mine, other);
  }
}

// The kernel's program and ours agree whether the key is there, and both maps note the use.
void MapsOracle::program_look_up() {
  const Bytes_ k = key();
  if (!program_.ok()) return;
  u8 packet[64] = {};
  std::memcpy(packet, k.data(), 4);
  const kernel::TestRun run = kernel::test_run(program_, packet, sizeof packet, 1);
  ASSERT_EQ(run.error, 0);
  ASSERT_EQ(ours_->lookup(k.data(), 0) != nullptr, run.result == 1);
}

Contents MapsOracle::our_contents() {
  Contents all;
  Bytes_ k(GetParam().key_size);
  Bytes_ v(value_size_);
  for (int error = ours_->next_key(nullptr, k.data()); error == 0;
       error = ours_->next_key(k.data(), k.data())) {
    EXPECT_EQ(ours_->user_lookup(k.data(), v.data()), 0);
    all[k] = v;
  }
  return all;
}

Contents MapsOracle::their_contents() {
  Contents all;
  Bytes_ k(GetParam().key_size);
  Bytes_ v(value_size_);
  for (int error = kernel::element(BPF_MAP_GET_NEXT_KEY, theirs_, nullptr, k.data(), 0); error == 0;
       error = kernel::element(BPF_MAP_GET_NEXT_KEY, theirs_, k.data(), k.data(), 0)) {
    EXPECT_EQ(kernel::element(BPF_MAP_LOOKUP_ELEM, theirs_, k.data(), v.data(), 0), 0);
    all[k] = v;
  }
  return all;
}

void MapsOracle::compare_contents() {
  ASSERT_EQ(our_contents(), their_contents());
}

// Batches over the whole map, as sets; then batches with lists of keys.
void MapsOracle::batches() {
  const u32 room = GetParam().max_entries + 8;
  const u32 key_size = GetParam().key_size;
  struct Side {
    Bytes_ keys, values, position;
    u32 count;
    int error;
    Contents contents(u32 key_bytes, u32 value_bytes) const {
      Contents all;
      for (u32 i = 0; i < count; i++) {
        all[Bytes_(keys.begin() + i * key_bytes, keys.begin() + (i + 1) * key_bytes)] =
            Bytes_(values.begin() + i * value_bytes, values.begin() + (i + 1) * value_bytes);
      }
      return all;
    }
  };
  const auto side = [&] {
    return Side{Bytes_(room * key_size), Bytes_(room * value_size_), Bytes_(key_size + 4), room, 0};
  };
  const bool take = pick(3) == 0;
  const u64 elem_flags = pick(6) == 0 ? flags() : 0;
  Side mine = side();
  Side other = side();
  Batch batch = {.start = nullptr,
                 .end = mine.position.data(),
                 .keys = mine.keys.data(),
                 .values = mine.values.data(),
                 .count = room,
                 .elem_flags = elem_flags,
                 .flags = 0};
  mine.error = take ? ours_->take_batch(batch) : ours_->lookup_batch(batch);
  mine.count = batch.count;
  other.error = kernel::batch(take ? BPF_MAP_LOOKUP_AND_DELETE_BATCH : BPF_MAP_LOOKUP_BATCH,
                              theirs_, nullptr, other.position.data(), other.keys.data(),
                              other.values.data(), other.count, elem_flags, 0);
  ASSERT_EQ(mine.error, other.error) << "take " << take;
  ASSERT_EQ(mine.count, other.count);
  if (mine.error == -ENOENT) {
    ASSERT_EQ(mine.contents(key_size, value_size_), other.contents(key_size, value_size_));
  }

  const bool remove = pick(2) == 0;
  const u32 wanted = pick(6);
  Bytes_ keys;
  Bytes_ values;
  for (u32 i = 0; i < wanted; i++) {
    const Bytes_ k = key();
    const Bytes_ v = value();
    keys.insert(keys.end(), k.begin(), k.end());
    values.insert(values.end(), v.begin(), v.end());
  }
  u32 count = wanted;
  batch = {.start = nullptr,
           .end = nullptr,
           .keys = keys.data(),
           .values = values.data(),
           .count = wanted,
           .elem_flags = elem_flags,
           .flags = 0};
  const int error = remove ? ours_->remove_batch(batch) : ours_->update_batch(batch);
  ASSERT_EQ(error,
            kernel::batch(remove ? BPF_MAP_DELETE_BATCH : BPF_MAP_UPDATE_BATCH, theirs_, nullptr,
                          nullptr, keys.data(), values.data(), count, elem_flags, 0))
      << "remove " << remove;
  ASSERT_EQ(batch.count, count);
}

void MapsOracle::step() {
  switch (pick(16)) {
    case 0: {
      const Bytes_ k = key();
      ASSERT_EQ(ours_->remove(k.data()),
                kernel::element(BPF_MAP_DELETE_ELEM, theirs_, k.data(), nullptr, 0));
      break;
    }
    case 1: look_up(BPF_MAP_LOOKUP_AND_DELETE_ELEM); break;
    case 2: next_key(); break;
    case 3:
    case 4: program_look_up(); break;
    case 5:
    case 6: look_up(BPF_MAP_LOOKUP_ELEM); break;
    default: update();
  }
}

TEST_P(MapsOracle, RandomOperationsGiveTheSameAnswers) {
  for (u32 i = 0; i < GetParam().steps; i++) {
    step();
    if (i % 500 == 499) compare_contents();
    if (i % 700 == 699) batches();
    if (HasFatalFailure()) FAIL() << "step " << i;
  }
  compare_contents();
}

// clang-format off
const Case kCases[] = {
    {"array",              MapType::Array,       4,  13,  20, 0,                0, 0},
    {"array_mmapable",     MapType::Array,       4,   8,  20, kMmapableFlag,    0, 0},
    {"percpu_array",       MapType::PercpuArray, 4,  12,  20, 0,                0, 0},
    {"hash_4",             MapType::Hash,        4,   8,  64, 0,                0, 0},
    {"hash_3",             MapType::Hash,        3,   5,  30, 0,                0, 0},
    {"hash_17",            MapType::Hash,       17, 100,  64, 0,                0, 0},
    {"hash_one",           MapType::Hash,        8,   8,   1, 0,                0, 0},
    {"hash_no_prealloc",   MapType::Hash,        8,  16,  50, kNoPreallocFlag,  0, 0},
    {"percpu_hash",        MapType::PercpuHash,  4,  12,  40, 0,                0, 0},
    {"percpu_hash_no_prealloc", MapType::PercpuHash, 12, 8, 40, kNoPreallocFlag, 0, 0},
    {"lru_hash",           MapType::LruHash,     4,   8, 100, 0,                0, 0},
    {"lru_hash_one",       MapType::LruHash,     4,   8,   1, 0,                0, 0},
    {"lru_hash_large",     MapType::LruHash,     4,   8, 1000, 0,               0, 0},
    {"lru_hash_per_cpu",   MapType::LruHash,     8,   8, 101, kNoCommonLruFlag, 0, 0},
};
// clang-format on

std::vector<Case> cases() {
  std::vector<Case> all(std::begin(kCases), std::end(kCases));
  // A few keys more than fit, so that every kind of "full" is met.
  for (Case& c : all) {
    c.keys = c.max_entries + c.max_entries / 2 + 3;
    c.steps = 20'000;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, MapsOracle, testing::ValuesIn(cases()),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace skep::runtime::maps
