// The reader of machine and accelerator files, the catalogue's and people's own (one schema).
#pragma once

#include <string>
#include <vector>

#include "core/document.hpp"
#include "topologies/machine_spec.hpp"

namespace mlsim::topologies {

struct AcceleratorFile {
  AcceleratorSpec spec;
  std::vector<BillRule> bill;  // of accelerators that are rented with their hosts
};

/// Each throws InputError with file and line.
AcceleratorFile read_accelerator(const Document& document);
MachineSpec read_machine(const Document& document);

std::vector<BillRule> read_bill(const Document& rules);

/// All of the catalogue, by name. Like the two below, each file is read when it is first asked for, then kept.
const std::vector<MachineSpec>& catalogue_machines();

/// Throws InputError with the nearest name.
const AcceleratorFile& catalogue_accelerator(const std::string& name);
/// The machine whose name, grid name or alias `word` is; null where there is none.
const MachineSpec* catalogue_machine(const std::string& word);

}  // namespace mlsim::topologies
