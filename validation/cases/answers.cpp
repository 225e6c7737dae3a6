#include "validation/cases/answers.hpp"

#include "core/process/workers.hpp"
#include "core/text/errors.hpp"

namespace mlsim::validation {
namespace {

Answer answer_of(const Outcome& outcome) {
  try {
    return {prediction_from_json(outcome.value(), "answer"), {}};
  } catch (const MachineFailed&) {
    throw;
  } catch (const Unavailable&) {
    throw;
  } catch (const std::exception& e) {
    return {std::nullopt, e.what()};
  }
}

}  // namespace

std::vector<Answer> answers(const std::vector<PredictRequest>& questions,
                            const std::function<Prediction(const PredictRequest&)>& predictor,
                            const AnswerOptions& options) {
  return answers(
      questions.size(), [&](std::size_t question) { return questions[question]; }, predictor, options);
}

std::vector<Answer> answers(std::size_t questions, const std::function<PredictRequest(std::size_t)>& question,
                            const std::function<Prediction(const PredictRequest&)>& predictor,
                            const AnswerOptions& options) {
  std::vector<Answer> found(questions);
  WorkerOptions how;
  how.workers = options.workers;
  how.time_limit = options.time_limit;
  how.process = "the process that predicted it";
  how.keep_outcomes = false;
  how.activity = options.activity;
  how.arrived = [&](std::size_t number, const Outcome& outcome) { found[number] = answer_of(outcome); };
  how.name = options.name;
  how.say = options.say;
  worker_outcomes(
      questions, [&](std::size_t number) { return to_json(predictor(question(number))); }, how);
  return found;
}

}  // namespace mlsim::validation
