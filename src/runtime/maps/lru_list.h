// SPDX-License-Identifier: Apache-2.0
// Which element of a full LRU map makes room: the kernel's rules, so that the same operations on
// the same CPUs remove the same elements.
//
//   common:   free --(up to free_target at once)--> CPU's free --> CPU's pending --(when the CPU's
//   free list
//             is empty)--> inactive or, if used, active
//   per CPU   (BPF_F_NO_COMMON_LRU): each CPU has its own share of the elements: free -> inactive
//
// An element has a reference bit, set by a program's look-up. When room is needed, the active list
// is rotated from its tail if it is the longer one (used: back to its head; not: to inactive), the
// inactive list from where it was left last (used: to active), and then up to free_target elements
// without the bit leave inactive's tail. If there is none, the tail of inactive (of active) goes in
// spite of its bit. A CPU without any free element takes from the other CPUs' lists, in turn.
//
// All lists are rings of 32-bit links inside of the storage: an element's index, or kAnchor | the
// place of a list's anchor in the area. Everything here runs under the map's lock.
// Source: kernel/bpf/bpf_lru_list.c. Tested by lru_hash_test.cc, tests/kernel/maps_oracle_test.cc
#pragma once

#include "runtime/maps/hash_table.h"
#include "support/ints.h"

namespace skep::runtime::maps {

class LruList {
 public:
  /// The sizes that a table needs for it: area_bytes and links_bytes.
  static u32 area_bytes(u32 cpus);
  static constexpr u32 kLinksBytes = 16;

  /// Over the table's elements, of which all are free. The area begins at area.
  LruList(HashTable& table, u8* area, u32 elements, u32 cpus, bool per_cpu, u32 free_target);

  /// An element for a new key, taken out of the table if it was in use; kNone when none can be had.
  u32 take(u32 cpu) noexcept;
  /// Gives back an element that is in no chain.
  void put_free(u32 node) noexcept;
  /// Notes a use, at any time, without the lock.
  void set_used(u32 node) const noexcept {
    u8* const used = &links(node).used;
    if (load_relaxed(used) == 0) store_relaxed(used, u8{1});
  }

 private:
  enum Type : u8 { Active, Inactive, Free, CpuFree, CpuPending };

  /// An element's part in the lists; also the form of anchors.
  struct Links {
    u32 next, prev;
    u16 cpu;
    u8 type;
    u8 used;
    u32 unused;
  };
  static_assert(sizeof(Links) == kLinksBytes);

  /// The lists that a map has once, or once for each CPU.
  struct Lists {
    Links anchors[3];      // Active, Inactive, Free
    u32 counts[2];         // Active, Inactive
    u32 rotation;          // where the next rotation of Inactive starts
    u32 fresh, fresh_end;  // elements that were never used: at the end of Free
    u32 unused[3];
  };
  /// The lists that each CPU has in front of the common ones.
  struct CpuLists {
    Links anchors[2];  // CpuFree, CpuPending
    u32 next_steal;
    u32 unused[3];
  };

  static constexpr u32 kAnchor = 1u << 31;

  Links& links(u32 node) const noexcept;
  u32 anchor_of(const Links& anchor) const noexcept;
  Lists& lists(u32 cpu) const noexcept { return lists_[per_cpu_ ? cpu : 0]; }
  u32 anchor(const Lists& lists, Type type) const noexcept {
    return anchor_of(lists.anchors[type]);
  }
  u32 anchor(const CpuLists& cpu, Type type) const noexcept {
    return anchor_of(cpu.anchors[type - CpuFree]);
  }
  void make_ring(Links& anchor) const noexcept;
  void detach(u32 node) noexcept;
  void attach_front(u32 anchor, u32 node) noexcept;
  void clear_used(u32 node) noexcept { store_relaxed(&links(node).used, u8{0}); }
  bool is_used(u32 node) const noexcept { return load_relaxed(&links(node).used) != 0; }

  void move(Lists& lists, u32 node, Type type) noexcept;
  void leave(Lists& lists, u32 node, u32 anchor, Type type) noexcept;
  u32 first_free(Lists& lists) noexcept;
  void rotate_active(Lists& lists) noexcept;
  void rotate_inactive(Lists& lists) noexcept;
  void rotate(Lists& lists) noexcept;
  void shrink(Lists& lists, u32 wanted, u32 anchor, Type type) noexcept;
  void flush_pending(CpuLists& cpu) noexcept;
  void refill(CpuLists& cpu) noexcept;
  u32 pop_cpu_free(CpuLists& cpu) noexcept;
  u32 pop_cpu_pending(CpuLists& cpu) noexcept;
  u32 take_common(u32 cpu) noexcept;
  u32 take_per_cpu(u32 cpu) noexcept;

  HashTable* table_;
  Lists* lists_;
  CpuLists* cpu_lists_;
  u32 cpus_;
  bool per_cpu_;
  u32 free_target_;
  u32 scans_;
};

}  // namespace skep::runtime::maps
