// A validation sets predictions against publications: every case predicted from the anchors, scored, and held against
// the bounds.
//
// A command needs:
//
//   ValidationOptions options;
//   options.profiles = builtin_profiles();            // after the user's own
//   const auto cases = file.empty() ? published_cases() : load_cases(file);
//   const ValidationReport report = validate_published(cases, options);
//   out << page_text(validation_page(report), {});    // reports/pages/pages.hpp, reports/renderers/renderers.hpp
//   return exit_status(report);                       // 0, or 1 beyond the stated bound
#pragma once

#include <functional>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/answer/predict.hpp"
#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "validation/cases/evidence.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/error_bounds.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::validation {

/// A `Predictor` answers a case's question; the default is predict() itself.
using Predictor = std::function<Prediction(const PredictRequest&)>;

struct ValidationOptions {
  SharedList<Profile> profiles;  // the user's first, then the built-in ones; all count as built in
  Fidelity fidelity =
      Fidelity::closed;  // agrees with the simulations to four digits, pipelines of 35 stages in seconds
  std::uint64_t seed = 0;
  Asking asking;
  AnswerOptions answering;
  Predictor predictor;  // empty: predict()
};

struct ValidationReport {
  Asking asking;
  std::vector<CaseResult> cases;  // in the order of the table; those that are asked
  std::vector<GroupScore> groups;
  ErrorBounds bounds;
};

/// Predicts and scores `cases`. Anchors and relative_to are looked up in `cases` first, then among the built-in
/// published_cases(); a case never leans on its own value unless it is an anchor, and those are not scored.
/// With a question other than the plain one a case leans on what that leaves, and groups have no bounds.
/// A case that cannot be predicted is refused with the reason. Throws InputError where relative_to names no case;
/// MachineFailed or Unavailable as answers().
ValidationReport validate_published(const std::vector<Case>& cases, const ValidationOptions& options = {},
                                    const ErrorBounds& bounds = published_bounds());

/// The status is 0 where every group keeps its bound, 1 otherwise.
int exit_status(const ValidationReport& report);

/// The schema is validation/scores/validation.schema.json.
std::string to_json(const ValidationReport& report);

/// Asks the question of a case, leaning on `evidence`.
PredictRequest request_of(const Case& c, const CaseEvidence& evidence, const ValidationOptions& options);

}  // namespace mlsim::validation
