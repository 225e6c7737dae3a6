// Published runs stand beside an answer: the nearest one, those of the same workload, and a run asked as a question.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"
#include "studies/question.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::studies {

/// Finds the nearest of the published cases of the same network that state a throughput, a step time or a time to
/// target: the same workload first, then the same accelerator, precision, a stack that was named, nearest in doublings
/// of accelerators, then of the batch per accelerator, with a time before a rate where `answer` has a time to target,
/// then the same machine and the stack in use. Beside it stands what is said of it unseen (unseen_runs()). Empty where
/// no run of the network is published.
std::optional<PublishedRun> nearest_published_run(const PredictRequest& request, const Prediction& answer);

/// Sets that run beside an answer that is no collective's. Where it was made on this very system and lies outside the
/// answer's range, a warning says so, and in what it was another question.
void add_published_run(Prediction& answer, const PredictRequest& request);

/// Gives the question of the row `id` of the published tables, with the price, seed and fidelity of `words`, which says
/// nothing else. Throws InputError that names the nearest id, or the word that the row says already.
PredictRequest published_question(const std::string& id, const QuestionText& words, const KnownFigures& known);

/// Finds the published checks of the answer's workload that state its time to target (without one: its throughput),
/// those on the most similar count of accelerators first, at most `most`. Each is predicted without its own value, as
/// `validate` does, and left out where it is refused.
std::vector<validation::CaseResult> comparable_runs(const PredictRequest& request, const Prediction& answer,
                                                    std::size_t most = 10);

}  // namespace mlsim::studies
