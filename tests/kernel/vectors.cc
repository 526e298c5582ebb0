// SPDX-License-Identifier: Apache-2.0
// Reading what extract.py wrote.
#include "vectors.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace skep::kernel {
namespace {

std::vector<u8> from_hex(const std::string& text) {
  std::vector<u8> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<u8>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

Vector from_json(const nlohmann::json& line, Bytes all_insns) {
  Vector test;
  test.name = line.at("name").get<std::string>();
  test.classic = line.at("kind").get<std::string>() == "classic";
  test.flags = line.at("flags").get<u32>();
  const auto first = line.at("offset").get<std::size_t>();
  const auto count = line.at("insns").get<std::size_t>();
  if (8 * (first + count) > all_insns.size()) throw std::out_of_range("insns.bin is too short");
  test.insns = all_insns.subspan(8 * first, 8 * count);
  test.data = from_hex(line.at("data").get<std::string>());
  test.fragment = from_hex(line.at("frag").get<std::string>());
  for (const auto& run : line.at("runs"))
    test.runs.push_back({run.at(0).get<u32>(), run.at(1).get<u32>()});
  return test;
}

}  // namespace

Result<Vectors> read_vectors(const std::string& folder) {
  std::ifstream list(folder + "/tests.jsonl");
  std::ifstream code(folder + "/insns.bin", std::ios::binary | std::ios::ate);
  if (!list || !code) return Error{Code::NotFound, "no tests.jsonl and insns.bin in " + folder};
  Vectors vectors;
  vectors.insns.resize(static_cast<std::size_t>(code.tellg()));
  code.seekg(0);
  code.read(reinterpret_cast<char*>(vectors.insns.data()),
            static_cast<std::streamsize>(vectors.insns.size()));
  try {
    for (std::string line; std::getline(list, line);)
      vectors.tests.push_back(from_json(nlohmann::json::parse(line), vectors.insns));
  } catch (const std::exception& error) {
    return Error{Code::BadFormat, folder + "/tests.jsonl: " + error.what()};
  }
  return vectors;
}

std::vector<u8> packet_of(const Vector& test, const Run& run) {
  std::vector<u8> packet(
      test.data.begin(),
      test.data.begin() + std::min<std::ptrdiff_t>(run.size, std::ssize(test.data)));
  packet.resize(run.size);
  packet.insert(packet.end(), test.fragment.begin(), test.fragment.end());
  return packet;
}

}  // namespace skep::kernel
