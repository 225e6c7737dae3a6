// A `Project` is what belongs to no single question: own price lists, catalogues and profiles, from the environment and
// from mlsim.yaml.
#pragma once

#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "topologies/price/own_price.hpp"

namespace mlsim::cli {

/// An `OwnPath` is a file or folder of the user's, and where it was named: "MLSIM_PRICES", "mlsim.yaml:3".
struct OwnPath {
  std::string path, origin;
};

/// Each list is in the order in which it counts: the environment before mlsim.yaml.
struct Project {
  std::string file;  // empty: there is none
  std::vector<OwnPath> prices, topologies, workloads, profiles;
};

/// Reads the environment's MLSIM_PRICES, MLSIM_TOPOLOGIES, MLSIM_WORKLOADS and MLSIM_PROFILES, each with paths between
/// colons, and the file MLSIM_CONFIG, else mlsim.yaml of the current folder where there is one; paths in it start from
/// its folder. Throws InputError with file and line, or variable, where a key is unknown or a path does not exist.
Project read_project();

/// Returns the project of this run; `use_project` reads it, and lets its catalogues count.
const Project& project();
void use_project();

/// Loads the price lists of `files` (of the command line), then the project's.
std::vector<OwnPrice> own_price_lists(const std::vector<std::string>& files);

/// Lists `files` (of the command line), then the project's.
std::vector<std::string> own_profile_paths(const std::vector<std::string>& files);

/// Lists every file of the user's that an answer may lean on: these profiles and price lists, and all of the project's.
std::vector<std::string> own_files(const std::vector<std::string>& profiles, const std::vector<std::string>& prices);

}  // namespace mlsim::cli
