#include "studies/sweep/row_answerer.hpp"

#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"

namespace mlsim::studies {
namespace {

// The refusal is empty where the work is done.
template <class Work>
std::optional<SweepRow> refusal_of(Work work) {
  try {
    work();
    return std::nullopt;
  } catch (const InputError& e) {  // words that do not go together
    return SweepRow{0, RowStatus::refused, e.what(), {}};
  } catch (const Infeasible& e) {
    return SweepRow{0, RowStatus::refused, e.what(), {}};
  } catch (const Unavailable& e) {
    return SweepRow{0, RowStatus::failed, e.what(), {}};
  }
}

}  // namespace

SweepRow RowAnswerer::row(std::size_t point, const QuestionText& question) {
  PredictRequest request;
  SweepRow row{point, RowStatus::answered, "", {}};
  std::optional<SweepRow> refused = refusal_;
  if (!refused) refused = refusal_of([&] { request = request_of(question, known_); });
  request.one_of_many = true;
  if (!refused && names_collective(request.workload)) {
    refused = refusal_of([&] { row = row_of(point, predict(request)); });
    if (refused) refused->point = point;
    return refused.value_or(row);
  }
  if (!refused && step_ && !step_->answers(request)) step_.reset();
  if (!refused && !step_) refused = refusal_ = refusal_of([&] { step_ = std::make_unique<PredictedStep>(request); });
  if (!refused) refused = refusal_of([&] { row = row_of(point, step_->prediction(request)); });
  if (!refused) return row;
  refused->point = point;
  return *refused;
}

}  // namespace mlsim::studies
