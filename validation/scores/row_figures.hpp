// A `RowFigure` is a number that is computed of a published row and stored beside it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/cases/answers.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

struct RowFigure {
  std::string id;
  double value = 0;
};

/// Computes the figure of every row by its place among `ids`, to four digits, several processes at a time; `activity`
/// says what is being done. Leaves out rows for which `figure` throws InputError or Infeasible: this catalogue cannot
/// ask them.
std::vector<RowFigure> row_figures(const std::vector<std::string>& ids, const std::string& activity,
                                   const std::function<double(std::size_t)>& figure, const AnswerOptions& options);

/// Writes "id,NAME", a line each, as the tables of validation/published/derived hold them.
std::string row_figures_csv(const std::string& name, const std::vector<RowFigure>& figures);

}  // namespace mlsim::validation
