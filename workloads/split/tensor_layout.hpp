// A TensorLayout says which part of each layer a rank of Axis::tensor runs, found by walking the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// A Layout is what a rank has of a tensor.
enum class Layout : std::uint8_t { whole, channels, tokens };

/// A TensorRole is what a rank runs of a layer:
///   whole     all of it
///   column    outputs / ranks, from a whole input
///   row       inputs / ranks: what it makes are partial sums of whole outputs
///   table     rows / ranks of an embedding: partial sums too
///   channels  an operator that works channel by channel or head by head, on its part of the channels
///   tokens    an operator that works position by position, on its part of the positions
enum class TensorRole : std::uint8_t { whole, column, row, table, channels, tokens };

/// A table or an output layer before a loss is split only where every rank has so many rows or outputs: Megatron-LM
/// pads vocabularies to multiples of 128 a rank because smaller matrices are slow (arguments.py,
/// --make-vocab-size-divisible-by).
inline constexpr int kLeastVocabulary = 128;

/// A dense layer with so many times more inputs than outputs stays whole: that of a low-rank adapter, whose sum the
/// next layer needs, while what it adds to is split (NVIDIA NeMo, ParallelLinearAdapter). Ranks of adapters are 8 to 64
/// of thousands (Hu et al., arXiv:2106.09685, table 6).
inline constexpr int kNarrowing = 64;

struct TensorLayout {
  std::vector<TensorRole> roles;  // by layer
  std::vector<Layout> outputs;    // by layer, once its partial sums are added up
  std::vector<bool> vocabulary;   // by layer: its shares of the channels may differ by one, only a loss reads them
  std::vector<int> packed;        // by layer: channels of a rank's part of packed projections whose heads of keys and
                                  // values are fewer than ranks, each then on several of them; 0: an equal part
};

/// Returns roles that fit together: as many layers are split as may be, and where a tensor that is split by channels
/// meets an operator that needs it whole, the layers that made it stay whole. A gate, which has an output for each
/// expert of a mixture that reads the same tensor or goes by it, stays whole, because every rank sends its positions to
/// experts. Of tables that are added together only the largest is split: the others hold a row for each place or kind.
/// Layers between row- and column-parallel ones work on tokens with `sequence`, and `whole_experts` do.
TensorLayout find_tensor_layout(const Model& model, int ranks, bool sequence, bool whole_experts = false);

/// Returns the layout in which a layer of this role reads its inputs.
Layout input_layout(TensorRole role);

}  // namespace mlsim::workloads
