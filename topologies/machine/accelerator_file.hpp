// Accelerator files have one schema, in the catalogue and for people's own machines; this header reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "topologies/cluster/cluster.hpp"
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

/// The entry has {threads, memory, storage}, each with provenance, and where it is `shared` also "accelerators": how
/// many have one host, as the chips of a grid do. Throws InputError with file and line.
HostSpec read_host(const Document& host, bool shared);

/// Returns the names of the catalogue's accelerators of the model that a device's or platform's name says: those of
/// H100 for "NVIDIA H100 80GB HBM3" and "dgxh100_n8", mi300x for "8xMI300X". Boards and memories of a model are not
/// told apart. Empty where it says none.
std::vector<std::string> accelerators_of_device_name(const std::string& device);

/// Returns those of them whose board and memory are all that the name says besides: v100-sxm2-16gb and v100-pcie for
/// "Tesla V100 16GB", none for "dgxh100_n8".
std::vector<std::string> accelerators_spelled(const std::string& word);

/// Throws InputError at `place` where the device's name says a model that `accelerator` is not; one that the catalogue
/// does not hold is of no model of it. A name that says none passes.
void check_device_name(const std::string& place, const std::string& device, const std::string& accelerator);

}  // namespace mlsim::topologies
