// SPDX-License-Identifier: Apache-2.0
// `skep --version`: what a bug report needs to know about the build and the machine. CPU features
// are those that a code generator chooses by.
#include "tools/version_text.h"

#include <CLI/Version.hpp>

#include "engine/filter.h"
#include "interp/interp.h"
#include "skep/version.h"
#if defined(__arm__) || defined(__aarch64__)
#include <sys/auxv.h>
#endif
#if SKEP_HAS_CAPTURE
#include "capture/libpcap_engine.h"
#include "capture/libraries.h"
#endif

namespace skep::tools {

namespace {

struct Feature {
  bool present;
  const char* name;
};

template <std::size_t kCount>
std::string list(std::string cpu, const Feature (&features)[kCount]) {
  for (const Feature& feature : features) {
    if (feature.present) cpu += std::string(" ") + feature.name;
  }
  return cpu;
}

std::string cpu_features() {
#if defined(__x86_64__)
  return list("x86-64", {{__builtin_cpu_supports("sse4.2") != 0, "sse4.2"},
                         {__builtin_cpu_supports("popcnt") != 0, "popcnt"},
                         {__builtin_cpu_supports("bmi") != 0, "bmi"},
                         {__builtin_cpu_supports("bmi2") != 0, "bmi2"},
                         {__builtin_cpu_supports("avx2") != 0, "avx2"}});
#elif defined(__arm__)
  const unsigned long bits = getauxval(AT_HWCAP);  // numbers as in <asm/hwcap.h>
  return list("arm", {{(bits >> 12 & 1) != 0, "neon"}, {(bits >> 17 & 1) != 0, "idiv"}});
#elif defined(__aarch64__)
  const unsigned long bits = getauxval(AT_HWCAP);  // numbers as in <asm/hwcap.h>
  return list("arm64", {{(bits >> 7 & 1) != 0, "crc32"}, {(bits >> 8 & 1) != 0, "lse"}});
#else
  return "unknown";
#endif
}

std::string filter_engine_names() {
  std::string text;
  for (const engine::FilterEngine& engine : engine::filter_engines()) {
    text += (text.empty() ? "" : ", ") + std::string(engine.name);
  }
#if SKEP_HAS_CAPTURE
  text += ", " + std::string(capture::libpcap_engine().name);
#endif
  return text;
}

std::string program_engine_names() {
  std::string text;
  for (const interp::Engine engine : interp::kEngines) {
    text += (text.empty() ? "" : ", ") + std::string(interp::to_string(engine));
  }
  return text;
}

}  // namespace

std::string version_text() {
  std::string text = "skep " SKEP_VERSION "\n";
  text += "cpu:       " + cpu_features() + "\n";
  text +=
      "engines:   filters: " + filter_engine_names() + "; eBPF: " + program_engine_names() + "\n";
  text += "libraries: CLI11 " CLI11_VERSION;
#if SKEP_HAS_CAPTURE
  text += ", " + capture::library_versions();
#endif
  return text;
}

}  // namespace skep::tools
