#include "workloads/model/network_name.hpp"

namespace mlsim::workloads {

std::string network_name(const std::string& workload) {
  const std::string name = workload.substr(0, workload.find(':'));
  const auto dash = name.rfind("-v");
  const bool version = dash != std::string::npos && dash + 2 < name.size() &&
                       name.find_first_not_of("0123456789.", dash + 2) == std::string::npos;
  return version ? name.substr(0, dash) : name;
}

}  // namespace mlsim::workloads
