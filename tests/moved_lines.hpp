// Stored tables of figures against those of today.
#pragma once

#include <string>
#include <vector>

#include "tests/namespace.hpp"

namespace mlsim::test {

/// The lines of `stored` ("- ...") and `now` ("+ ...") that have no like on the other side. Lines are alike where their
/// cells, those of a CSV or of a markdown table, are the same but for one unit of a figure's last digit: another
/// compiler rounds otherwise. Counts below 1000 are the same to the digit.
std::vector<std::string> moved_lines(const std::string& stored, const std::string& now);

}  // namespace mlsim::test
