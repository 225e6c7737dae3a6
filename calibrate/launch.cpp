#include "calibrate/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {

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

std::string sharing_note(const std::vector<std::string>& libraries, int ranks_per_node, int own_processors,
                         int node_processors) {
  const bool gloo = std::find(libraries.begin(), libraries.end(), "gloo") != libraries.end();
  const bool enough = node_processors >= 2 * ranks_per_node;
  if (!gloo || (enough && own_processors > 1)) return {};
  return fmt::format(
      "Gloo has a thread beside each rank's own, and the two wait for each other until the system's tick, milliseconds "
      "a collective, where a rank has fewer than two processors; {}",
      enough ? "mpirun bound these to one each, --bind-to none does not"
             : fmt::format("this node has {} for {} ranks", node_processors, ranks_per_node));
}

}  // namespace mlsim::calibrate
