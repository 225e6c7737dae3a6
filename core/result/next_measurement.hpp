// A NextMeasurement would narrow an answer.
#pragma once

#include <string>

#include "core/text/statement.hpp"

namespace mlsim {

struct NextMeasurement {
  Statement what;    // "kernel conv_forward fp32 ..., by the roofline so far"
  double share = 0;  // part of the step's time that rests on it; 0 where no part of the step can be named
  std::string command;
  bool operator==(const NextMeasurement&) const = default;
};

}  // namespace mlsim
