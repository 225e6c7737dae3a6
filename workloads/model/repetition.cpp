#include "workloads/model/repetition.hpp"

#include <cctype>
#include <string_view>
#include <unordered_map>

namespace mlsim::workloads {
namespace {

// Returns "encoder.block3." of "encoder.block3.attention.query"; nothing outside of repeated blocks.
std::string_view repetition_prefix(std::string_view name) {
  constexpr std::string_view kBlock = ".block";  // how the reader of model files names repetitions
  for (auto at = name.rfind(kBlock); at != std::string_view::npos && at > 0; at = name.rfind(kBlock, at - 1)) {
    auto end = at + kBlock.size();
    const auto digits = end;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
    if (end > digits && end < name.size() && name[end] == '.') return name.substr(0, end + 1);
  }
  return {};
}

}  // namespace

std::vector<int> repetition_of_layer(const Model& model) {
  std::unordered_map<std::string_view, int> numbers;
  std::vector<int> repetition;
  for (const auto& layer : model.layers) {
    const auto prefix = repetition_prefix(layer.name);
    if (prefix.empty()) {
      repetition.push_back(-1);
    } else {
      repetition.push_back(numbers.emplace(prefix, static_cast<int>(numbers.size())).first->second);
    }
  }
  return repetition;
}

}  // namespace mlsim::workloads
