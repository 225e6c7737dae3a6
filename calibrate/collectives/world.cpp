#include "calibrate/collectives/world.hpp"

#include <fmt/format.h>

#include <exception>

#include "core/text/errors.hpp"

namespace mlsim::calibrate {

void agreed_step(World& world, const std::function<void()>& step) {
  std::string obstacle;
  try {
    step();
  } catch (const std::exception& e) {
    obstacle = *e.what() == '\0' ? "failed without a reason" : e.what();
  }
  const auto obstacles = world.gathered(obstacle);
  for (std::size_t rank = 0; rank < obstacles.size(); ++rank) {
    if (obstacles[rank].empty()) continue;
    throw Unavailable(rank == 0 ? obstacles[rank] : fmt::format("rank {}: {}", rank, obstacles[rank]));
  }
}

}  // namespace mlsim::calibrate
