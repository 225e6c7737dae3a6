#include "workloads/model/network_name.hpp"

namespace mlsim::workloads {

std::string_view network_name(std::string_view workload) {
  const std::string_view name = workload.substr(0, workload.find(':'));
  const auto dash = name.rfind("-v");
  const bool version = dash != std::string_view::npos && dash + 2 < name.size() &&
                       name.find_first_not_of("0123456789.", dash + 2) == std::string_view::npos;
  return version ? name.substr(0, dash) : name;
}

}  // namespace mlsim::workloads
