// One line on a terminal that says how far a long run is.
#pragma once

#include <string>

#include "cli/namespace.hpp"
#include "core/units.hpp"

namespace mlsim::cli {

/// "[##########..........] 12 of 24, 1.5 min left  kernel conv_forward ...", at most 79 columns.
std::string progress_text(int done, int all, Seconds left, const std::string& what);

/// Drawn on stderr where that is a terminal, else nothing; wiped at its end.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& text);

 private:
  bool visible_;
};

}  // namespace mlsim::cli
