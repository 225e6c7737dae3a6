// A `TimeRate` is the rate at which a job takes its published time: what a row without a throughput tells of the speed
// of its system.
#pragma once

#include <string>
#include <vector>

#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

struct TimeRate {
  const Case* row = nullptr;  // a time to a target, an input
  PerSecond rate;
};

/// Finds for every time to a target among `cases` that is an input, in their order, the throughput with which the row's
/// recipe takes that time, by bisection to 1e-6, several processes at a time. Throws as predict() does.
std::vector<TimeRate> time_rates(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                 const AnswerOptions& options = {});
/// The rates point into the cases, which must outlive them.
std::vector<TimeRate> time_rates(std::vector<Case>&& cases, const SharedList<Profile>& profiles,
                                 const AnswerOptions& options = {}) = delete;

/// Writes a table of cases with the rates as anchors, as validation/published/mlperf_rates_of_times.csv stores them.
std::string time_rates_csv(const std::vector<TimeRate>& rates);

/// Makes the id of the anchor that a time gives: "...-rate" of "...-time".
std::string rate_id(const std::string& time_id);

}  // namespace mlsim::validation
