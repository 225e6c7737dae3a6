#include "workloads/model/model_reader.hpp"

#include "core/text/errors.hpp"
#include "workloads/model/changed_network.hpp"
#include "workloads/model/layer_list.hpp"
#include "workloads/model/model_header.hpp"

namespace mlsim::workloads {
namespace {

void check_keys(const Document& file) {
  std::vector<std::string> keys{"title",      "aliases", "like",    "benchmark", "sort",          "target", "sample",
                                "parameters", "layouts", "dataset", "source",    "sample_spread", "padding"};
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

// Padding is that of the file's own samples: with a length that the name gives, nothing is known of it.
std::optional<Padding> padding_of(const Document& at, const FileParameters& parameters,
                                  const ParameterOverrides& overrides) {
  Padding padding = read_padding(at);
  std::vector<std::string> known;
  for (const auto& [name, value] : parameters.values()) known.push_back(name);
  for (const auto& [name, value] : padding.without) {
    if (!parameters.values().contains(name)) throw at.at("without").error(unknown_word("parameter", name, known));
    if (overrides.contains(name)) return std::nullopt;
  }
  return padding;
}

}  // namespace

Model read_model(const std::vector<Document>& files, const std::string& name, const ParameterOverrides& overrides) {
  for (const auto& file : files) check_keys(file);
  const FileParameters parameters(files, overrides, name);
  Model model = read_header(files, parameters);
  model.name = name;
  model.parameters_of_file = parameters.values();
  model.changed = changed_network(files, parameters);
  if (files.front().has("padding")) model.padding = padding_of(files.front().at("padding"), parameters, overrides);
  read_layers(files.back().at("layers"), parameters, model);
  parameters.check_all_used();
  return model;
}

}  // namespace mlsim::workloads
