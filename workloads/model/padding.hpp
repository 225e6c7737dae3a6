// Padding says what of a model's samples is padding, and whose code does not compute it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"

namespace mlsim::workloads {

struct Model;

/// MLPerf's code of a round and a framework leaves padding out, and later such code does; or one stack does.
struct PaddingLeftOut {
  double round = 0;       // 1.0 of "v1.0"
  std::string framework;  // "pytorch"
  std::string stack;      // "dle-pytorch-2024-04-04"; empty where a round and a framework are named
  bool even = false;      // ranks trade samples, or draw samples of like lengths, so that all have as much to compute
  Source source;
};

struct Padding {
  std::map<std::string, std::int64_t>
      without;             // parameters that make a sample as long as the mean one: "sequence" -> 256
  Sourced<double> spread;  // standard deviation of a sample's length over its mean
  std::vector<PaddingLeftOut> left_out_by;
};

/// Reads `padding:` of a model file. Throws InputError with file, line and the nearest word.
Padding read_padding(const Document& at);

/// Returns the network as `stack` computes it: where that leaves padding out, layers of the mean sample's length, with
/// the spread of lengths where ranks keep their samples; else, or where the name gives the length, as it is.
Model as_computed(Model model, const std::string& stack);

/// Returns the name of what `stack` computes of a workload: "bert-large:sequence=256" of "bert-large" without padding.
const std::string& computed_workload(const std::string& workload, const std::string& stack);

}  // namespace mlsim::workloads
