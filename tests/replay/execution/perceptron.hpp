// A network of three dense layers as a model file.
#pragma once

#include <fstream>
#include <string>

#include "scratch_folder.hpp"

namespace mlsim::test {

inline std::string written_perceptron(const ScratchFolder& folder) {
  const std::string path = folder.path("perceptron.yaml");
  std::ofstream(path) << R"(title: Three dense layers
target: throughput only
sample: vector of 24 features
family: linear
input: {features: 24}
dataset: {name: random numbers, train_samples: 1000, validation_samples: 0}
source: {provenance: assumed, source: "a test", date: "2026"}
layers:
  - {layer: dense, name: fc1, outputs: 17}
  - {layer: relu, name: relu1}
  - {layer: dense, name: fc2, outputs: 11, bias: false}
  - {layer: relu, name: relu2}
  - {layer: dense, name: fc3, outputs: 5}
  - {layer: softmax_loss, name: loss}
)";
  return path;
}

/// The path of the file, which is written once, for threads that ask together, and lives as long as the program.
inline std::string perceptron_file() {
  static const ScratchFolder folder;
  static const std::string path = written_perceptron(folder);
  return path;
}

}  // namespace mlsim::test
