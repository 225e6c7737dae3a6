// These parameters are the constants of NCCL's structure as the vector that a fit searches.
#pragma once

#include <vector>

#include "calibrate/namespace.hpp"
#include "costs/nccl_structure.hpp"

namespace mlsim::calibrate {

/// A parameter is one number of the search: it scales its constants together, and may lie so far from their prior.
struct NcclParameter {
  double width;                                              // width of the log, or of the constant itself
  std::vector<double*> (*constants)(NcclConstants& values);  // in `values`
  bool shifted = false;                                      // moves by the width, not below 0, else scales
};

const std::vector<NcclParameter>& nccl_parameters();

/// Returns `prior` with each parameter's constants times exp(width * at), or shifted by width * at.
NcclConstants scaled(NcclConstants prior, const std::vector<double>& at);

}  // namespace mlsim::calibrate
