#include "kernels/cpu/framework/cpu_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace mlsim::kernels {

std::string cpu_clock() {
  double slowest = std::numeric_limits<double>::infinity();
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (line.starts_with("cpu MHz") && colon != std::string::npos)
      slowest = std::min(slowest, std::strtod(line.c_str() + colon + 1, nullptr));
  }
  return slowest < std::numeric_limits<double>::infinity() ? fmt::format("{:.2f} GHz", slowest / 1000) : "";
}

}  // namespace mlsim::kernels
