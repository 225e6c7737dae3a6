// Results go to stdout, or to a caller in this process that captures them.
#pragma once

#include <string>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// While a `ResultCapture` lives, results are kept instead of printed. Only one lives at a time.
class ResultCapture {
 public:
  ResultCapture();
  ~ResultCapture();
  ResultCapture(const ResultCapture&) = delete;
  ResultCapture& operator=(const ResultCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Prints a result, or gives it to the ResultCapture that lives.
void show_result_text(const std::string& text);

}  // namespace mlsim::cli
