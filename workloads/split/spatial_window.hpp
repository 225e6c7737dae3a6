// These functions say which rows of its input a layer reads for rows of its output, and which of them neighbours have.
#pragma once

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

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

}  // namespace mlsim::workloads
