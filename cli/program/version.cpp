#include "cli/program/version.hpp"

#include <fmt/format.h>

namespace mlsim::cli {

std::string to_text(const ProgramVersion& version) {
  if (version.revision.empty()) return version.number;
  return fmt::format("{} ({}, {})", version.number, version.revision, version.date);
}

}  // namespace mlsim::cli
