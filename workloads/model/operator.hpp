// An Operator says what a layer is: the keys of its model file entry, shapes, parameters, work and kept tensors.
//
// One table entry per LayerKind, in the file of its family under workloads/model/operators/. A new operator is one
// entry there.
#pragma once

#include <string_view>
#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/kernel/precision.hpp"
#include "core/text/words.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

class LayerEntry;

enum class Pass { forward, input_gradient, weight_gradient };

/// An OperatorClass says how a layer joins a kernel (workloads/lowering/kernel_group.hpp) and has gradients.
enum class OperatorClass {
  matrix_product,  // leads a kernel; pointwise layers behind it merge into it
  look_up,         // gathers rows; leads
  normalization,   // batch normalisation leads (needs the whole batch); layer normalisation also merges (needs a row)
  pointwise,       // merges into what makes its input
  pooling,         // leads
  view,            // moves nothing where fused or free; concat copies when not fused
  loss,            // ends the graph
  host,            // runs on the host
};

/// A FusionRole says how a layer runs: in kernels of its own, made of the primitive operators that a framework without
/// a compiler runs; or under fusion, at the head of a fused kernel or merged into another layer's.
enum class FusionRole { separate, leads, merged };

/// Kept is what stays in memory from the forward to the backward pass because of this layer.
struct Kept {
  bool inputs = false;  // all its inputs
  bool output = false;
  double extra = 0;  // further elements per sample in the step's format (attention probabilities, intermediates)
  double masks = 0;  // further elements of one byte each per sample (dropout masks)
  double wide = 0;   // further elements in fp32 whatever the step's format
};

struct Operator {
  LayerKind kind;
  std::string_view name;  // in model files
  OperatorClass operator_class;
  std::vector<std::string_view> options;  // keys of its entry besides layer, name, input, first, only, frozen, shares
  std::vector<std::string_view> inputs;   // further input keys in order: add {"shortcut"}, attention {"keys","values"}
  /// Fills the fields and `output` from the entry; `input` and `others` are set. Throws InputError at the entry.
  void (*shape)(const LayerEntry& entry, Layer& layer);
  std::vector<std::int64_t> (*parameter_tensors)(const Layer&);  // null: none
  std::int64_t (*macs)(const Layer&);                            // null: 0
  /// Returns the kernels of one pass over `batch` samples in order, none where it does nothing. An elementwise kind
  /// does all backward work in input_gradient. A merged layer has one kernel at most: what it adds to its host's.
  std::vector<KernelWork> (*work)(const Layer&, Pass, double batch, Precision, FusionRole);
  Kept (*kept)(const Layer&, FusionRole);
};

const Operator& operator_of(LayerKind kind);
const Words<LayerKind>& words(LayerKind);

}  // namespace mlsim::workloads
