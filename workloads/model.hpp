// A model layer by layer: shapes, parameters, work and activation bytes per sample. Repeats are data, not code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/provenance.hpp"

namespace mlsim {

enum class LayerKind { convolution, batch_normalization, relu, add, max_pool, average_pool, dense, softmax_loss };

/// Channels x height x width of one sample.
struct Shape {
  int channels = 0, height = 0, width = 0;
  std::int64_t elements() const { return std::int64_t{channels} * height * width; }
  bool operator==(const Shape&) const = default;
};

/// One layer, in execution order, repeats unrolled.
struct Layer {
  LayerKind kind = LayerKind::convolution;
  std::string name;         // "stage1.block0.conv2"
  std::vector<int> inputs;  // indices of earlier layers; -1 is the model's input
  Shape input, output;      // of the first input
  int kernel = 1, stride = 1, padding = 0;
  bool bias = false;

  std::vector<std::int64_t> parameter_tensors() const;  // elements of each trainable tensor
  std::int64_t parameters() const;
  std::int64_t macs() const;  // forward multiply-accumulates per sample
};

struct Dataset {
  std::string name;
  std::int64_t train_samples = 0, validation_samples = 0;
};

struct Model {
  std::string name;       // "resnet50"
  std::string title;      // "ResNet-50 v1.5, ImageNet 224x224"
  std::string benchmark;  // key of the convergence tables, "resnet"
  std::string target;     // "75.9 % top-1"
  Shape input;
  Dataset dataset;
  std::vector<Layer> layers;
  Source source;

  std::int64_t parameters() const;
  int gradient_tensors() const;
  std::int64_t macs() const;
};

/// A catalogue name or the path of a YAML file. Throws InputError with file, line and the nearest word.
Model load_model(const std::string& name);
std::vector<std::string> model_names();

}  // namespace mlsim
