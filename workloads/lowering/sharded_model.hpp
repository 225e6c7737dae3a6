// A ShardedModel is the part of a model that one rank computes, and what ranks say to each other in between.
//
// A technique that splits layers turns a model into the part of one rank, with the same layers under the same numbers:
// shapes, parameters and inputs are the rank's own. Work, fusion and memory then follow from it as from any model.
// Techniques apply one after the other: split_tensor(split_spatial(model, ...), ...).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

inline constexpr Bytes kRowNumber(8);  // that names a row of an embedding on the wire: PyTorch's and TensorFlow's int64

/// A Moment says when a layer's exchange runs. Forward it takes what the layer reads, or has made; backward the
/// gradient of what it has made, before its backward kernels read that, or the gradients of its inputs.
enum class Moment { before_forward, after_forward, before_backward, after_backward };

/// A LayerExchange is a collective between the ranks of an axis, without which a pass cannot go on.
struct LayerExchange {
  int layer = 0;
  Moment moment = Moment::after_forward;
  CollectiveKind kind = CollectiveKind::all_reduce;
  AxisSet axes;
  double elements_per_sample = 0;  // payload per rank as nccl-tests counts it, of one of the rank's own samples, in the
                                   // format of the step
  Bytes fixed;                     // besides, whatever the batch
  std::string what;                // "halo of conv1", "heads of attention"
  Bytes bytes_per_sample{};        // besides, of one of the rank's own samples, whatever the format
  int copies = 1;                  // all-to-all: ranks that each element goes to, where one copy a node will do
  bool beside = false;             // it runs beside the layer's kernels, and only what follows them waits for it
  bool operator==(const LayerExchange&) const = default;
};

struct ShardedModel {
  /// Every rank computes the whole model; gradients are summed over all of kGradientAxes.
  ShardedModel(Model whole)  // NOLINT: a model is the one-rank case
      : model(std::move(whole)),
        gradient_axes(model.layers.size(), kGradientAxes),
        copies(model.layers.size()),
        load(model.layers.size(), 1.0) {}

  Model model;
  std::vector<LayerExchange> exchanges;  // by layer, in the order in which they run where they share a moment
  std::vector<AxisSet> gradient_axes;    // by layer: ranks over which the gradients of its own parameters are summed
  std::vector<AxisSet> copies;           // by layer: ranks that hold the same outputs
  std::vector<double> load;              // by layer: work of the busiest rank over that of this one, at least 1
  std::vector<std::string> notes;        // what was assumed or could not be split, one sentence each
  // Only a pipeline stage has these: layers whose outputs later stages read, which send their gradients; and whether
  // earlier stages wait for gradients of this one's inputs.
  std::vector<int> outputs;
  bool inputs_trained = false;
};

}  // namespace mlsim::workloads
