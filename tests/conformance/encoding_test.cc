// SPDX-License-Identifier: Apache-2.0
// encoding.txt, whose bytes were written from RFC 9669, against the tables: each row decodes to the
// operation that it names and encodes back to its bytes, its text assembles to them, and every
// operation has a row.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "asm/ebpf_assembler.h"
#include "isa/ebpf_codec.h"

namespace skep::isa::ebpf {
namespace {

struct Row {
  std::string op;
  std::vector<u8> bytes;
  std::string text;
};

std::vector<Row> read_rows() {
  std::vector<Row> rows;
  std::ifstream file(SKEP_ENCODING_FILE);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    words >> row.op;
    for (std::string word; words >> word;) {
      if (word == "|") continue;
      const bool byte = word.size() == 2 && row.text.empty() && row.bytes.size() < 16 &&
                        word.find_first_not_of("0123456789abcdef") == std::string::npos;
      if (byte) {
        row.bytes.push_back(static_cast<u8>(std::stoul(word, nullptr, 16)));
      } else {
        row.text += (row.text.empty() ? "" : " ") + word;
      }
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(Encoding, BytesDecodeToTheNamedOperationAndBack) {
  for (const Row& row : read_rows()) {
    const auto insns = decode(row.bytes, ByteOrder::Little);
    ASSERT_TRUE(insns.has_value()) << row.op << ": " << to_string(insns.error());
    EXPECT_EQ(info(insns->front().op).name, row.op);
    EXPECT_EQ(encode(*insns, ByteOrder::Little), row.bytes) << row.op;
  }
}

TEST(Encoding, TextAssemblesToTheBytes) {
  for (const Row& row : read_rows()) {
    if (row.text.empty()) continue;
    const auto insns = assembler::ebpf::assemble(row.text);
    ASSERT_TRUE(insns.has_value()) << row.op << ": " << to_string(insns.error());
    EXPECT_EQ(encode(*insns, ByteOrder::Little), row.bytes) << row.text;
  }
}

TEST(Encoding, BigEndianFormIsTheSameProgram) {
  for (const Row& row : read_rows()) {
    const auto insns = decode(row.bytes, ByteOrder::Little);
    ASSERT_TRUE(insns.has_value()) << row.op;
    const auto again = decode(encode(*insns, ByteOrder::Big), ByteOrder::Big);
    ASSERT_TRUE(again.has_value()) << row.op;
    EXPECT_EQ(*again, *insns) << row.op;
  }
}

TEST(Encoding, EveryOperationHasARow) {
  std::set<std::string> named;
  for (const Row& row : read_rows()) named.insert(row.op);
  for (const OpInfo& op : kOpInfo) {
    if (op.kind == Kind::LddwHigh) continue;  // inside the rows of Lddw
    EXPECT_EQ(named.count(std::string(op.name)), 1u) << op.name;
  }
  EXPECT_EQ(named.size(), kOpCount - 1);
}

}  // namespace
}  // namespace skep::isa::ebpf
