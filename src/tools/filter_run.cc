// SPDX-License-Identifier: Apache-2.0
// The run: order of work, the loop over packets, and what happens when something is wrong. Nothing
// is written before all inputs were looked at and all filters compiled. A damaged input ends where
// it is damaged, with a line that says so, and the next one is read; a failed output ends the run.
// Tested by tests/e2e/filter_*.sh
#include "tools/filter_run.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "asm/classic_printer.h"
#include "capture/libpcap_engine.h"
#include "tools/commands.h"
#include "tools/file_io.h"
#include "tools/stop_signal.h"

namespace skep::tools {

namespace {

engine::FilterEngine engine_by_name(const std::string& name) {
  for (const engine::FilterEngine& engine : engine::filter_engines()) {
    if (name.empty() || engine.name == name) return engine;
  }
  return capture::libpcap_engine();
}

}  // namespace

void FilterRun::note(const std::string& text) {
  if (progress_ != nullptr) progress_->clear();
  std::fprintf(stderr, "skep: %s\n", text.c_str());
}

void FilterRun::complain(const Error& error) {
  totals_.errors.push_back(to_string(error));
  note(totals_.errors.back());
}

bool FilterRun::is_over() const {
  return limit_reached_ || output_failed_ || totals_.interrupted;
}

Status FilterRun::add_routes() {
  const FilterSettings settings = {.engine = engine_by_name(options_.engine),
                                   .optimise = !options_.no_optimiser};
  engine_name_ = settings.engine.name;
  const bool has_main = !options_.words.empty() || !options_.program_file.empty() ||
                        !options_.output.empty() || options_.to.empty();
  if (!options_.program_file.empty()) {
    auto program = read_program_file(options_.program_file);
    if (!program) return program.error();
    routes_.push_back({options_.program_file, FilterSource::program(*std::move(program), settings),
                       std::nullopt});
  } else if (has_main) {
    const std::string text = expression_text(options_);
    routes_.push_back({text, FilterSource::expression(text, settings), std::nullopt});
  }
  for (std::size_t i = 0; i + 1 < options_.to.size(); i += 2) {
    const std::string& text = options_.to[i];
    routes_.push_back({text, FilterSource::expression(text, settings), std::nullopt});
  }
  return {};
}

// Names the outputs; -C, -G and -W are for -w only.
void FilterRun::give_outputs(OutputOptions options) {
  options.claims = &claims_;
  OutputOptions main = options;
  constexpr u64 kMegabyte = 1000000;  // tcpdump's
  constexpr u64 kMost = std::numeric_limits<u64>::max() / kMegabyte;
  main.rotation = {.max_bytes = std::min(options_.rotate_megabytes, kMost) * kMegabyte,
                   .seconds = options_.rotate_seconds,
                   .file_count = options_.rotate_files};
  const std::size_t first_to = routes_.size() - options_.to.size() / 2;
  if (!options_.output.empty()) routes_[0].output.emplace(options_.output, main);
  for (std::size_t i = 0; i + 1 < options_.to.size(); i += 2) {
    routes_[first_to + i / 2].output.emplace(options_.to[i + 1], options);
  }
  if (!options_.rest.empty()) rest_.emplace(options_.rest, options);
}

template <class Do>
Status FilterRun::each_output(Do action) {
  Status first;
  const auto take = [&](std::optional<PacketOutput>& output) {
    if (!output) return;
    const Status status = action(*output);
    if (!status && first) first = status;
  };
  for (Route& route : routes_) take(route.output);
  take(rest_);
  return first;
}

Status FilterRun::open_outputs(const capture::Section& section) {
  return each_output([&](PacketOutput& output) { return output.open(section); });
}

// Filters for what the section describes by now. A failure ends the run as a bad output does.
void FilterRun::enter(const capture::Section& section) {
  const bool same = section.number == prepared_section_;
  if (same && section.interfaces.size() == prepared_) return;
  for (Route& route : routes_) {
    const Status prepared = route.source.prepare(section);
    if (prepared) continue;
    const bool from_file = &route == routes_.data() && !options_.program_file.empty();
    complain(from_file ? in_file(prepared.error(), input_name(route.name)) : prepared.error());
    output_failed_ = true;
    return;
  }
  prepared_section_ = section.number;
  prepared_ = section.interfaces.size();
}

inline void FilterRun::process_one(const capture::Packet& packet, const capture::Section& section) {
  bool accepted = false;
  for (Route& route : routes_) {
    if (!route.source.accepts(packet)) continue;
    accepted = true;
    ++route.packets;
    if (route.output) route.output->add(packet, section);
  }
  totals_.packets_accepted += accepted ? 1 : 0;
  if (!accepted && rest_) rest_->add(packet, section);
}

void FilterRun::process(const capture::Batch& batch) {
  const u64 limit = options_.max_packets;
  for (const capture::Packet& packet : batch.packets) {
    ++totals_.packets_read;
    process_one(packet, *batch.section);
    if (limit != 0 && totals_.packets_accepted == limit) {
      limit_reached_ = true;
      return;
    }
  }
}

Status FilterRun::settle() {
  Status status = each_output([](PacketOutput& output) { return output.settle(); });
  if (!status) output_failed_ = true;
  for (const Route& route : routes_) {
    if (route.output && route.output->limit_reached()) limit_reached_ = true;
  }
  return status;
}

// Filters the next packets; false at the end of the file or of the run.
Result<bool> FilterRun::read_batch(capture::CaptureReader& reader) {
  SKEP_TRY(const capture::Batch batch, reader.next());
  if (batch.packets.empty()) return false;
  enter(*batch.section);
  if (output_failed_) return false;
  process(batch);
  SKEP_TRY_DO(settle());
  progress_->update(files_bytes_ + reader.source().consumed());
  totals_.interrupted = stop_requested();
  return !is_over();
}

void FilterRun::read_file(const std::string& path, capture::CaptureReader& reader) {
  bool window_noted = false;
  for (;;) {
    const auto more = read_batch(reader);
    if (!window_noted && reader.source().large_window() != 0) {
      window_noted = true;
      note(path + ": its zstd window takes " +
           std::to_string(reader.source().large_window() >> 20) + " MiB of memory");
    }
    // An output's failure is told when the outputs are finished; a signal ends a read, too.
    totals_.interrupted = stop_requested();
    if (!more && !output_failed_ && !totals_.interrupted) {
      complain(in_file(more.error(), input_name(path)));
    }
    if (!more || !*more) break;
  }
  files_bytes_ += reader.source().consumed();
}

Status FilterRun::run_files() {
  SKEP_TRY_DO(claim_files(options_, claims_));
  SKEP_TRY(InputPlan plan, look_at_inputs(options_.inputs));
  SKEP_TRY_DO(add_routes());
  enter(plan.first->section());
  if (output_failed_) return {};
  give_outputs(plan_outputs(plan.interface, plan.linktypes_differ, options_));
  // Until here there is nothing to finish; libpcap may take minutes for a long expression.
  catch_stop_signals();
  SKEP_TRY_DO(open_outputs(plan.first->section()));

  Progress progress(plan.total_bytes);
  progress_ = &progress;
  u64 next_section = 1;
  for (const std::string& path : options_.inputs) {
    std::unique_ptr<capture::CaptureReader> reader = std::move(plan.first);
    if (reader == nullptr) {
      auto opened = capture::open_capture_file(path, next_section);
      if (!opened) {
        complain(in_file(opened.error(), input_name(path)));
        continue;
      }
      reader = std::move(*opened);
    }
    read_file(path, *reader);
    next_section = reader->section().number + 1;
    if (is_over()) break;
  }
  totals_.bytes_read = files_bytes_;
  progress.clear();
  progress_ = nullptr;
  return {};
}

Status FilterRun::run_live() {
  SKEP_TRY_DO(claim_files(options_, claims_));
  std::string interface = options_.interface;
  constexpr std::size_t kMostDigits = 9;  // more would not fit 32 bits, nor would any system count
  if (interface.size() <= kMostDigits &&
      interface.find_first_not_of("0123456789") == std::string::npos) {
    auto named = capture::interface_by_number(static_cast<u32>(std::stoul(interface)));
    if (named) interface = *named;
  }
  capture::LiveOptions live_options;
  live_options.snaplen = options_.snaplen;
  live_options.promiscuous = !options_.no_promiscuous;
  if (options_.precision == "nano") live_options.precision = capture::Precision::Nano;
  if (!options_.linktype.empty()) live_options.linktype = options_.linktype;
  SKEP_TRY(auto live, capture::LiveCapture::open(interface, live_options));
  SKEP_TRY_DO(add_routes());
  const capture::Section& section = live->section();
  enter(section);
  if (output_failed_) return {};
  give_outputs(plan_outputs(section.interfaces[0], false, options_));
  catch_stop_signals();
  SKEP_TRY_DO(open_outputs(section));
  std::fprintf(stderr, "skep: listening on %s, link-type %s, snapshot length %u bytes\n",
               interface.c_str(), capture::linktype_text(section.interfaces[0].linktype).c_str(),
               section.interfaces[0].snaplen);

  struct Call {
    FilterRun* run;
    capture::LiveCapture* live;
  } call = {this, live.get()};
  const auto on_packet = [](void* user, const capture::Packet& packet) {
    const Call& to = *static_cast<Call*>(user);
    if (to.run->is_over()) return;
    to.run->process({.packets = {&packet, 1}, .section = &to.live->section()});
    to.run->live_status_ = to.run->settle();
    if (to.run->is_over()) to.live->stop();
  };
  stop_also(live.get());
  while (!is_over() && !stop_requested()) {
    SKEP_TRY(const bool more, live->dispatch(on_packet, &call));
    if (!more) break;
  }
  stop_also(nullptr);
  SKEP_TRY(totals_.live, live->statistics());
  return {};
}

// Link types are known up to the first packet; later sections and interfaces may bring others.
bool FilterRun::clash_can_be_mended() {
  bool clash = false;
  const auto look = [&clash](const PacketOutput& output) -> Status {
    clash = clash || output.linktypes_clash();
    return {};
  };
  static_cast<void>(each_output(look));
  return clash && options_.output_format.empty() && can_start_again(options_);
}

// Closes every output, also after failures, and tells what went wrong with them.
void FilterRun::finish() {
  const auto close = [this](PacketOutput& output) -> Status {
    const Status status = output.finish();
    if (!status && output.pipe_closed()) {
      pipe_closed_ = true;
    } else if (!status) {
      complain(status.error());
    }
    return {};
  };
  static_cast<void>(each_output(close));
}

int FilterRun::run() {
  const bool live = !options_.interface.empty();
  const Status status = live ? run_live() : run_files();
  if (!status) complain(status.error());
  needs_pcapng_ = clash_can_be_mended();
  if (needs_pcapng_) return kExitFailed;
  finish();
  if (pipe_closed_) die_of_closed_pipe();
  if (totals_.interrupted && !live) note("interrupted; outputs hold what was read until then");
  if (!totals_.errors.empty()) return kExitFailed;
  return totals_.interrupted && !live ? 130 : kExitDone;
}

int FilterRun::dump() {
  capture::Interface interface;
  const auto fail = [this](const Error& error) {
    complain(error);
    return kExitFailed;
  };
  if (!options_.inputs.empty()) {
    const auto plan = look_at_inputs({options_.inputs.front()});
    if (!plan) return fail(plan.error());
    interface = plan->interface;
  } else if (!options_.linktype.empty()) {
    const auto linktype = capture::linktype_by_name(options_.linktype);
    if (!linktype) return fail(linktype.error());
    interface.linktype = *linktype;
    interface.snaplen = options_.snaplen;
  }
  const Status added = add_routes();
  if (!added) return fail(added.error());
  const auto program = routes_[0].source.compile(interface);
  if (!program) return fail(program.error());
  const std::string text = options_.dump == 1   ? assembler::classic::print_listing(*program)
                           : options_.dump == 2 ? assembler::classic::print_c(*program)
                                                : assembler::classic::print_numbers(*program);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace skep::tools
