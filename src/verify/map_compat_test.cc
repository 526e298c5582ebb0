// SPDX-License-Identifier: Apache-2.0
#include "verify/map_compat.h"

#include <gtest/gtest.h>

namespace skep::verify {
namespace {

TEST(MapCompat, CommonMapsTakeCommonHelpers) {
  const Traits traits;
  for (const u32 type : {map_type::kHash, map_type::kArray, map_type::kLruHash}) {
    EXPECT_TRUE(helper_accepts_map(helper::kMapLookup, type, traits));
    EXPECT_TRUE(helper_accepts_map(helper::kMapUpdate, type, traits));
    EXPECT_FALSE(helper_accepts_map(helper::kTailCall, type, traits));
    EXPECT_FALSE(helper_accepts_map(helper::kRingbufOutput, type, traits));
  }
}

TEST(MapCompat, SpecialMapsTakeTheirOwnHelpersOnly) {
  const Traits traits;
  EXPECT_TRUE(helper_accepts_map(helper::kTailCall, map_type::kProgArray, traits));
  EXPECT_FALSE(helper_accepts_map(helper::kMapLookup, map_type::kProgArray, traits));
  EXPECT_TRUE(helper_accepts_map(helper::kMapLookup, map_type::kArrayOfMaps, traits));
  EXPECT_FALSE(helper_accepts_map(helper::kMapUpdate, map_type::kArrayOfMaps, traits));
  EXPECT_TRUE(helper_accepts_map(helper::kRedirectMap, map_type::kCpumap, traits));
  EXPECT_FALSE(helper_accepts_map(helper::kMapLookup, map_type::kCpumap, traits));
}

TEST(MapCompat, SockmapsAreChangedByProgramsThatMay) {
  Traits traits;
  EXPECT_FALSE(helper_accepts_map(helper::kMapUpdate, map_type::kSockmap, traits));
  traits.deletes_from_sockmaps = true;
  EXPECT_TRUE(helper_accepts_map(helper::kMapDelete, map_type::kSockmap, traits));
  EXPECT_FALSE(helper_accepts_map(helper::kMapUpdate, map_type::kSockmap, traits));
  traits.updates_sockmaps = true;
  EXPECT_TRUE(helper_accepts_map(helper::kMapUpdate, map_type::kSockmap, traits));
}

TEST(MapCompat, OnlySomeMapsAreIterated) {
  EXPECT_TRUE(map_can_be_iterated(map_type::kHash));
  EXPECT_TRUE(map_can_be_iterated(map_type::kPercpuArray));
  EXPECT_FALSE(map_can_be_iterated(map_type::kProgArray));
  EXPECT_FALSE(map_can_be_iterated(map_type::kRingbuf));
}

}  // namespace
}  // namespace skep::verify
