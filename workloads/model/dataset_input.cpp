#include "workloads/model/dataset_input.hpp"

#include <algorithm>

#include "workloads_files.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::string_view kFile = "datasets.yaml";

Source read_source(const Document& map) {
  return {map.at("provenance").word<Provenance>(), map.at("source").text(),
          map.has("date") ? map.at("date").text() : ""};
}

template <class Q>
Sourced<Q> read_figure(const Document& figure) {
  figure.allow_only({"value", "provenance", "source", "date"});
  const Q value = figure.at("value").quantity<Q>();
  if (value.value <= 0) throw figure.at("value").error("must be more than zero, not " + figure.at("value").text());
  return {value, read_source(figure)};
}

DatasetInput read_dataset(const Document& item) {
  item.allow_only({"name", "stored", "decode"});
  return {item.at("name").text(), read_figure<Bytes>(item.at("stored")), read_figure<Seconds>(item.at("decode"))};
}

}  // namespace

const DatasetInput* InputCatalogue::find(const std::string& dataset) const {
  const auto found = std::find_if(datasets.begin(), datasets.end(),
                                  [&](const DatasetInput& input) { return dataset.starts_with(input.name); });
  return found == datasets.end() ? nullptr : &*found;
}

bool InputCatalogue::decodes_on_host(const std::string& stack) const {
  return std::any_of(host_stacks.begin(), host_stacks.end(),
                     [&](const std::string& beginning) { return stack.starts_with(beginning); });
}

InputCatalogue parse_inputs(const Document& document) {
  document.allow_only({"datasets", "decode_on_host"});
  InputCatalogue catalogue;
  for (const Document& item : document.at("datasets").items()) catalogue.datasets.push_back(read_dataset(item));
  const Document host = document.at("decode_on_host");
  host.allow_only({"stacks", "source"});
  for (const Document& stack : host.at("stacks").items()) catalogue.host_stacks.push_back(stack.text());
  catalogue.host_source = read_source(host.at("source"));
  return catalogue;
}

const InputCatalogue& input_catalogue() {
  static const InputCatalogue catalogue =
      parse_inputs(Document::embedded(file_at(workloads_files(), kFile), "workloads/catalogue/datasets.yaml"));
  return catalogue;
}

}  // namespace mlsim::workloads
