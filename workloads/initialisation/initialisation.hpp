// initialisation() says how long a program takes from its start to the first touch of its data.
//
// It is a median by family and size, but on TPUs, where t was logged on a small system,
//   time = t(network, framework) + per_machine(framework) * (machines - machines of t)
// MLPerf from v0.6 leaves it off the clock, and it is billed. The figures are in
// workloads/catalogue/initialisation.yaml.
#pragma once

#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "core/units.hpp"

namespace mlsim::workloads {

/// A `ProgramStart` is what starts, and where.
struct ProgramStart {
  std::string family;     // of accelerators: "gpu", "tpu"; any other word is "other"
  std::string benchmark;  // "resnet"; empty for a network that no benchmark has
  std::string stack;      // "mlperf-v0.7-jax"; empty where none is known
  int accelerators = 1, machines = 1;
};

struct Initialisation {
  Seconds time;
  std::string framework;  // "JAX"; empty where it is not told apart
  Source source;
};

/// A `FrameworkStart` holds how long a framework takes to compile each network for TPUs.
struct FrameworkStart {
  struct Network {
    std::string benchmark;
    Seconds time;
    int machines = 1;  // of the system that took so long
    std::string source;
  };
  std::string name;
  std::vector<std::string> stacks;  // and those whose names go on from these
  std::string networks_of;          // the framework whose times stand in for networks that are not listed; may be empty
  Sourced<Seconds> per_machine;
  std::vector<Network> networks;
};

struct FamilyStart {
  std::string family;
  std::vector<Seconds> times;  // by size
};

/// The catalogue is what a file of initialisation times says.
struct InitialisationCatalogue {
  std::vector<FrameworkStart> frameworks;  // the first is that of stacks which none of them names
  std::vector<int> sizes;                  // accelerators up to which each time of a family but the last holds
  std::vector<FamilyStart> families;
  Source family_source;

  /// Returns the framework with the longest name of a stack that `stack` is or goes on from.
  const FrameworkStart& framework(const std::string& stack) const;
  Initialisation initialisation(const ProgramStart& start) const;
};

/// Throws InputError with file and line.
InitialisationCatalogue parse_initialisation(const Document& document);
/// Returns the built-in catalogue, workloads/catalogue/initialisation.yaml.
const InitialisationCatalogue& initialisation_catalogue();

}  // namespace mlsim::workloads
