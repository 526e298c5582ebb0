// SPDX-License-Identifier: Apache-2.0
// CPU slots of the public API.
// Tested by thread_test.cc
#include "skep/thread.h"

#include "api/thread_impl.h"

namespace skep {

Thread::Thread(std::unique_ptr<detail::ThreadImpl> impl) : impl_(std::move(impl)) {}
Thread::Thread(Thread&&) noexcept = default;
Thread& Thread::operator=(Thread&&) noexcept = default;
Thread::~Thread() = default;

unsigned Thread::cpu() const noexcept {
  return impl_->thread.cpu();
}

Cpus::Cpus(std::unique_ptr<detail::CpusImpl> impl) : impl_(std::move(impl)) {}
Cpus::Cpus(Cpus&&) noexcept = default;
Cpus& Cpus::operator=(Cpus&&) noexcept = default;
Cpus::~Cpus() = default;

Expected<Cpus> Cpus::create(unsigned count) {
  Result<std::unique_ptr<runtime::Cpus>> cpus = runtime::Cpus::make(count);
  if (!cpus.has_value()) return std::move(cpus).error();
  return Cpus(std::unique_ptr<detail::CpusImpl>(new detail::CpusImpl{std::move(*cpus)}));
}

Thread Cpus::attach() {
  return Thread(std::unique_ptr<detail::ThreadImpl>(new detail::ThreadImpl{impl_->cpus->attach()}));
}

unsigned Cpus::count() const noexcept {
  return impl_->cpus->count();
}

}  // namespace skep
