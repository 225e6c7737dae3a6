// This header lists the rows of the table of options, theme by theme.
#pragma once

#include <vector>

#include "sim/namespace.hpp"
#include "sim/options/option.hpp"

namespace mlsim::sim {

using OptionTheme = std::vector<Option>;

OptionTheme software_options();
OptionTheme memory_options();
OptionTheme exchange_options();
OptionTheme parallelism_options();
OptionTheme input_options();
OptionTheme recipe_options();
OptionTheme job_options();
OptionTheme failure_options();
OptionTheme price_options();
OptionTheme defect_options();
OptionTheme straggler_options();

}  // namespace mlsim::sim
