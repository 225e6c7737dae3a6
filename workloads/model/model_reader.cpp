#include "workloads/model/model_reader.hpp"

#include "workloads/model/changed_network.hpp"
#include "workloads/model/layer_list.hpp"
#include "workloads/model/model_header.hpp"

namespace mlsim::workloads {
namespace {

void check_keys(const Document& file) {
  std::vector<std::string> keys{"title",      "aliases", "like",    "benchmark", "target",       "sample",
                                "parameters", "layouts", "dataset", "source",    "sample_spread"};
  if (!file.has("like")) {
    keys.insert(keys.end(), {"family", "input", "inputs", "layers"});
  } else {
    for (const auto* key : {"family", "input", "inputs", "layers"}) {
      if (file.has(key)) {
        throw file.at(key).error("\"" + std::string(key) + "\" cannot stand beside \"like\": it comes from there");
      }
    }
  }
  file.allow_only(keys);
}

}  // namespace

Model read_model(const std::vector<Document>& files, const std::string& name, const ParameterOverrides& overrides) {
  for (const auto& file : files) check_keys(file);
  const FileParameters parameters(files, overrides, name);
  Model model = read_header(files, parameters);
  model.name = name;
  model.parameters_of_file = parameters.values();
  model.changed = changed_network(files, parameters);
  read_layers(files.back().at("layers"), parameters, model);
  parameters.check_all_used();
  return model;
}

}  // namespace mlsim::workloads
