// What comes with mlsim, for questions of a test.
#pragma once

#include "calibrate/builtin_profiles.hpp"
#include "namespace.hpp"
#include "studies/question.hpp"
#include "validation/cases/cases.hpp"

namespace mlsim::test {

inline const KnownFigures& known() {
  static const KnownFigures figures{{}, builtin_profiles(), published_anchors()};
  return figures;
}

}  // namespace mlsim::test
