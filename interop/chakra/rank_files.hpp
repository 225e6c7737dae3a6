// rank_files() lists the files of a run by rank: PREFIX.0.et, PREFIX.1.et, ...
#pragma once

#include <string>
#include <vector>

#include "interop/namespace.hpp"

namespace mlsim::interop {

/// Returns the files by rank. Throws InputError where there is none, a rank is missing, or two files are of one rank.
std::vector<std::string> rank_files(const std::string& prefix);

}  // namespace mlsim::interop
