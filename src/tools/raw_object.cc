// SPDX-License-Identifier: Apache-2.0
// The program in an ELF object, through libelf. Enough for objects without maps and global data:
// code, and calls from one section of code to .text, which is how compilers emit functions that are
// not inlined.
//
//   socket:  ...            call f (reloc)      ->   ... call pc+N    |  result: one program
//   .text:   f: ... exit                        ->   f: ... exit      |  entered at its first insn
//
// Source: Documentation/bpf/llvm_reloc.rst.  Tested by raw_program_test.cc
#include "tools/raw_program.h"

#if SKEP_HAS_LIBELF

#include <gelf.h>
#include <libelf.h>

#include <memory>
#include <optional>

#include "isa/ebpf_codec.h"

namespace skep::tools {

namespace {

constexpr u16 kMachineBpf = 247;
constexpr u32 kRelocationCall = 10;  // R_BPF_64_32

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using Object = std::unique_ptr<Elf, ElfEnd>;

Error bad(std::string message) {
  return Error{Code::BadFormat, std::move(message)};
}

// Where a section of code stands in the program, in slots.
struct Placed {
  Elf_Scn* section = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
};

std::string_view name_of(Elf* elf, std::size_t names, const GElf_Shdr& header) {
  const char* name = elf_strptr(elf, names, header.sh_name);
  return name == nullptr ? "" : name;
}

// The sections that make the program: the first with code that is not .text, then .text.
std::vector<Placed> code_sections(Elf* elf) {
  std::size_t names = 0;
  elf_getshdrstrndx(elf, &names);
  Elf_Scn* main = nullptr;
  Elf_Scn* text = nullptr;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS ||
        (header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_size == 0) {
      continue;
    }
    Elf_Scn*& wanted = name_of(elf, names, header) == ".text" ? text : main;
    if (wanted == nullptr) wanted = section;
  }
  std::vector<Placed> sections;
  if (main != nullptr) sections.push_back({.section = main});
  if (text != nullptr) sections.push_back({.section = text});
  return sections;
}

Result<std::vector<isa::ebpf::Insn>> decode_sections(std::vector<Placed>& sections,
                                                     ByteOrder order) {
  std::vector<isa::ebpf::Insn> program;
  for (Placed& placed : sections) {
    const Elf_Data* data = elf_rawdata(placed.section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return bad("a section of code has no bytes");
    SKEP_TRY(const std::vector<isa::ebpf::Insn> insns,
             isa::ebpf::decode({static_cast<const u8*>(data->d_buf), data->d_size}, order));
    placed.first = program.size();
    placed.count = insns.size();
    program.insert(program.end(), insns.begin(), insns.end());
  }
  return program;
}

// Binds one relocated instruction; `from` is the section it stands in.
Status bind_call(Elf* elf, const std::vector<Placed>& sections, const Placed& from,
                 const GElf_Rel& relocation, const GElf_Sym& symbol,
                 std::vector<isa::ebpf::Insn>& program) {
  const u64 slot = relocation.r_offset / isa::ebpf::kSlotBytes;
  if (slot >= from.count) return bad("a relocation lies outside of its section");
  const std::size_t pc = from.first + static_cast<std::size_t>(slot);
  isa::ebpf::Insn& insn = program[pc];
  if (GELF_R_TYPE(relocation.r_info) != kRelocationCall || insn.op != isa::ebpf::Op::CallLocal) {
    return error_at_pc(Code::Unsupported, static_cast<u32>(pc),
                       "the instruction refers to a map, to data or to another object, which "
                       "needs a loader");
  }
  Elf_Scn* const target = elf_getscn(elf, symbol.st_shndx);
  for (const Placed& placed : sections) {
    if (placed.section != target) continue;
    // The distance counts from the instruction after the call: -1 for a function's symbol.
    const s64 to = static_cast<s64>(placed.first) +
                   static_cast<s64>(symbol.st_value / isa::ebpf::kSlotBytes) + insn.imm + 1;
    insn.imm = to - static_cast<s64>(pc) - 1;
    return {};
  }
  return error_at_pc(Code::Unsupported, static_cast<u32>(pc),
                     "a call of a function outside of the program's sections");
}

Status bind_section(Elf* elf, const std::vector<Placed>& sections, Elf_Scn* table,
                    const GElf_Shdr& header, std::vector<isa::ebpf::Insn>& program) {
  const Placed* from = nullptr;
  for (const Placed& placed : sections) {
    if (elf_ndxscn(placed.section) == header.sh_info) from = &placed;
  }
  if (from == nullptr) return {};  // of debug information, or of code that is not used
  Elf_Scn* const symbols = elf_getscn(elf, header.sh_link);
  Elf_Data* const symbol_data = symbols == nullptr ? nullptr : elf_getdata(symbols, nullptr);
  Elf_Data* const data = elf_getdata(table, nullptr);
  if (data == nullptr || symbol_data == nullptr || header.sh_entsize == 0) {
    return bad("a relocation section has no entries or no symbols");
  }
  const u64 count = data->d_size / header.sh_entsize;
  for (u64 i = 0; i < count; ++i) {
    GElf_Rel relocation;
    GElf_Sym symbol;
    if (gelf_getrel(data, static_cast<int>(i), &relocation) == nullptr ||
        gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) ==
            nullptr) {
      return bad("a relocation cannot be read");
    }
    SKEP_TRY_DO(bind_call(elf, sections, *from, relocation, symbol, program));
  }
  return {};
}

}  // namespace

Result<std::vector<isa::ebpf::Insn>> read_object(Bytes bytes) {
  elf_version(EV_CURRENT);
  // libelf wants memory that it may write to.
  std::vector<char> copy(bytes.begin(), bytes.end());
  const Object elf(elf_memory(copy.data(), copy.size()));
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF ||
      gelf_getehdr(elf.get(), &header) == nullptr) {
    return bad("not an ELF object");
  }
  if (header.e_machine != kMachineBpf) return bad("an ELF object, but not for BPF");
  std::vector<Placed> sections = code_sections(elf.get());
  if (sections.empty()) return bad("the object has no code");
  const ByteOrder order =
      header.e_ident[EI_DATA] == ELFDATA2MSB ? ByteOrder::Big : ByteOrder::Little;
  SKEP_TRY(std::vector<isa::ebpf::Insn> program, decode_sections(sections, order));
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr table;
    if (gelf_getshdr(section, &table) == nullptr || table.sh_type != SHT_REL) continue;
    SKEP_TRY_DO(bind_section(elf.get(), sections, section, table, program));
  }
  return program;
}

}  // namespace skep::tools

#else

namespace skep::tools {

Result<std::vector<isa::ebpf::Insn>> read_object(Bytes) {
  return Error{Code::Unsupported, "this build reads no ELF objects: it was made without libelf"};
}

}  // namespace skep::tools

#endif
