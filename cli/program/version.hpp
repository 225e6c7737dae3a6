// A `ProgramVersion` says which mlsim this is.
#pragma once

#include <string>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Revision and date are those of the commit that was built; empty outside a git checkout.
struct ProgramVersion {
  std::string number, revision, date;
};
const ProgramVersion& program_version();

/// Writes "0.3.0 (a909645, 2026-11-22)".
std::string to_text(const ProgramVersion& version);

}  // namespace mlsim::cli
