// The layouts that were held against one another, a line each.
#pragma once

#include <string>
#include <vector>

#include "core/result/layout_choice.hpp"

namespace mlsim::reports {

/// Writes "tensor=8,pipeline=4,micro_batch=1: 5.20 s a step, 61.3 GiB, 8 % bubble, limited by kernels", the quickest
/// first.
std::vector<std::string> layout_items(const std::vector<LayoutChoice>& layouts);

}  // namespace mlsim::reports
