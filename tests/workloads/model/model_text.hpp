// Model files for tests: a head, the layers of interest and a classifier behind them.
#pragma once

#include <string>

#include "tests/namespace.hpp"
#include "workloads/model/model_reader.hpp"

namespace mlsim::test {

/// Lines 1 to 7 of a file; with "layers:" behind it, the layers start on line 9. The input is 3 x 8 x 8.
inline const std::string kHead =
    "title: Small\n"
    "target: none\n"
    "input: {channels: 3, height: 8, width: 8}\n"
    "dataset: {name: toy, train_samples: 10, validation_samples: 0}\n"
    "source: {provenance: assumed, source: test}\n"
    "sample: image\n"
    "family: convolutional\n";

inline const std::string kTail =
    "  - {layer: dense, name: classifier, outputs: 2}\n"
    "  - {layer: softmax_loss, name: loss}\n";

inline Model read_text(const std::string& text, const ParameterOverrides& overrides = {}) {
  return read_model({Document::parse(text, "m.yaml")}, "m", overrides);
}

/// The head and the tail round `layers`.
inline Model read_between(const std::string& layers) { return read_text(kHead + "layers:\n" + layers + kTail); }

/// The head with other inputs, and the tail, round `layers`.
inline std::string with_inputs(const std::string& inputs, const std::string& layers) {
  std::string text = kHead + "layers:\n" + layers + kTail;
  const auto at = text.find("input:");
  return text.replace(at, text.find('\n', at) - at, "inputs: " + inputs);
}

}  // namespace mlsim::test
