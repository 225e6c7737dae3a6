// Parallelism says how a step is spread over the ranks: the axes of the device mesh and their sizes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/words.hpp"

namespace mlsim::workloads {

/// The ranks along an axis share out among themselves:
///   data           samples of the batch
///   normalization  samples too; ranks that take the mean and variance of batch normalisations together
///   spatial        rows of each image
///   expert         samples, and the experts of a mixture-of-experts layer
///   embedding      samples, and the tables of embedding bags
///   tensor         the matrices of a layer: heads, hidden units, vocabulary
///   pipeline       layers, in consecutive stages
///   context        tokens of each sample
///   columns        columns of each image; a request says "spatial=2x4", rows by columns
///   replica        samples: groups of data ranks that each hold all of a sharded state (sharding_ranks)
enum class Axis : std::uint8_t {
  data,
  normalization,
  spatial,
  expert,
  embedding,
  tensor,
  pipeline,
  context,
  columns,
  replica
};
inline constexpr std::size_t kAxes = 10;

inline Words<Axis> words(Axis) {
  return {"axis",
          {"data", "normalization", "spatial", "expert", "embedding", "tensor", "pipeline", "context", "columns",
           "replica"}};
}

/// An AxisSet is a set of axes; a collective over a set runs between all ranks that differ in these coordinates only.
class AxisSet {
 public:
  constexpr AxisSet() = default;
  constexpr AxisSet(Axis axis)
      : bits_(static_cast<std::uint16_t>(1u << static_cast<unsigned>(axis))) {}  // NOLINT: a set of one
  constexpr bool has(Axis axis) const { return (bits_ & AxisSet(axis).bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr AxisSet operator|(AxisSet other) const { return from(bits_ | other.bits_); }
  constexpr AxisSet without(AxisSet other) const { return from(bits_ & ~other.bits_); }
  auto operator<=>(const AxisSet&) const = default;

 private:
  static constexpr AxisSet from(unsigned bits) {
    AxisSet set;
    set.bits_ = static_cast<std::uint16_t>(bits);
    return set;
  }
  std::uint16_t bits_ = 0;
};
constexpr AxisSet operator|(Axis a, Axis b) { return AxisSet(a) | AxisSet(b); }
/// Writes "data+spatial"; "none" where the set is empty.
std::string to_text(AxisSet set);

/// The global batch is divided along these axes.
inline constexpr AxisSet kBatchAxes = Axis::data | Axis::normalization | Axis::expert | Axis::embedding | Axis::replica;
/// A replicated parameter has several partial gradients along these axes.
inline constexpr AxisSet kGradientAxes = kBatchAxes | Axis::spatial | Axis::columns | Axis::context;

struct Parallelism {
  std::array<int, kAxes> sizes{1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

  int& operator[](Axis axis) { return sizes[static_cast<std::size_t>(axis)]; }
  int operator[](Axis axis) const { return sizes[static_cast<std::size_t>(axis)]; }
  /// Returns the ranks along the axes of a set: the product of their sizes.
  int size_of(AxisSet set) const;
  int ranks() const;
  int batch_ranks() const { return size_of(kBatchAxes); }
  /// Returns the axes of the set that are longer than 1.
  AxisSet used(AxisSet set) const;
  auto operator<=>(const Parallelism&) const = default;
};
/// Writes "data=128, spatial=4" or "spatial=2x2": axes longer than 1; "data=1" where there is none.
std::string to_text(const Parallelism& parallelism);

/// Returns only data parallelism over so many ranks.
Parallelism data_parallel(int ranks);

/// A request is "pipeline=8,micro_batches=32,data=2" over `ranks` ranks, in these words or those of Megatron-LM
/// ("pp=8,dp=2"). Axes that are left out have length 1, but data takes what the others leave. Throws InputError for an
/// unknown axis, a repeated one or a size that is no count, and Infeasible where the product is not `ranks`, with the
/// nearest that is. A count of 0 was not given.
struct ParallelismRequest {
  Parallelism parallelism;
  int micro_batches = 0;  // of a step
  int micro_batch = 0;    // samples of one; excludes the count
  int interleave = 0;     // chunks of layers on each stage
  int expert_tensor = 0;  // ranks that share the matrices of an expert

  /// Says whether no expert is divided where all else is: the experts are then shared out among tensor ranks, too, and
  /// of "tensor=2,expert=64,expert_tensor=1" Axis::expert has the other 32, of "tensor=2,expert=2,expert_tensor=1" one.
  bool whole_experts() const { return expert_tensor == 1 && parallelism[Axis::tensor] > 1; }
};
/// Writes a layout in the words of a request: "data=2, expert=64, tensor=2, expert_tensor=1" where experts are whole.
std::string to_text(Parallelism parallelism, bool whole_experts);
/// This request leaves the axes to whoever reads it (sim/expert/); by itself it is that of data alone.
inline constexpr std::string_view kAutomaticParallelism = "auto";
ParallelismRequest parse_parallelism(std::string_view text, int ranks);
/// A ParallelismWord is what may stand in a request: "tensor", "tp" for short, and what so many of it are.
struct ParallelismWord {
  std::string name, alias;  // an alias is empty where there is none
  std::string meaning;
};
/// Lists the words of a request: the axes, then the counts.
const std::vector<ParallelismWord>& parallelism_words();
/// Says whether parse_parallelism() takes "word=N".
bool is_parallelism_word(const std::string& word);
/// Throws the InputErrors of parse_parallelism() on any number of ranks.
void check_parallelism(std::string_view text);

}  // namespace mlsim::workloads
