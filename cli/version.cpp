#include "cli/version.hpp"

#include <fmt/format.h>

namespace mlsim::cli {

std::string to_text(const ProgramVersion& version) {
  if (version.revision.empty()) return fmt::format("mlsim {}", version.number);
  return fmt::format("mlsim {} ({}, {})", version.number, version.revision, version.date);
}

}  // namespace mlsim::cli
