// SPDX-License-Identifier: Apache-2.0
// libpcap's own interpreter as a filter engine: the yardstick, and an oracle in tests.
// Tested by expression_test.cc
#pragma once

#include "engine/filter.h"

namespace skep::capture {

/// The row to stand beside engine::filter_engines(): bpf_filter(), after bpf_validate().
const engine::FilterEngine& libpcap_engine();

}  // namespace skep::capture
