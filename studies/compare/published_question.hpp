// A published question is a published run's, asked as that run was made: `--like mlperf-v1.1-...`.
#pragma once

#include <string>

#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"
#include "studies/question.hpp"

namespace mlsim::studies {

/// Gives the question of the row `id` of the published tables, with the price, seed and fidelity of `words`, which says
/// nothing else. Throws InputError that names the nearest id, or the word that the row says already.
PredictRequest published_question(const std::string& id, const QuestionText& words, const KnownFigures& known);

}  // namespace mlsim::studies
