#include "studies/compare/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/answer/predict.hpp"
#include "studies/plan/job_bill.hpp"
#include "validation/cases/answers.hpp"

namespace mlsim::studies {
namespace {

// The knee is the size with the least of this: time x cost, s USD, or where one of them has no price time x time x
// accelerators, s2.
double time_and_effort(const Prediction& p, bool priced) {
  const auto bill = job_bill(p);
  if (bill && priced) return bill->time.value * bill->cost()->value;
  const double time = bill ? bill->time.value : 1 / p.throughput.value;
  return time * (bill ? bill->billed.value : time) * p.inputs.accelerators;
}

bool all_priced(const std::vector<JobPoint>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](const JobPoint& size) {
    const auto bill = size.prediction ? job_bill(*size.prediction) : std::nullopt;
    return !size.prediction || (bill && bill->price);
  });
}

PredictRequest question_at(PredictRequest request, const JobPoint& point) {
  request.accelerators = point.accelerators;
  request.one_of_many = true;
  if (!point.global_batch) return request;
  request.global_batch = point.global_batch;
  request.batch_per_accelerator.reset();
  return request;
}

void answer_points(const PredictRequest& request, std::vector<JobPoint*> points, const ScalingOptions& options) {
  std::vector<PredictRequest> questions;
  for (const JobPoint* point : points) questions.push_back(question_at(request, *point));
  validation::AnswerOptions asking;
  asking.workers = options.workers;
  asking.activity = "answering sizes and batches";
  asking.name = [&](std::size_t i) { return fmt::format("{} accelerators", points[i]->accelerators); };
  asking.say = options.say;
  const auto found = validation::answers(
      questions, [](const PredictRequest& question) { return predict(question); }, asking);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i]->prediction = found[i].prediction;
    points[i]->refusal = found[i].refusal;
  }
}

// Tells whether the batch is one that the question left open: it is the quickest to the target of those on record, and
// others would be of no run that anybody made.
bool chose_batch(const Prediction& answer) {
  const auto& chosen = answer.inputs.chosen.quantities;
  return std::any_of(chosen.begin(), chosen.end(), [](const auto& each) { return each.name == "global_batch"; });
}

// The batches are an eighth, a quarter, a half and the whole of the answer's, where those are whole numbers.
std::vector<double> other_batches(const Prediction& answer) {
  std::vector<double> batches;
  if (!answer.job || chose_batch(answer)) return batches;
  for (const double part : {8, 4, 2, 1}) {
    const double batch = answer.inputs.global_batch / part;
    if (batch >= 1 && batch == std::round(batch)) batches.push_back(batch);
  }
  return batches;
}

// A size that was answered with this batch already is not asked again.
std::vector<JobPoint> batch_points(const Scaling& study, const Prediction& answer) {
  std::vector<JobPoint> points;
  for (const double batch : other_batches(answer)) {
    for (const JobPoint& size : study.sizes) {
      const bool known = size.prediction && size.prediction->inputs.global_batch == batch;
      if (!known && batch >= size.accelerators) points.push_back({size.accelerators, batch, {}, {}});
    }
  }
  return points;
}

std::vector<JobPoint*> pointers(std::vector<JobPoint>& points) {
  std::vector<JobPoint*> all;
  for (JobPoint& point : points)
    if (!point.prediction) all.push_back(&point);
  return all;
}

}  // namespace

std::vector<int> scaling_sizes(int most) {
  std::set<int> sizes{most};
  for (long long size = 1; size < most; size *= 2) sizes.insert(static_cast<int>(size));
  for (int size = most; size % 2 == 0; size /= 2) sizes.insert(size / 2);
  return {sizes.begin(), sizes.end()};
}

std::optional<std::size_t> knee_of(const std::vector<JobPoint>& sizes) {
  std::optional<std::size_t> knee;
  const bool priced = all_priced(sizes);
  int answered = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].prediction) continue;
    ++answered;
    if (!knee || time_and_effort(*sizes[i].prediction, priced) < time_and_effort(*sizes[*knee].prediction, priced))
      knee = i;
  }
  return answered > 1 ? knee : std::nullopt;
}

Scaling scaling(const PredictRequest& request, const Prediction& answer, const ScalingOptions& options) {
  Scaling study;
  const int own = answer.inputs.accelerators;
  for (const int size : options.sizes.empty() ? scaling_sizes(own) : options.sizes)
    study.sizes.push_back({size, {}, size == own ? std::optional(answer) : std::nullopt, {}});
  answer_points(request, pointers(study.sizes), options);
  study.batches = batch_points(study, answer);
  answer_points(request, pointers(study.batches), options);
  std::erase_if(study.batches, [](const JobPoint& point) { return !point.prediction; });
  study.knee = knee_of(study.sizes);
  return study;
}

}  // namespace mlsim::studies
