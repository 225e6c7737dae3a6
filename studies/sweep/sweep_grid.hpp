// A `SweepGrid` holds all questions of a sweep: every combination of the values of its axes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "studies/question.hpp"
#include "studies/sweep/sweep_axis.hpp"

namespace mlsim::studies {

/// Checks what can be told of a word's value by itself, of any system: throws InputError where it can be none.
void check_value(const std::string& key, const std::string& value);

/// Axes of the job (prices, failures, epochs) are the last, so that points of one step lie side by side; the others
/// keep the order system, workload, size, batch, settings.
class SweepGrid {
 public:
  /// The grid is that of a question whose words hold lists. Throws InputError that names the option which is wrong,
  /// also where a value cannot be one of its word (an unknown system, a batch that is no number), and where there are
  /// too many points.
  explicit SweepGrid(const QuestionText& lists);

  const std::vector<SweepAxis>& axes() const { return axes_; }  // every word that was given, one value or several
  std::size_t points() const { return points_; }
  /// Returns how many neighbours, from every multiple of it on, differ only in what leaves the step as it is.
  std::size_t points_of_step() const { return points_of_step_; }

  QuestionText question(std::size_t point) const;

 private:
  std::vector<SweepAxis> axes_;
  std::size_t points_ = 1, points_of_step_ = 1;
};

}  // namespace mlsim::studies
