#include "calibrate/launch.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim {

std::optional<Launch> launch_of(const std::function<const char*(const char*)>& variable) {
  const auto count = [&](const char* name, int lowest) {
    const char* text = variable(name);
    try {
      return text == nullptr ? lowest : parse_count(text, lowest);
    } catch (const InputError& e) {
      throw InputError(name, e.reason());
    }
  };
  if (variable("OMPI_COMM_WORLD_SIZE") == nullptr) return {};
  Launch launch{count("OMPI_COMM_WORLD_RANK", 0), count("OMPI_COMM_WORLD_SIZE", 1),
                count("OMPI_COMM_WORLD_LOCAL_SIZE", 1)};
  if (launch.ranks % launch.ranks_per_node != 0)
    throw InputError(
        fmt::format("mpirun put {} of {} ranks on this node; every node must have as many: mpirun "
                    "--map-by ppr:N:node",
                    launch.ranks_per_node, launch.ranks));
  return launch;
}

}  // namespace mlsim
