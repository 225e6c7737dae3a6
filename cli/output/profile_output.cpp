#include "cli/output/terminal.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/files/output_file.hpp"

namespace mlsim::cli {

void write_profile(const std::string& output, const Profile& profile) {
  write_file(output, to_json(profile));
  say(fmt::format("{} holds {} kernels, {} probes, {} laws and {} collectives of {}", output, profile.kernels.size(),
                  profile.probes.size(), profile.laws.size(), profile.collectives.size(), profile.accelerator));
}

}  // namespace mlsim::cli
