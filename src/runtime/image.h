// SPDX-License-Identifier: Apache-2.0
// Programs and maps as data, before anything exists: what a loader reads out of an object file, or
// bpf(2) out of a process's memory, and what engine::load makes real maps and verified programs of.
// No file and no descriptor is needed any more.
//
//   ELF + BTF --loader--> ObjectImage { maps, programs } --engine--> Map[], Loaded[]
//
// Instructions name maps by index: LddwMapIdx and LddwMapIdxValue hold an index into the list of
// maps that the program is loaded with (an object's programs share ObjectImage::maps).
// Tested by loader's and engine's tests
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/ebpf.h"
#include "runtime/maps/map_def.h"
#include "support/ints.h"

namespace skep::runtime {

/// What a function's declaration says of a parameter (global functions are checked by it).
struct FuncArg {
  enum class Kind : u8 { Scalar, Ctx, Mem, Unsupported };
  Kind kind = Kind::Scalar;
  u32 bytes = 0;  ///< Mem: what the pointer points to
  bool operator==(const FuncArg&) const = default;
};

/// A function that is declared in the program's debug information.
struct FuncDecl {
  u32 start_pc = 0;
  std::string name;
  bool global = false;
  bool returns_scalar = true;
  std::vector<FuncArg> args;
  u32 btf_type = 0;  ///< FUNC, 0 where there is no BTF
};

/// Where an instruction comes from.
struct SourceLine {
  u32 pc = 0;  ///< the first instruction of the line; the next line's pc ends it
  std::string file;
  u32 line = 0;
  u32 column = 0;
  std::string text;
};

/// A program, with every function that it calls.
struct ProgramImage {
  std::string name;              ///< of its first function
  std::string section;           ///< where it was; for messages
  u32 prog_type = 0;             ///< enum bpf_prog_type; 0 where the section's name says nothing
  u32 expected_attach_type = 0;  ///< enum bpf_attach_type
  std::string attach_to;         ///< what follows the prefix in the section's name, "sys_enter"
  bool autoload = true;          ///< false for sections that begin with '?'
  std::string license;
  u32 flags = 0;  ///< BPF_F_STRICT_ALIGNMENT and so on, as of BPF_PROG_LOAD
  std::vector<isa::ebpf::Insn> insns;
  std::vector<FuncDecl> functions;  ///< by start_pc; empty where nothing was declared
  std::vector<SourceLine> lines;    ///< by pc
};

/// What a map's element holds from the start.
struct MapSlot {
  u32 index = 0;            ///< the element's key
  bool is_program = false;  ///< else an inner map
  u32 target = 0;           ///< index in ObjectImage::programs or ::maps
};

/// A map of an object.
struct MapImage {
  enum class Origin : u8 {
    Btf,      ///< declared in .maps
    Legacy,   ///< struct bpf_map_def in a section `maps`
    Data,     ///< .data*: contents are what the section holds
    Bss,      ///< .bss*
    Rodata,   ///< .rodata*: frozen once filled
    Kconfig,  ///< .kconfig: frozen once filled
  };
  maps::MapDef def;       ///< def.inner is not used
  std::string full_name;  ///< def.name is cut to what the kernel takes
  Origin origin = Origin::Btf;
  std::shared_ptr<const MapImage> inner = {};  ///< maps of maps: what may go in
  std::vector<u8> contents = {};               ///< of element 0; empty where all is zero
  std::vector<MapSlot> slots = {};
  u32 pinning = 0;       ///< enum libbpf_pin_type: 1 = by name
  u32 btf_key_type = 0;  ///< in ObjectImage::btf; 0 = unknown
  u32 btf_value_type = 0;
};

/// All that an object file holds.
struct ObjectImage {
  std::string name;  ///< the file's, without folder and suffix
  std::string license;
  u32 version = 0;
  std::vector<MapImage> maps;
  std::vector<ProgramImage> programs;
  std::vector<u8> btf;  ///< validated .BTF section, or empty
};

}  // namespace skep::runtime
