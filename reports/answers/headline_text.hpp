// The headline says the answer in a sentence or two.
#pragma once

#include <string>
#include <vector>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// Writes "resnet50 on 4096 x tpu-v3: 17.2 ms a step, 3.81 M samples/s; 30.4 s (21.6 .. 42.8 s) to 75.9 % top-1; 1 431
/// USD", in lines of at most `width` columns.
std::vector<std::string> headline_lines(const Prediction& prediction, std::size_t width);

/// Writes the same as one text; `color` makes it bold.
std::string headline_text(const Prediction& prediction, std::size_t width, bool color);

}  // namespace mlsim::reports
