// A DatasetInput is what a sample costs before it is on the accelerator: bytes to read, host time to decode.
#pragma once

#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "core/units.hpp"

namespace mlsim::workloads {

struct DatasetInput {
  std::string name;         // beginning of the dataset's name: "ImageNet"
  Sourced<Bytes> stored;    // size of one sample, as it is read
  Sourced<Seconds> decode;  // time of one hardware thread for one sample
};

/// The catalogue is what a file of inputs says.
struct InputCatalogue {
  std::vector<DatasetInput> datasets;
  std::vector<std::string> host_stacks;  // beginnings of the names of GPU stacks that decode on the host
  Source host_source;

  /// Returns null where nothing is known of the dataset.
  const DatasetInput* find(const std::string& dataset) const;
  bool decodes_on_host(const std::string& stack) const;
};

/// Throws InputError with file and line.
InputCatalogue parse_inputs(const Document& document);
/// Returns the built-in catalogue, workloads/catalogue/datasets.yaml.
const InputCatalogue& input_catalogue();

}  // namespace mlsim::workloads
