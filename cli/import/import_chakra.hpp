// `mlsim import chakra` simulates the execution traces of a run's ranks on a machine.
#pragma once

#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

struct ChakraImport {
  std::vector<std::string> files;  // the prefix, and a file of process groups where it is not PREFIX.groups.json
  std::string topology, sum_memory, output, links;
  std::vector<std::string> settings;
};

/// Shows the step on the topology, and writes it as JSON where `output` names a file. Throws InputError where an option
/// is missing or wrong, or the files are no run's.
int import_chakra(const ChakraImport& import);

}  // namespace mlsim::cli
