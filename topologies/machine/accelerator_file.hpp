// Accelerator files have one schema, in the catalogue and for people's own machines; this header reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

struct AcceleratorFile {
  AcceleratorSpec spec;
  std::vector<BillRule> bill;  // of accelerators that are rented with their hosts
};

/// Throws InputError with file and line.
AcceleratorFile read_accelerator(const Document& document);

/// Gives one of the catalogue's, which is read when it is first asked for, then kept. Throws InputError with the
/// nearest name.
const AcceleratorFile& catalogue_accelerator(const std::string& name);
/// Gives what that file says of the accelerator. Throws InputError with the nearest name.
AcceleratorSpec load_accelerator(const std::string& name);
/// The result is empty for one that the catalogue does not hold, as those that a machine file of one's own describes.
std::optional<AcceleratorSpec> find_accelerator(const std::string& name);
std::vector<std::string> accelerator_names();

/// Says whether two of the catalogue's differ in nothing that sets the speed of a kernel, as V100 with 16 and with 32
/// GB.
bool same_speed(const std::string& a, const std::string& b);

}  // namespace mlsim::topologies
