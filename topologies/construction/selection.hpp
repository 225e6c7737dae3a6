// A `Selection` is the machine that a topology name means, from the catalogue, the grid grammar or a file.
#pragma once

#include <string>
#include <string_view>

#include "topologies/machine/machine_spec.hpp"
#include "topologies/machine/topology_name.hpp"

namespace mlsim::topologies {

struct Selection {
  MachineSpec machine;
  std::string head;             // the word that leads back to it
  bool from_catalogue = false;  // as it stands there
  bool bare_grid = false;       // torusXxY or meshXxY that is no machine of the catalogue
};

/// A torus or mesh whose name says no chip has this one, whatever its size.
inline constexpr std::string_view kGridAccelerator = "tpu-v3", kThreeDimensionalGridAccelerator = "tpu-v4";

/// Finds the machine of the catalogue that is meant; null where it is none. torus16x16 is TPU v2's pod only with an
/// accelerator.
const MachineSpec* machine_called(const TopologyName& name);

/// Throws InputError on an unknown word or a bad file.
Selection select_machine(const TopologyName& name);

/// Gives the machine another accelerator of its kind; its price is then the accelerator's, if that has one.
/// Throws InputError on an unknown one or one of another family in a node.
void change_accelerator(Selection& selection, const std::string& name);

}  // namespace mlsim::topologies
