// SPDX-License-Identifier: Apache-2.0
// Source: kernel/bpf/bpf_lru_list.c. Tested by lru_hash_test.cc, tests/kernel/maps_oracle_test.cc
#include "runtime/maps/lru_list.h"

namespace skep::runtime::maps {
namespace {

// Kernel: LOCAL_NR_SCANS and PERCPU_FREE_TARGET, PERCPU_NR_SCANS.
constexpr u32 kCommonScans = 128;
constexpr u32 kPerCpuTarget = 4;

}  // namespace

u32 LruList::area_bytes(u32 cpus) {
  return static_cast<u32>(cpus * (sizeof(Lists) + sizeof(CpuLists)));
}

LruList::LruList(HashTable& table, u8* area, u32 elements, u32 cpus, bool per_cpu, u32 free_target)
    : table_(&table),
      lists_(reinterpret_cast<Lists*>(area)),
      cpu_lists_(reinterpret_cast<CpuLists*>(area + cpus * sizeof(Lists))),
      cpus_(cpus),
      per_cpu_(per_cpu),
      free_target_(per_cpu ? kPerCpuTarget : free_target),
      scans_(per_cpu ? kPerCpuTarget : kCommonScans) {
  const u32 share = per_cpu ? elements / cpus : elements;
  for (u32 cpu = 0; cpu < cpus; cpu++) {
    Lists& own = lists_[cpu];
    for (Links& anchor : own.anchors) make_ring(anchor);
    own.rotation = anchor(own, Inactive);
    if (per_cpu || cpu == 0) {
      own.fresh = cpu * share;
      own.fresh_end = own.fresh + share;
    }
    for (Links& anchor : cpu_lists_[cpu].anchors) make_ring(anchor);
    cpu_lists_[cpu].next_steal = cpu;
  }
}

LruList::Links& LruList::links(u32 node) const noexcept {
  if ((node & kAnchor) != 0) return reinterpret_cast<Links*>(lists_)[node & ~kAnchor];
  return *reinterpret_cast<Links*>(table_->element(node) + HashTable::kLinksOffset);
}

u32 LruList::anchor_of(const Links& anchor) const noexcept {
  return kAnchor | static_cast<u32>(&anchor - reinterpret_cast<const Links*>(lists_));
}

void LruList::make_ring(Links& anchor) const noexcept {
  anchor.next = anchor.prev = anchor_of(anchor);
}

void LruList::detach(u32 node) noexcept {
  const Links& at = links(node);
  links(at.prev).next = at.next;
  links(at.next).prev = at.prev;
}

void LruList::attach_front(u32 anchor, u32 node) noexcept {
  Links& at = links(node);
  Links& head = links(anchor);
  at.next = head.next;
  at.prev = anchor;
  links(head.next).prev = node;
  head.next = node;
}

// Within and between Active, Inactive and Free: to the front, not used any more.
void LruList::move(Lists& lists, u32 node, Type type) noexcept {
  Links& at = links(node);
  if (at.type != type) {
    if (at.type < Free) lists.counts[at.type]--;
    if (type < Free) lists.counts[type]++;
    at.type = type;
  }
  clear_used(node);
  if (lists.rotation == node) lists.rotation = at.prev;
  detach(node);
  attach_front(anchor(lists, type), node);
}

// From Active, Inactive or Free to the free list that was asked for.
void LruList::leave(Lists& lists, u32 node, u32 anchor, Type type) noexcept {
  Links& at = links(node);
  if (lists.rotation == node) lists.rotation = at.prev;
  if (at.type < Free) lists.counts[at.type]--;
  at.type = type;
  detach(node);
  attach_front(anchor, node);
}

// The first free element, still in Free, or kNone.
u32 LruList::first_free(Lists& lists) noexcept {
  const u32 end = anchor(lists, Free);
  const u32 first = links(end).next;
  if (first != end) return first;
  if (lists.fresh == lists.fresh_end) return kNone;
  const u32 node = lists.fresh++;
  links(node) = {.next = 0,
                 .prev = 0,
                 .cpu = static_cast<u16>(&lists - lists_),
                 .type = Free,
                 .used = 0,
                 .unused = 0};
  attach_front(end, node);
  return node;
}

void LruList::rotate_active(Lists& lists) noexcept {
  const u32 end = anchor(lists, Active);
  const u32 first = links(end).next;
  u32 node = links(end).prev;
  for (u32 scanned = 0; node != end && scanned < scans_; scanned++) {
    const u32 before = links(node).prev;
    const bool was_first = node == first;
    move(lists, node, is_used(node) ? Active : Inactive);
    if (was_first) return;
    node = before;
  }
}

void LruList::rotate_inactive(Lists& lists) noexcept {
  const u32 end = anchor(lists, Inactive);
  if (links(end).next == end) return;
  // Once around at most: until the element behind the starting point, the anchor left out.
  u32 last = links(lists.rotation).next;
  if (last == end) last = links(last).next;
  u32 node = lists.rotation;
  u32 next = end;
  for (u32 scanned = 0; scanned < scans_;) {
    if (node == end) {
      node = links(node).prev;
      continue;
    }
    next = links(node).prev;
    if (is_used(node)) move(lists, node, Active);
    if (node == last) break;
    node = next;
    scanned++;
  }
  lists.rotation = next;
}

void LruList::rotate(Lists& lists) noexcept {
  if (lists.counts[Inactive] < lists.counts[Active]) rotate_active(lists);
  rotate_inactive(lists);
}

// Takes elements out of the table, from the tails, until wanted are on the free list `target`.
void LruList::shrink(Lists& lists, u32 wanted, u32 target, Type type) noexcept {
  const u32 inactive = anchor(lists, Inactive);
  u32 done = 0;
  u32 node = links(inactive).prev;
  for (u32 scanned = 0; node != inactive && scanned < scans_ && done < wanted; scanned++) {
    const u32 before = links(node).prev;
    if (is_used(node)) {
      move(lists, node, Active);
    } else if (table_->unlink(node)) {
      leave(lists, node, target, type);
      done++;
    }
    node = before;
  }
  if (done > 0) return;
  const u32 end = links(inactive).next != inactive ? inactive : anchor(lists, Active);
  for (node = links(end).prev; node != end; node = links(node).prev) {
    if (!table_->unlink(node)) continue;
    leave(lists, node, target, type);
    return;
  }
}

void LruList::flush_pending(CpuLists& cpu) noexcept {
  const u32 end = anchor(cpu, CpuPending);
  for (u32 node = links(end).prev; node != end;) {
    const u32 before = links(node).prev;
    const Type type = is_used(node) ? Active : Inactive;
    lists_[0].counts[type]++;
    links(node).type = type;
    clear_used(node);
    detach(node);
    attach_front(anchor(lists_[0], type), node);
    node = before;
  }
}

// Fills a CPU's free list from the common lists.
void LruList::refill(CpuLists& cpu) noexcept {
  Lists& common = lists_[0];
  flush_pending(cpu);
  rotate(common);
  const u32 target = anchor(cpu, CpuFree);
  u32 got = 0;
  for (; got < free_target_; got++) {
    const u32 node = first_free(common);
    if (node == kNone) break;
    leave(common, node, target, CpuFree);
  }
  if (got < free_target_) shrink(common, free_target_ - got, target, CpuFree);
}

u32 LruList::pop_cpu_free(CpuLists& cpu) noexcept {
  const u32 end = anchor(cpu, CpuFree);
  const u32 node = links(end).next;
  if (node == end) return kNone;
  detach(node);
  return node;
}

// The oldest pending element that was not used; if all were, the oldest.
u32 LruList::pop_cpu_pending(CpuLists& cpu) noexcept {
  const u32 end = anchor(cpu, CpuPending);
  for (const bool force : {false, true}) {
    for (u32 node = links(end).prev; node != end; node = links(node).prev) {
      if ((is_used(node) && !force) || !table_->unlink(node)) continue;
      detach(node);
      return node;
    }
  }
  return kNone;
}

u32 LruList::take_common(u32 cpu) noexcept {
  CpuLists& own = cpu_lists_[cpu];
  u32 node = pop_cpu_free(own);
  if (node == kNone) {
    refill(own);
    node = pop_cpu_free(own);
  }
  if (node == kNone) {
    const u32 first = own.next_steal;
    u32 from = first;
    do {
      node = pop_cpu_free(cpu_lists_[from]);
      if (node == kNone) node = pop_cpu_pending(cpu_lists_[from]);
      from = from + 1 == cpus_ ? 0 : from + 1;
    } while (node == kNone && from != first);
    own.next_steal = from;
    if (node == kNone) return kNone;
  }
  Links& at = links(node);
  at.cpu = static_cast<u16>(cpu);
  at.type = CpuPending;
  clear_used(node);
  attach_front(anchor(own, CpuPending), node);
  return node;
}

u32 LruList::take_per_cpu(u32 cpu) noexcept {
  Lists& own = lists_[cpu];
  rotate(own);
  u32 node = first_free(own);
  if (node == kNone) {
    shrink(own, free_target_, anchor(own, Free), Free);
    node = first_free(own);
  }
  if (node != kNone) move(own, node, Inactive);
  return node;
}

u32 LruList::take(u32 cpu) noexcept {
  return per_cpu_ ? take_per_cpu(cpu) : take_common(cpu);
}

void LruList::put_free(u32 node) noexcept {
  Links& at = links(node);
  if (!per_cpu_ && at.type == CpuPending) {
    at.type = CpuFree;
    clear_used(node);
    detach(node);
    attach_front(anchor(cpu_lists_[at.cpu], CpuFree), node);
    return;
  }
  move(lists(at.cpu), node, Free);
}

}  // namespace skep::runtime::maps
