// SPDX-License-Identifier: Apache-2.0
// A look at all inputs before anything is written: bad ones are refused early, and the form of the
// output depends on what they hold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/reader.h"
#include "tools/file_claims.h"
#include "tools/filter_options.h"
#include "tools/packet_output.h"

namespace skep::tools {

struct InputPlan {
  std::unique_ptr<capture::CaptureReader> first;  ///< the first input, open, before its packets
  capture::Interface interface;   ///< the first one; the largest snap length of the first input
  bool linktypes_differ = false;  ///< among the interfaces described before packets
  u64 total_bytes = 0;            ///< of regular files
};

/// Opens every input. Only the first one stays open. Errors name the file.
Result<InputPlan> look_at_inputs(const std::vector<std::string>& paths);
/// What outputs look like for those inputs and options.
OutputOptions plan_outputs(const capture::Interface& interface, bool linktypes_differ,
                           const FilterOptions& options);
/// True where the run can be done again from the start: inputs and outputs are plain files.
bool can_start_again(const FilterOptions& options);
/// Claims all files that are read. Refuses output files that are inputs or named twice. Errors name
/// the file.
Status claim_files(const FilterOptions& options, FileClaims& claims);

}  // namespace skep::tools
