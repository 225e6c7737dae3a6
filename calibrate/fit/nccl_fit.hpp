// fit_nccl() fits NCCL's structure (costs/nccl_structure.hpp) to sweeps; nccl_curve() brings it to a system.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"
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

/// An `NcclSweep` is an all-reduce measured on a system; `points` in any order, positive.
struct NcclSweep {
  std::string name;
  NcclSystem system;
  NcclFilter filter;  // what NCCL was held to, as by NCCL_ALGO
  std::vector<PayloadTime> points;
};

/// Finds the constants by which the quickest variant comes nearest to all sweeps, every sweep weighted alike: soft-L1
/// loss of the log of time with scale 0.1, held to `prior` by a width for each constant. Constants that no sweep
/// depends on keep their prior. Throws InputError where a sweep has no point, one of its points is not positive and
/// finite, or its system has fewer than two ranks or no variant that its filter lets through. The program ships the
/// outcome, below; a test fits it anew, as whoever adds a sweep does.
NcclConstants fit_nccl(const std::vector<NcclSweep>& sweeps, const NcclConstants& prior = prior_nccl_constants());

/// Returns the constants that `prior` becomes by a few sizes (two to five; from seven on a stored sweep is better) of a
/// system that is otherwise not known. On published systems left out, median errors of the other sizes go from 7.3 to
/// 7.4 % with two sizes (P90 from 27 to 26 %), from 7.7 to 6.6 % with three and from 8.1 to 6.0 % with five.
NcclConstants sharpened(const NcclConstants& prior, const NcclSweep& few);

/// Returns |predicted / measured - 1| of each point.
std::vector<double> nccl_errors(const NcclConstants& constants, const NcclSweep& sweep);

/// Turns the structure into a curve on payloads from 8 B to 16 GiB: knots at every doubling, segments by the fit of any
/// sweep. The curve takes the sweep's points, and its errors go into `residual`; `source` is `fitted` and names `from`.
CollectiveCurve nccl_curve(const NcclConstants& constants, const NcclSweep& sweep, const std::string& from);

/// Bends the curve through its points: between them the logarithms by which they differ from it are interpolated over
/// that of the payload, beyond them they stay. This is for systems that do not run as their hardware suggests; a curve
/// that meets its points as well as others do is not made better (on published systems left out, 1 to 4 points of
/// median error worse with two sizes).
CollectiveCurve bent_to_points(CollectiveCurve curve);

}  // namespace mlsim::calibrate
