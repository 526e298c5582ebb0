// SPDX-License-Identifier: Apache-2.0
// The table of map types as code, and the checks made from it. Tested by create_test.cc
#include "runtime/maps/create.h"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace skep::runtime::maps {
namespace {

// The kernel's KMALLOC_MAX_SIZE (4 MiB) less its element header, on x86-64.
constexpr u64 kHashElementEnd = (u64{4} << 20) - 48;
constexpr u64 kNoElementEnd = std::numeric_limits<u64>::max();
constexpr u32 kAnySize = std::numeric_limits<u32>::max();
constexpr u32 kArrayValueMax = std::numeric_limits<s32>::max();
constexpr u32 kPercpuValueMax = 32 * 1024;  // Kernel: PCPU_MIN_UNIT_SIZE
constexpr u32 kHashFlags = kNoPreallocFlag | kNumaFlag | kAccessFlags | kZeroSeedFlag;
constexpr u32 kArrayFlags = kNumaFlag | kMmapableFlag | kAccessFlags | kInnerMapFlag;
constexpr u32 kObjectArrayFlags = kNumaFlag | kReadOnlyFlag | kWriteOnlyFlag;

using Factory = Result<std::shared_ptr<Map>> (*)(const MapDef&, const MapOptions&);

/// A row of maps.def.
struct TypeInfo {
  MapType type;
  Factory factory;
  u32 flags;
  u32 unsupported_flags;
  u32 key_min, key_max;
  u32 value_min, value_max;
  u64 element_end;
  bool numa;
};

constexpr TypeInfo kTypes[] = {
#define MAP(name, number, text, factory, flags, unsupported, kmin, kmax, vmin, vmax, end, numa) \
  {MapType::name, factory, flags, unsupported, kmin, kmax, vmin, vmax, end, numa},
#define KNOWN(name, number, text)
#include "runtime/maps/maps.def"
#undef MAP
#undef KNOWN
};

const TypeInfo* find_type(MapType type) {
  const auto it = std::find_if(std::begin(kTypes), std::end(kTypes),
                               [type](const TypeInfo& info) { return info.type == type; });
  return it != std::end(kTypes) ? it : nullptr;
}

constexpr bool has_all(u32 flags, u32 wanted) {
  return (flags & wanted) == wanted;
}

bool is_name(const std::string& name) {
  constexpr std::size_t kLongest = 15;
  return name.size() <= kLongest && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
         });
}

Status check_flags(const TypeInfo& info, const MapDef& def, const MapOptions& options) {
  if (has_all(def.flags, kReadOnlyFlag | kWriteOnlyFlag))
    return map_error(EINVAL, "a map cannot be read-only and write-only");
  const bool on_node = (def.flags & kNumaFlag) != 0;
  if (on_node && def.numa_node >= options.numa_nodes)
    return map_error(EINVAL, "there is no such NUMA node");
  if ((def.flags & ~info.flags) != 0 || has_all(def.flags, kReadOnlyProgFlag | kWriteOnlyProgFlag))
    return map_error(EINVAL, "flags that the type does not allow");
  if ((def.flags & info.unsupported_flags) != 0)
    return map_error(kEnotsupp, "flags that the type does not support");
  if (on_node && (!info.numa || (def.flags & kNoCommonLruFlag) != 0))
    return map_error(EINVAL, "per-CPU memory cannot be on one NUMA node");
  return {};
}

Status check_sizes(const TypeInfo& info, const MapDef& def) {
  if (def.max_entries == 0) return map_error(EINVAL, "max_entries is 0");
  if (def.key_size < info.key_min || def.key_size > info.key_max)
    return map_error(EINVAL, "the type does not allow this key_size");
  if (def.value_size < info.value_min) return map_error(EINVAL, "value_size is too small");
  // Kernel: maps of objects say EINVAL to every other size.
  if (def.value_size > info.value_max)
    return map_error(info.value_min == info.value_max ? EINVAL : E2BIG, "value_size is too large");
  if (u64{def.key_size} + def.value_size >= info.element_end)
    return map_error(E2BIG, "key and value together are too large");
  return {};
}

Status check_lock(const MapDef& def) {
  if (!def.spin_lock_offset) return {};
  const u64 offset = *def.spin_lock_offset;
  if ((def.flags & kReadOnlyProgFlag) != 0)
    return map_error(EACCES, "a value with a bpf_spin_lock must be writable");
  if (def.type != MapType::Hash && def.type != MapType::Array)
    return map_error(kEnotsupp, "the type does not allow a bpf_spin_lock");
  if (offset % 4 != 0 || offset + 4 > def.value_size)
    return map_error(EINVAL, "the bpf_spin_lock is outside of the value");
  return {};
}

Status check_inner(const MapDef& def) {
  if (def.type != MapType::ArrayOfMaps && def.type != MapType::HashOfMaps) return {};
  if (def.inner == nullptr)
    return map_error(EBADF, "a map of maps needs an inner map to copy from");
  if (def.inner->inner_def() != nullptr)
    return map_error(EINVAL, "a map of maps of maps is not allowed");
  if (def.inner->def().type == MapType::ProgArray || def.inner->def().spin_lock_offset)
    return map_error(kEnotsupp, "such a map may not be an inner map");
  return {};
}

}  // namespace

Error map_error(int number, std::string message) {
  Code code = Code::InvalidArgument;
  if (number == E2BIG) code = Code::TooLong;
  if (number == ENOMEM) code = Code::OutOfMemory;
  if (number == kEnotsupp) code = Code::Unsupported;
  return {
      .code = code, .message = std::move(message), .where = std::nullopt, .kernel_errno = number};
}

u32 lru_free_target_617(u32 max_entries, u32 cpus) {
  return std::clamp(max_entries / cpus / 2, u32{1}, u32{128});
}

Result<std::shared_ptr<Map>> create(const MapDef& def, const MapOptions& options) {
  if (def.map_extra != 0) return map_error(EINVAL, "map_extra must be 0");
  if (options.cpus == 0) return Error{Code::InvalidArgument, "a map needs a CPU slot"};
  const TypeInfo* info = find_type(def.type);
  if (info == nullptr) {
    const std::string_view name = to_string(def.type);
    if (name.empty() || def.type == MapType::Unspec)
      return map_error(EINVAL,
                       "there is no map type " + std::to_string(static_cast<u32>(def.type)));
    return Error{Code::Unsupported, "maps of type " + std::string(name) + " are not available"};
  }
  SKEP_TRY_DO(check_flags(*info, def, options));
  SKEP_TRY_DO(check_sizes(*info, def));
  SKEP_TRY_DO(check_inner(def));
  if (!is_name(def.name))
    return map_error(EINVAL, "the map's name has characters or a length that are not allowed");
  SKEP_TRY_DO(check_lock(def));
  return info->factory(def, options);
}

}  // namespace skep::runtime::maps
