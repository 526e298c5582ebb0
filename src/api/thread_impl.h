// SPDX-License-Identifier: Apache-2.0
// What is behind the public Cpus and Thread.
#pragma once

#include <memory>

#include "runtime/thread.h"
#include "skep/thread.h"

namespace skep {

struct detail::CpusImpl {
  std::unique_ptr<runtime::Cpus> cpus;
};

struct detail::ThreadImpl {
  runtime::Thread thread;
};

}  // namespace skep
