// The text of a collective by itself: its time, its bandwidths, and where the time goes.
#pragma once

#include <cstddef>
#include <string>

#include "core/result/prediction.hpp"
#include "reports/answers/answer_text.hpp"

namespace mlsim::reports {

/// Writes "all-reduce of 910 KiB on 2 x n1-cpu (gke-cpu): 2.43 ms by mpi". `prediction` is of a collective.
std::string collective_headline(const Prediction& prediction);

/// The page has the headline, bandwidths, parts of the time and the word of trust.
std::string collective_text(const Prediction& prediction, const AnswerStyle& style);

}  // namespace mlsim::reports
