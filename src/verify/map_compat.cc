// SPDX-License-Identifier: Apache-2.0
// Two tables: map types that only some helpers take, and helpers that only some map types suit.
// Tested by tests/verify, tests/kernel
#include "verify/map_compat.h"

#include <algorithm>
#include <array>
#include <span>

namespace skep::verify {
namespace {

struct Row {
  u32 key;
  std::array<u32, 6> allowed;
  bool sockmap = false;  ///< updates and deletions too, where the program's type may do them
};

// clang-format off
constexpr Row kHelpersOfMap[] = {
    {map_type::kProgArray,           {helper::kTailCall}},
    {map_type::kPerfEventArray,      {helper::kPerfEventRead, helper::kPerfEventOutput, helper::kSkbOutput,
                                      helper::kPerfEventReadValue, helper::kXdpOutput}},
    {map_type::kRingbuf,             {helper::kRingbufOutput, helper::kRingbufReserve, helper::kRingbufQuery,
                                      helper::kRingbufReserveDynptr, helper::kRingbufSubmitDynptr,
                                      helper::kRingbufDiscardDynptr}},
    {map_type::kUserRingbuf,         {helper::kUserRingbufDrain}},
    {map_type::kStackTrace,          {helper::kGetStackId}},
    {map_type::kCgroupArray,         {helper::kSkbUnderCgroup, helper::kCurrentTaskUnderCgroup}},
    {map_type::kCgroupStorage,       {helper::kGetLocalStorage}},
    {map_type::kPercpuCgroupStorage, {helper::kGetLocalStorage}},
    {map_type::kDevmap,              {helper::kRedirectMap, helper::kMapLookup}},
    {map_type::kDevmapHash,          {helper::kRedirectMap, helper::kMapLookup}},
    {map_type::kCpumap,              {helper::kRedirectMap}},
    {map_type::kXskmap,              {helper::kRedirectMap, helper::kMapLookup}},
    {map_type::kArrayOfMaps,         {helper::kMapLookup}},
    {map_type::kHashOfMaps,          {helper::kMapLookup}},
    {map_type::kSockmap,             {helper::kSkRedirectMap, helper::kSockMapUpdate, helper::kMsgRedirectMap,
                                      helper::kSkSelectReuseport, helper::kMapLookup}, true},
    {map_type::kSockhash,            {helper::kSkRedirectHash, helper::kSockHashUpdate, helper::kMsgRedirectHash,
                                      helper::kSkSelectReuseport, helper::kMapLookup}, true},
    {map_type::kReuseportSockarray,  {helper::kSkSelectReuseport}},
    {map_type::kQueue,               {helper::kMapPeek, helper::kMapPop, helper::kMapPush}},
    {map_type::kStack,               {helper::kMapPeek, helper::kMapPop, helper::kMapPush}},
    {map_type::kSkStorage,           {helper::kSkStorageGet, helper::kSkStorageDelete}},
    {map_type::kInodeStorage,        {helper::kInodeStorageGet, helper::kInodeStorageDelete}},
    {map_type::kTaskStorage,         {helper::kTaskStorageGet, helper::kTaskStorageDelete}},
    {map_type::kBloomFilter,         {helper::kMapPeek, helper::kMapPush}},
};

constexpr Row kMapsOfHelper[] = {
    {helper::kTailCall,             {map_type::kProgArray}},
    {helper::kPerfEventRead,        {map_type::kPerfEventArray}},
    {helper::kPerfEventOutput,      {map_type::kPerfEventArray}},
    {helper::kPerfEventReadValue,   {map_type::kPerfEventArray}},
    {helper::kSkbOutput,            {map_type::kPerfEventArray}},
    {helper::kXdpOutput,            {map_type::kPerfEventArray}},
    {helper::kRingbufOutput,        {map_type::kRingbuf}},
    {helper::kRingbufReserve,       {map_type::kRingbuf}},
    {helper::kRingbufQuery,         {map_type::kRingbuf}},
    {helper::kRingbufReserveDynptr, {map_type::kRingbuf}},
    {helper::kRingbufSubmitDynptr,  {map_type::kRingbuf}},
    {helper::kRingbufDiscardDynptr, {map_type::kRingbuf}},
    {helper::kUserRingbufDrain,     {map_type::kUserRingbuf}},
    {helper::kGetStackId,           {map_type::kStackTrace}},
    {helper::kCurrentTaskUnderCgroup, {map_type::kCgroupArray}},
    {helper::kSkbUnderCgroup,       {map_type::kCgroupArray}},
    {helper::kRedirectMap,          {map_type::kDevmap, map_type::kDevmapHash, map_type::kCpumap, map_type::kXskmap}},
    {helper::kSkRedirectMap,        {map_type::kSockmap}},
    {helper::kMsgRedirectMap,       {map_type::kSockmap}},
    {helper::kSockMapUpdate,        {map_type::kSockmap}},
    {helper::kSkRedirectHash,       {map_type::kSockhash}},
    {helper::kMsgRedirectHash,      {map_type::kSockhash}},
    {helper::kSockHashUpdate,       {map_type::kSockhash}},
    {helper::kGetLocalStorage,      {map_type::kCgroupStorage, map_type::kPercpuCgroupStorage}},
    {helper::kSkSelectReuseport,    {map_type::kReuseportSockarray, map_type::kSockmap, map_type::kSockhash}},
    {helper::kMapPop,               {map_type::kQueue, map_type::kStack}},
    {helper::kMapPeek,              {map_type::kQueue, map_type::kStack, map_type::kBloomFilter}},
    {helper::kMapPush,              {map_type::kQueue, map_type::kStack, map_type::kBloomFilter}},
    {helper::kMapLookupPercpu,      {map_type::kPercpuArray, map_type::kPercpuHash, map_type::kLruPercpuHash}},
    {helper::kSkStorageGet,         {map_type::kSkStorage}},
    {helper::kSkStorageDelete,      {map_type::kSkStorage}},
    {helper::kInodeStorageGet,      {map_type::kInodeStorage}},
    {helper::kInodeStorageDelete,   {map_type::kInodeStorage}},
    {helper::kTaskStorageGet,       {map_type::kTaskStorage}},
    {helper::kTaskStorageDelete,    {map_type::kTaskStorage}},
};
// clang-format on

const Row* find(std::span<const Row> rows, u32 key) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [key](const Row& r) { return r.key == key; });
  return at == rows.end() ? nullptr : &*at;
}

bool allows(const Row& row, u32 x) {
  return x != 0 && std::find(row.allowed.begin(), row.allowed.end(), x) != row.allowed.end();
}

bool changes_sockmap(u32 helper_number, const Traits& traits) {
  if (helper_number == helper::kMapUpdate) return traits.updates_sockmaps;
  if (helper_number == helper::kMapDelete) {
    return traits.updates_sockmaps || traits.deletes_from_sockmaps;
  }
  return false;
}

}  // namespace

bool helper_accepts_map(u32 helper_number, u32 type, const Traits& traits) {
  if (const Row* const row = find(kHelpersOfMap, type)) {
    const bool ok =
        allows(*row, helper_number) || (row->sockmap && changes_sockmap(helper_number, traits));
    if (!ok) return false;
  }
  const Row* const row = find(kMapsOfHelper, helper_number);
  return row == nullptr || allows(*row, type);
}

bool map_can_be_iterated(u32 type) {
  switch (type) {
    case map_type::kHash:
    case map_type::kArray:
    case map_type::kPercpuHash:
    case map_type::kPercpuArray:
    case map_type::kLruHash:
    case map_type::kLruPercpuHash: return true;
    default: return false;  // not an enum: any number may come
  }
}

}  // namespace skep::verify
