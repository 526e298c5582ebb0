// SPDX-License-Identifier: Apache-2.0
// What `skep filter` prints at its end: --count, --json, and a live capture's statistics.
#pragma once

#include "tools/filter_run.h"

namespace skep::tools {

void print_report(const FilterRun& run, const FilterOptions& options);

}  // namespace skep::tools
