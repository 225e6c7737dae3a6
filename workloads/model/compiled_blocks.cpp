#include "workloads/model/model_reader.hpp"

#include <algorithm>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"

namespace mlsim::workloads {
namespace {

bool is_in_block(const std::string& layer, const std::string& block) {
  return ("." + layer + ".").find("." + block + ".") != std::string::npos;
}

std::vector<std::string> block_names(const Model& model) {
  std::vector<std::string> names;
  for (const Layer& layer : model.layers) {
    for (const std::string& part : split(layer.name, '.'))
      if (std::find(names.begin(), names.end(), part) == names.end()) names.push_back(part);
  }
  return names;
}

}  // namespace

void compile_only(Model& model, const std::vector<std::string>& blocks) {
  for (Layer& layer : model.layers) layer.eager = true;
  for (const std::string& block : blocks) {
    bool found = false;
    for (Layer& layer : model.layers) {
      if (!is_in_block(layer.name, block)) continue;
      layer.eager = false;
      found = true;
    }
    if (!found) throw InputError("--set xla", unknown_word("block of " + model.name, block, block_names(model)));
  }
}

}  // namespace mlsim::workloads
