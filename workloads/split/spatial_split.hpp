// Spatial partitioning spreads each image's rows over the ranks of Axis::spatial, and batch normalisation over groups.
#pragma once

#include "workloads/lowering/sharded_model.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Returns the part of the busiest of `rows` ranks that share out each image by rows: of an image of H rows a rank has
/// ceil(H / rows) (the last ones fewer or none), weights are on all of them. XLA partitions a program so (Kumar et
/// al., arXiv:1909.09756; Xu et al., GSPMD, arXiv:2105.04663):
///
///   windows       convolutions, pools and upsampling compute the rank's rows of their output. Rows that others made
///                 are exchanged before (halo; all rows where they are not the neighbours'), and in the backward pass
///                 rows of the output's gradient, so that a rank makes the whole gradient of its own input rows.
///   pointwise     on the rank's rows; so are losses and dense layers of positions. A batch normalisation takes its
///                 mean and variance over the whole image: distribute_normalization's sums, over Axis::spatial.
///   regions       roi_align and what follows: each rank has regions of its own, cut from the gathered image, whose
///                 gradient is summed up and scattered; regions are images of their own, without a halo
///   whole         what has fewer rows than ranks and all the rest (flatten, reshape, joined positions, attention, the
///                 host): every rank computes all of it from the gathered input, of whose gradient each keeps its part
///   partial sums  a pool that averages all rows: a small all-reduce
///
/// `columns` ranks share out the columns of each image likewise, over Axis::columns, before `rows` ranks its rows; what
/// is exchanged along one axis is then of the part along the other (XLA's input_partition_dims [1, rows, columns, 1]).
/// Corners travel with the rows, whose input has its columns' halo by then. Models with regions have rows only.
///
/// Gradients of weights are summed over Axis::spatial, but for layers that every rank computes whole. A payload of a
/// halo is twice the larger side, as the neighbour exchange sends half each way. One rank changes nothing. Throws
/// InputError for fewer than one, and Infeasible for a model without images or with fewer rows than ranks in every
/// convolution, with the most that works.
ShardedModel split_spatial(ShardedModel sharded, int rows, int columns = 1);

/// Batch normalisations take mean and variance over Axis::normalization too (and over Axis::spatial where the image is
/// split): 2 C sums in fp32 before the forward and before the backward kernels of each, all-reduced (Ying et al.,
/// arXiv:1811.06992, section 3.2). Frozen ones have no statistics. Works before or after split_spatial.
ShardedModel distribute_normalization(ShardedModel sharded);

/// A RowRange is rows begin to end - 1 of an image.
struct RowRange {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// Returns the rows that `rank` of `ranks` has of an image: ceil(height / ranks), the last ranks fewer or none.
RowRange rows_of_rank(int height, int ranks, int rank);

/// Returns the rows of the layer's input that rows `output` of its output depend on; padding has none.
RowRange rows_read(const Layer& whole, RowRange output);
/// Returns the rows of the layer's output that depend on rows `input` of its input.
RowRange rows_reading(const Layer& whole, RowRange input);

/// A Halo counts the rows of others that a rank needs besides its own, the most of any rank.
struct Halo {
  int before = 0, after = 0;
  bool neighbours = true;  // the ranks next to it have them all
  int rows() const { return before + after; }
};
/// Returns the rows of the input, for the rank's rows of the output.
Halo input_halo(const Layer& whole, int ranks);
/// Returns the rows of the output's gradient, for the gradient of the rank's rows of the input.
Halo gradient_halo(const Layer& whole, int ranks);

/// A window slides over the layer's rows: a convolution, plain or transposed, a pool or upsampling.
bool has_window(const Layer& layer);

/// Returns the rows of its input that a rank's kernel reads for its part of the output, the same on all ranks: rows
/// beyond the edge of the image are there as zeros.
int window_rows(const Layer& whole, int ranks);

/// Says whether the layer takes mean and variance of its input: a batch normalisation that is not frozen.
bool has_statistics(const Layer& layer);

/// Sums the statistics of the layer over `axes` too: adds the two exchanges, or widens those that are there.
void share_statistics(ShardedModel& sharded, int layer, AxisSet axes);

/// Puts the exchanges in the order of their layers.
void sort_exchanges(ShardedModel& sharded);

}  // namespace mlsim::workloads
