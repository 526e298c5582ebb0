// SPDX-License-Identifier: Apache-2.0
// Creating maps with every combination of some sizes and flags: skep refuses what the running
// kernel refuses, with the same errno. Then maps that hold objects: the same random operations on
// both. Skipped where bpf(2) is not allowed.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "kernel_bpf.h"
#include "runtime/maps/create.h"

namespace skep::runtime::maps {
namespace {

class CreateOracle : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* reason = kernel::why_not())
      GTEST_SKIP() << "bpf(2) is not allowed here: " << reason;
    options_.cpus = kernel::possible_cpus();
  }
  MapOptions options_;
};

constexpr MapType kPlain[] = {MapType::Array,      MapType::PercpuArray, MapType::Hash,
                              MapType::PercpuHash, MapType::LruHash,     MapType::ProgArray};
constexpr u32 kFlagBits[] = {0,
                             kNoPreallocFlag,
                             kNoCommonLruFlag,
                             kNumaFlag,
                             kReadOnlyFlag,
                             kWriteOnlyFlag,
                             kReadOnlyFlag | kWriteOnlyFlag,
                             1u << 5,
                             kZeroSeedFlag,
                             kReadOnlyProgFlag,
                             kReadOnlyProgFlag | kWriteOnlyProgFlag,
                             kMmapableFlag,
                             1u << 11,
                             kInnerMapFlag,
                             kNumaFlag | kNoCommonLruFlag,
                             kNoPreallocFlag | kReadOnlyFlag,
                             1u << 30};
constexpr u32 kKeySizes[] = {0, 1, 4, 8, 13};
constexpr u32 kValueSizes[] = {0, 1, 4, 9, 32 * 1024, 32 * 1024 + 1};

TEST_F(CreateOracle, SizesAndFlags) {
  options_.objects = ObjectTable::make().value();
  u32 refused = 0;
  for (const MapType type : kPlain) {
    for (const u32 flags : kFlagBits) {
      for (const u32 key_size : kKeySizes) {
        for (const u32 value_size : kValueSizes) {
          for (const u32 entries : {0u, 1u, 3u}) {
            const MapDef def = {.type = type,
                                .key_size = key_size,
                                .value_size = value_size,
                                .max_entries = entries,
                                .flags = flags};
            const Result<std::shared_ptr<Map>> ours = create(def, options_);
            const kernel::Fd theirs =
                kernel::create_map(static_cast<u32>(type), key_size, value_size, entries, flags);
            const int our_errno = ours ? 0 : to_errno(ours.error());
            ASSERT_EQ(our_errno, theirs.ok() ? 0 : -theirs.number())
                << to_string(type) << " flags " << flags << " key " << key_size << " value "
                << value_size << " entries " << entries;
            refused += our_errno != 0;
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 1000u);
}

// Sizes that both must refuse without allocating anything.
TEST_F(CreateOracle, AbsurdSizes) {
  struct Case {
    MapType type;
    u32 key_size, value_size, max_entries;
  };
  const Case cases[] = {
      {MapType::Array, 4, 1u << 31, 1},
      {MapType::Array, 4, 0x7fffffff, 0xffffffff},
      {MapType::Array, 4, 1 << 20, 1u << 31},
      {MapType::PercpuArray, 4, 1u << 31, 1},
      {MapType::Hash, 4, 4 << 20, 1},
      {MapType::Hash, 4, (4 << 20) - 52, 1},
      {MapType::Hash, 4, 8, 0xffffffff},
      {MapType::Hash, 4, 8, (1u << 27) + 1},
      {MapType::Hash, 0xfffffff0, 0xfffffff0, 1},
      {MapType::PercpuHash, 4, 8, 1u << 31},
      {MapType::LruHash, 4, 8, 0x80000001},
  };
  for (const Case& c : cases) {
    const Result<std::shared_ptr<Map>> ours = create({.type = c.type,
                                                      .key_size = c.key_size,
                                                      .value_size = c.value_size,
                                                      .max_entries = c.max_entries},
                                                     options_);
    const kernel::Fd theirs =
        kernel::create_map(static_cast<u32>(c.type), c.key_size, c.value_size, c.max_entries, 0);
    EXPECT_EQ(ours ? 0 : to_errno(ours.error()), theirs.ok() ? 0 : -theirs.number())
        << to_string(c.type) << " " << c.key_size << " " << c.value_size << " " << c.max_entries;
  }
}

/// A program of ours that may enter every program array.
class Program : public Object {
 public:
  int may_enter(const Map&) const noexcept override { return 0; }
};

/// Objects on both sides, by position: what goes into the maps under test.
struct Pool {
  std::vector<std::shared_ptr<Object>> ours;
  std::vector<kernel::Fd> fds;
  std::vector<u32> kernel_ids;
};

class ObjectOracle : public CreateOracle, public testing::WithParamInterface<MapType> {
 protected:
  static constexpr u32 kEntries = 6;

  void add(std::shared_ptr<Object> object, kernel::Fd fd, bool is_map) {
    ASSERT_TRUE(fd.ok());
    ASSERT_TRUE(options_.objects->add(object).has_value());
    pool_.kernel_ids.push_back(is_map ? kernel::map_id(fd) : kernel::prog_id(fd));
    pool_.ours.push_back(std::move(object));
    pool_.fds.push_back(std::move(fd));
  }
  void add_map(MapType type, u32 value_size, u32 entries, u32 flags = 0) {
    Result<std::shared_ptr<Map>> made = create({.type = type,
                                                .key_size = 4,
                                                .value_size = value_size,
                                                .max_entries = entries,
                                                .flags = flags},
                                               options_);
    ASSERT_TRUE(made.has_value());
    add(*made, kernel::create_map(static_cast<u32>(type), 4, value_size, entries, flags), true);
  }
  void SetUp() override {
    CreateOracle::SetUp();
    if (IsSkipped()) return;
    options_.objects = ObjectTable::make().value();
    if (GetParam() == MapType::ProgArray) {
      const std::vector<bpf_insn> insns = {kernel::insn(0xb7, 0, 0, 0, 0),
                                           kernel::insn(0x95, 0, 0, 0, 0)};
      for (int i = 0; i < 3; i++)
        add(std::make_shared<Program>(), kernel::load(BPF_PROG_TYPE_SOCKET_FILTER, insns), false);
    } else {
      add_map(MapType::Array, 8, 4);
      add_map(MapType::Array, 8, 4);
      add_map(MapType::Array, 8, 5);  // these three are refused
      add_map(MapType::Array, 16, 4);
      add_map(MapType::Hash, 8, 4);
    }
    const Map* inner =
        GetParam() == MapType::ProgArray ? nullptr : static_cast<Map*>(pool_.ours[0].get());
    Result<std::shared_ptr<Map>> made = create({.type = GetParam(),
                                                .key_size = 4,
                                                .value_size = 4,
                                                .max_entries = kEntries,
                                                .inner = inner},
                                               options_);
    ASSERT_TRUE(made.has_value());
    ours_ = *made;
    theirs_ = kernel::create_map(static_cast<u32>(GetParam()), 4, 4, kEntries, 0,
                                 inner == nullptr ? -1 : pool_.fds[0].number());
    ASSERT_TRUE(theirs_.ok());
  }
  u32 pick(u32 below) { return std::uniform_int_distribution<u32>(0, below - 1)(random_); }

  void update() {
    const u32 key = pick(kEntries + 2);
    const u32 which = pick(static_cast<u32>(pool_.fds.size()) + 1);
    const bool known = which < pool_.fds.size();
    const u32 id = known ? pool_.ours[which]->id() : 60'000;
    const int fd = known ? pool_.fds[which].number() : 60'000;
    static constexpr u64 kSome[] = {0, 0, 0, 0, 1, 2, 3, 4};
    const u64 flags = kSome[pick(std::size(kSome))];
    ASSERT_EQ(ours_->user_update(&key, &id, flags),
              kernel::element(BPF_MAP_UPDATE_ELEM, theirs_, &key, &fd, flags))
        << "key " << key << " object " << which << " flags " << flags;
  }
  void look_up(bpf_cmd command) {
    const u32 key = pick(kEntries + 2);
    u32 mine = 0;
    u32 other = 0;
    const int result = command == BPF_MAP_LOOKUP_ELEM ? ours_->user_lookup(&key, &mine)
                                                      : ours_->user_take(&key, &mine);
    ASSERT_EQ(result, kernel::element(command, theirs_, &key, &other, 0)) << command;
    if (result != 0) return;
    for (std::size_t i = 0; i < pool_.ours.size(); i++) {
      if (pool_.ours[i]->id() != mine) continue;
      ASSERT_EQ(pool_.kernel_ids[i], other);
    }
  }
  void batch() {
    u32 keys[kEntries + 4] = {};
    u32 ids[kEntries + 4] = {};
    u32 position[2] = {};
    Batch mine = {.start = nullptr,
                  .end = position,
                  .keys = keys,
                  .values = ids,
                  .count = kEntries + 4,
                  .elem_flags = 0,
                  .flags = 0};
    u32 count = kEntries + 4;
    const int result = ours_->lookup_batch(mine);
    const int kernels =
        kernel::batch(BPF_MAP_LOOKUP_BATCH, theirs_, nullptr, position, keys, ids, count, 0, 0);
    ASSERT_EQ(result, kernels);
    if (result == -kEnotsupp) return;
    ASSERT_EQ(mine.count, count);
  }

  Pool pool_;
  std::shared_ptr<Map> ours_;
  kernel::Fd theirs_;
  std::mt19937 random_{7};
};

TEST_P(ObjectOracle, RandomOperationsGiveTheSameAnswers) {
  for (u32 i = 0; i < 1000 && !HasFatalFailure(); i++) {
    const u32 key = pick(kEntries + 2);
    switch (pick(8)) {
      case 0:
        ASSERT_EQ(ours_->remove(&key),
                  kernel::element(BPF_MAP_DELETE_ELEM, theirs_, &key, nullptr, 0));
        break;
      case 1: look_up(BPF_MAP_LOOKUP_AND_DELETE_ELEM); break;
      case 2: batch(); break;
      case 3:
      case 4: look_up(BPF_MAP_LOOKUP_ELEM); break;
      default: update();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ObjectOracle,
                         testing::Values(MapType::ProgArray, MapType::ArrayOfMaps,
                                         MapType::HashOfMaps),
                         [](const auto& type) { return std::string(to_string(type.param)); });

}  // namespace
}  // namespace skep::runtime::maps
