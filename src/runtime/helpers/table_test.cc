// SPDX-License-Identifier: Apache-2.0
// The table against things that are not derived from it: numbers of <linux/bpf.h>, prototypes
// written out by hand, who may call what in Linux 6.1.
#include "runtime/helpers/table.h"

#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <set>

namespace skep::runtime::helpers {
namespace {

static_assert(u32{id::map_lookup_elem} == u32{BPF_FUNC_map_lookup_elem});
static_assert(u32{id::tail_call} == u32{BPF_FUNC_tail_call});
static_assert(u32{id::csum_diff} == u32{BPF_FUNC_csum_diff});
static_assert(u32{id::probe_read_kernel_str} == u32{BPF_FUNC_probe_read_kernel_str});
static_assert(u32{id::for_each_map_elem} == u32{BPF_FUNC_for_each_map_elem});
static_assert(u32{id::loop} == u32{BPF_FUNC_loop});
static_assert(u32{id::xdp_store_bytes} == u32{BPF_FUNC_xdp_store_bytes});
static_assert(u32{id::user_ringbuf_drain} == u32{BPF_FUNC_user_ringbuf_drain});

TEST(HelperTable, EveryNumberOfLinux61IsThereOnceForEachProgramType) {
  std::set<u32> numbers;
  std::set<std::pair<u32, u32>> seen;
  constexpr u32 kTypes = 32;
  for (const Row& row : rows()) {
    numbers.insert(row.proto.number);
    EXPECT_NE(row.programs, 0U) << row.proto.name;
    for (u32 type = 0; type < kTypes; ++type) {
      if ((row.programs >> type & 1) == 0) continue;
      EXPECT_TRUE(seen.emplace(row.proto.number, type).second) << row.proto.name << " " << type;
    }
  }
  EXPECT_EQ(numbers.size(), helper::kCount - 1);
  EXPECT_EQ(*numbers.begin(), 1U);
  EXPECT_EQ(*numbers.rbegin(), helper::kCount - 1);
}

TEST(HelperTable, NamesCarryTheirPrefixAndUnknownNumbersSaySo) {
  EXPECT_EQ(name(BPF_FUNC_map_lookup_elem), "bpf_map_lookup_elem");
  EXPECT_EQ(name(BPF_FUNC_ktime_get_tai_ns), "bpf_ktime_get_tai_ns");
  EXPECT_EQ(name(0), "unknown");
  EXPECT_EQ(name(helper::kCount), "unknown");
  EXPECT_EQ(name(~u32{0}), "unknown");
}

TEST(HelperTable, ProgramTypesDecideWhoMayCall) {
  struct Case {
    u32 number;
    u32 type;
    bool allowed;
  };
  const Case cases[] = {
      {BPF_FUNC_xdp_adjust_head, BPF_PROG_TYPE_XDP, true},
      {BPF_FUNC_xdp_adjust_head, BPF_PROG_TYPE_SCHED_CLS, false},
      {BPF_FUNC_skb_store_bytes, BPF_PROG_TYPE_SCHED_CLS, true},
      {BPF_FUNC_skb_store_bytes, BPF_PROG_TYPE_SOCKET_FILTER, false},
      {BPF_FUNC_skb_load_bytes, BPF_PROG_TYPE_SOCKET_FILTER, true},
      {BPF_FUNC_get_current_pid_tgid, BPF_PROG_TYPE_KPROBE, true},
      {BPF_FUNC_get_current_pid_tgid, BPF_PROG_TYPE_XDP, false},
      {BPF_FUNC_redirect_peer, BPF_PROG_TYPE_SCHED_ACT, true},
      {BPF_FUNC_redirect_peer, BPF_PROG_TYPE_XDP, false},
      {BPF_FUNC_rc_keydown, BPF_PROG_TYPE_LIRC_MODE2, true},
      {BPF_FUNC_strtol, BPF_PROG_TYPE_LIRC_MODE2, false},
      {BPF_FUNC_ktime_get_ns, BPF_PROG_TYPE_UNSPEC, false},
      {BPF_FUNC_ktime_get_ns, 32, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(find(c.number, c.type) != nullptr, c.allowed) << name(c.number) << " " << c.type;
  }
}

TEST(HelperTable, PrototypesAreThoseOfLinux) {
  const Proto& diff = find(BPF_FUNC_csum_diff, BPF_PROG_TYPE_XDP)->proto;
  EXPECT_EQ(diff.ret, RetKind::Integer);
  EXPECT_TRUE(diff.packet_access);
  EXPECT_EQ(diff.args[0].kind, ArgKind::Mem);
  EXPECT_TRUE(diff.args[0].has(kArgMaybeNull));
  EXPECT_EQ(diff.args[1].kind, ArgKind::ConstSizeOrZero);
  EXPECT_EQ(diff.args[4].kind, ArgKind::Anything);

  const Proto& number = find(BPF_FUNC_strtol, BPF_PROG_TYPE_XDP)->proto;
  EXPECT_EQ(number.args[3].size, 8U);
  EXPECT_TRUE(number.args[3].has(kArgUninit));
  EXPECT_EQ(number.args[4].kind, ArgKind::None);

  const Proto& lookup = find(BPF_FUNC_map_lookup_elem, BPF_PROG_TYPE_KPROBE)->proto;
  EXPECT_EQ(lookup.ret, RetKind::MapValue);
  EXPECT_TRUE(lookup.ret_may_be_null);
  EXPECT_TRUE(find(BPF_FUNC_skb_pull_data, BPF_PROG_TYPE_SCHED_CLS)->proto.changes_packet);
  EXPECT_FALSE(find(BPF_FUNC_skb_load_bytes, BPF_PROG_TYPE_SCHED_CLS)->proto.changes_packet);
  EXPECT_TRUE(find(BPF_FUNC_trace_printk, BPF_PROG_TYPE_XDP)->proto.gpl_only);
}

TEST(HelperTable, APrototypeMayDependOnTheProgramType) {
  const Row* const packet = find(BPF_FUNC_get_cgroup_classid, BPF_PROG_TYPE_SCHED_CLS);
  const Row* const task = find(BPF_FUNC_get_cgroup_classid, BPF_PROG_TYPE_CGROUP_DEVICE);
  EXPECT_EQ(packet->proto.args[0].kind, ArgKind::Ctx);
  EXPECT_EQ(task->proto.args[0].kind, ArgKind::None);
}

TEST(HelperTable, RightsAreThoseOfSocketFilters) {
  constexpr u32 kFilter = BPF_PROG_TYPE_SOCKET_FILTER;
  EXPECT_EQ(find(BPF_FUNC_ktime_get_ns, kFilter)->right, Right::Anybody);
  EXPECT_EQ(find(BPF_FUNC_spin_lock, kFilter)->right, Right::Bpf);
  EXPECT_EQ(find(BPF_FUNC_trace_printk, kFilter)->right, Right::Perfmon);
}

TEST(HelperTable, KernelObjectsAreNotJudged) {
  EXPECT_TRUE(judged(find(BPF_FUNC_loop, BPF_PROG_TYPE_XDP)->proto));
  EXPECT_FALSE(judged(find(BPF_FUNC_get_current_task_btf, BPF_PROG_TYPE_KPROBE)->proto));
  EXPECT_FALSE(judged(find(BPF_FUNC_d_path, BPF_PROG_TYPE_LSM)->proto));
}

}  // namespace
}  // namespace skep::runtime::helpers
