// Which rows of its input a layer reads for rows of its output, and what neighbours have of them.
#pragma once

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Rows begin to end - 1 of an image.
struct RowRange {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// The rows of an image of `height` rows that `rank` of `ranks` has: ceil(height / ranks), the last ranks fewer or
/// none.
RowRange rows_of_rank(int height, int ranks, int rank);

/// Rows of the layer's input that rows `output` of its output depend on; padding has none.
RowRange rows_read(const Layer& whole, RowRange output);
/// Rows of the layer's output that depend on rows `input` of its input.
RowRange rows_reading(const Layer& whole, RowRange input);

/// Rows of others that a rank needs besides its own, the most of any rank.
struct Halo {
  int before = 0, after = 0;
  bool neighbours = true;  // the ranks next to it have them all
  int rows() const { return before + after; }
};
/// Rows of the input, for the rank's rows of the output.
Halo input_halo(const Layer& whole, int ranks);
/// Rows of the output's gradient, for the gradient of the rank's rows of the input.
Halo gradient_halo(const Layer& whole, int ranks);

/// A window slides over the layer's rows: a convolution, plain or transposed, a pool or upsampling.
bool has_window(const Layer& layer);

/// Rows of its input that a rank's kernel reads for its part of the output, the same on all ranks: what lies beyond the
/// edge of the image is there as zeros.
int window_rows(const Layer& whole, int ranks);

}  // namespace mlsim::workloads
