// A `PagePoint` is an answer among several that a section sets side by side: a size of one system, or a column of a
// comparison.
#pragma once

#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

struct PagePoint {
  std::string label;  // what tells it from the others: "4 096", "dgx-a100 precision=tf32"
  std::string system;
  const Prediction* prediction = nullptr;  // never null
};

using PagePoints = std::vector<PagePoint>;

}  // namespace mlsim::reports
