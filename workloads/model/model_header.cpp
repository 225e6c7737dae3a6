#include "workloads/model/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/convergence/convergence.hpp"
#include "workloads/model/layer_entry.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

constexpr int kMostPixels = 65536;      // along one side
constexpr int kMostFeatures = 1 << 24;  // and tokens
constexpr std::size_t kMostInputs = 64;
constexpr std::int64_t kMostSamples = 1'000'000'000'000'000;

int input_extent(const Document& shape, const char* key, int highest, const FileParameters& parameters) {
  const Document value = shape.at(key);
  const int extent = parameters.count(value);
  if (extent > highest) {
    throw value.error(fmt::format("{} is absurdly large for an input; at most {}", extent, highest));
  }
  return extent;
}

Shape read_shape(const Document& input, const FileParameters& parameters) {
  Shape shape;
  if (input.has("features") || input.has("tokens")) {
    input.allow_only({"features", "tokens"});
    shape = {input.has("features") ? input_extent(input, "features", kMostFeatures, parameters) : 1,
             input.has("tokens") ? input_extent(input, "tokens", kMostFeatures, parameters) : 1, 1};
  } else {
    input.allow_only({"channels", "height", "width", "features", "tokens"});
    shape = {input_extent(input, "channels", kMostPixels, parameters),
             input_extent(input, "height", kMostPixels, parameters),
             input_extent(input, "width", kMostPixels, parameters)};
  }
  if (shape.elements() > kLargestTensor) {
    throw input.error(fmt::format("an input of {} is absurdly large", shape_text(shape)));
  }
  return shape;
}

std::vector<ModelInput> read_inputs(const Document& file, const FileParameters& parameters) {
  if (!file.has("inputs")) return {{"input", read_shape(file.at("input"), parameters)}};
  if (file.has("input")) throw file.at("input").error("\"input\" beside \"inputs\"; give one of them");
  std::vector<ModelInput> inputs;
  for (const auto& [name, shape] : file.at("inputs").entries()) {
    check_name(name, shape);
    inputs.push_back({name, read_shape(shape, parameters)});
  }
  if (inputs.empty()) throw file.at("inputs").error("the model needs an input");
  if (inputs.size() > kMostInputs) throw file.at("inputs").error(fmt::format("more than {} inputs", kMostInputs));
  return inputs;
}

// A corpus counts tokens: how many samples they make depends on the length of a sample.
Dataset read_dataset(const Document& dataset, const FileParameters& parameters, std::int64_t tokens_of_sample) {
  Dataset read{dataset.at("name").text()};
  if (tokens_of_sample == 0 || !dataset.has("train_tokens")) {
    dataset.allow_only({"name", "train_samples", "validation_samples"});
    read.train_samples = parameters.value(dataset.at("train_samples"), 1, kMostSamples);
    read.validation_samples = parameters.value(dataset.at("validation_samples"), 0, kMostSamples);
    return read;
  }
  dataset.allow_only({"name", "train_tokens", "validation_tokens"});
  const auto samples = [&](const char* key, std::int64_t lowest) {
    const std::int64_t tokens = parameters.value(dataset.at(key), lowest, kMostSamples);
    return std::max(lowest, tokens / tokens_of_sample);
  };
  read.train_samples = samples("train_tokens", 1);
  read.validation_samples = samples("validation_tokens", 0);
  return read;
}

Source read_model_source(const Document& source) {
  source.allow_only({"provenance", "source", "date"});
  return {source.at("provenance").word<Provenance>(), source.at("source").text(),
          source.has("date") ? source.at("date").text() : ""};
}

Sourced<double> read_sample_spread(const Document& spread) {
  spread.allow_only({"value", "provenance", "source"});
  const double value = spread.at("value").number();
  if (!(value >= 0 && value <= 3)) throw spread.at("value").error("a spread is a share of the mean, from 0 to 3");
  return {value, {spread.at("provenance").word<Provenance>(), spread.at("source").text(), ""}};
}

// Reads what a document says over what holds without it.
PublishedSoftware read_software(const Document& training, PublishedSoftware read = {}) {
  if (training.has("software")) read.software = training.at("software").word<SoftwareClass>();
  if (training.has("attention")) read.attention = training.at("attention").word<AttentionKernels>();
  if (training.has("settings"))
    for (const auto& [key, value] : training.at("settings").entries()) read.settings[key] = value.text();
  return read;
}

PublishedTraining read_training(const Document& training) {
  training.allow_only({"format", "chips", "formats", "but", "software", "attention", "settings", "on", "source"});
  training.at("source").text();
  PublishedTraining read;
  if (training.has("format") || training.has("chips")) {  // neither says anything alone
    const auto format = training.at("format").word<Precision>();
    for (const Document& chip : training.at("chips").items()) read.formats[chip.text()] = format;
    if (training.has("but"))
      for (const Document& name : training.at("but").items()) read.but.push_back(name.text());
  }
  if (training.has("formats"))
    for (const auto& [chip, format] : training.at("formats").entries()) read.formats[chip] = format.word<Precision>();
  read.software = read_software(training);
  if (training.has("on"))
    for (const auto& [accelerator, software] : training.at("on").entries()) {
      software.allow_only({"software", "attention", "settings"});
      read.software_on.emplace(accelerator, read_software(software, read.software));
    }
  return read;
}

// A model that is like a benchmark's need not be one itself.
std::string read_benchmark(const Document& benchmark) {
  const std::string name = benchmark.text();
  return name == "none" ? "" : benchmark.word("benchmark", convergence_benchmarks());
}

// Returns the first file's value of `key`; the error names the model's own file.
Document header_value(const std::vector<Document>& files, const std::string& key) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const Document& file) { return file.has(key); });
  return found == files.end() ? files.front().at(key) : found->at(key);
}

bool header_has(const std::vector<Document>& files, const std::string& key) {
  return std::any_of(files.begin(), files.end(), [&](const Document& file) { return file.has(key); });
}

}  // namespace

NetworkSort read_sort(const std::vector<Document>& files) {
  return header_has(files, "sort") ? header_value(files, "sort").word<NetworkSort>() : NetworkSort::image;
}

Model read_header(const std::vector<Document>& files, const FileParameters& parameters) {
  Model model;
  model.title = parameters.text(header_value(files, "title"));
  model.target = header_value(files, "target").text();
  if (header_has(files, "benchmark")) model.benchmark = read_benchmark(header_value(files, "benchmark"));
  model.sample = parameters.text(header_value(files, "sample"));
  if (files.back().has("tokens")) model.tokens = parameters.count(files.back().at("tokens"));
  model.dataset = read_dataset(header_value(files, "dataset"), parameters, model.tokens);
  model.source = read_model_source(header_value(files, "source"));
  if (header_has(files, "sample_spread"))
    model.sample_spread = read_sample_spread(header_value(files, "sample_spread"));
  if (header_has(files, "training")) model.training = read_training(header_value(files, "training"));
  model.sort = read_sort(files);
  model.family = files.back().at("family").word<ModelFamily>();
  model.inputs = read_inputs(files.back(), parameters);
  return model;
}

}  // namespace mlsim::workloads
