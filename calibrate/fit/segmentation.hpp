// segmentations() cuts a row of items into consecutive pieces in the cheapest way, for every number of pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// A `Segmentation` is one way to cut: the first item of each piece, and the cost of all pieces.
struct Segmentation {
  std::vector<std::size_t> begins;
  double cost = 0;
};

/// `cost(begin, end)` is that of a piece, infinite where the piece may not be. Element k - 1 of the result has k
/// pieces; as many as are possible, up to `most`. O(items^2 (most + cost)).
std::vector<Segmentation> segmentations(std::size_t items, std::size_t most,
                                        const std::function<double(std::size_t begin, std::size_t end)>& cost);

/// Returns the one of `candidates`, at least one, with the least n ln(SSE / n) + (3 K - 1) ln n, where cost is the SSE
/// of n relative residuals, taken as at least n 0.003^2: K pieces of two constants each and K - 1 breaks.
const Segmentation& least_bic(const std::vector<Segmentation>& candidates, double points);

}  // namespace mlsim::calibrate
