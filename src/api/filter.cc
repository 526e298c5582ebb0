// SPDX-License-Identifier: Apache-2.0
// Packet filters of the public API, over the classic machines.
// Tested by filter_test.cc
#include "skep/filter.h"

#include <bit>
#include <string>

#include "engine/filter.h"
#include "support/assert.h"
#ifdef SKEP_HAS_CAPTURE
#include "capture/expression.h"
#endif

namespace skep {

struct detail::FilterImpl {
  engine::Filter filter;
};

namespace {

using isa::cbpf::RawInsn;
using isa::cbpf::Rules;

static_assert(sizeof(PacketMetadata) == sizeof(cbpf::Metadata));
static_assert(offsetof(PacketMetadata, random) == offsetof(cbpf::Metadata, random));
static_assert(offsetof(PacketMetadata, has_device) == offsetof(cbpf::Metadata, has_device));

Rules to_internal(ClassicRules rules) {
  switch (rules) {
    case ClassicRules::Linux: return Rules::Linux;
    case ClassicRules::Libpcap: return Rules::Libpcap;
    case ClassicRules::Seccomp: return Rules::Seccomp;
  }
  unreachable();
}

std::string_view engine_name(FilterEngine engine) {
  switch (engine) {
    case FilterEngine::Threaded: return "threaded";
    case FilterEngine::Switch: return "switch";
  }
  unreachable();
}

Result<engine::Filter> make(std::span<const RawInsn> program, Rules rules, FilterEngine wanted) {
  for (const engine::FilterEngine& engine : engine::filter_engines()) {
    if (engine.name == engine_name(wanted)) return engine.make(program, rules);
  }
  return Error{Code::NoEngine, "no engine " + std::string(engine_name(wanted)) + " in this build"};
}

Result<std::vector<RawInsn>> compile_text([[maybe_unused]] std::string_view expression,
                                          [[maybe_unused]] const FilterOptions& options) {
#ifdef SKEP_HAS_CAPTURE
  return capture::compile_expression(std::string(expression), {.linktype = options.link_type,
                                                               .snaplen = options.snap_length,
                                                               .optimize = options.optimize});
#else
  return Error{Code::Unsupported,
               "this build of skep has no filter expressions (SKEP_CAPTURE=OFF)"};
#endif
}

std::unique_ptr<detail::FilterImpl> make_impl(engine::Filter filter) {
  return std::unique_ptr<detail::FilterImpl>(new detail::FilterImpl{std::move(filter)});
}

}  // namespace

Filter::Filter(std::unique_ptr<detail::FilterImpl> impl) : impl_(std::move(impl)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

Expected<Filter> Filter::compile(std::string_view expression, const FilterOptions& options) {
  const Result<std::vector<RawInsn>> program = compile_text(expression, options);
  if (!program.has_value()) return program.error();
  Result<engine::Filter> filter = make(*program, Rules::Libpcap, options.engine);
  if (!filter.has_value()) return std::move(filter).error();
  return Filter(make_impl(std::move(*filter)));
}

Expected<Filter> Filter::load(std::span<const ClassicInsn> program, ClassicRules rules,
                              FilterEngine engine) {
  std::vector<RawInsn> raw;
  raw.reserve(program.size());
  for (const ClassicInsn& insn : program) raw.push_back({insn.code, insn.jt, insn.jf, insn.k});
  Result<engine::Filter> filter = make(raw, to_internal(rules), engine);
  if (!filter.has_value()) return std::move(filter).error();
  return Filter(make_impl(std::move(*filter)));
}

std::uint32_t Filter::match(std::span<const std::uint8_t> packet,
                            std::uint32_t wire_length) const noexcept {
  const u32 captured = static_cast<u32>(packet.size());
  return impl_->filter.run(packet.data(), captured, wire_length != 0 ? wire_length : captured);
}

std::uint32_t Filter::match(std::span<const std::uint8_t> packet, std::uint32_t wire_length,
                            const PacketMetadata& metadata) const noexcept {
  const u32 captured = static_cast<u32>(packet.size());
  return impl_->filter.run(packet.data(), captured, wire_length != 0 ? wire_length : captured,
                           std::bit_cast<cbpf::Metadata>(metadata));
}

}  // namespace skep
