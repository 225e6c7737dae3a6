#include "studies/answer_figure.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "studies/known_figures.hpp"
#include "studies/question.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("figures have the names and values that the answer's JSON has") {
  QuestionText question;
  question.topology = "dgx-a100";
  question.workload = "bert-large";
  const Prediction answer = predict(request_of(question, known()));
  const auto json = nlohmann::json::parse(to_json(answer));
  std::set<std::string> at_the_top;
  for (const AnswerFigure& figure : figures()) {
    INFO(figure.key);
    if (json.contains(figure.key)) {
      at_the_top.insert(figure.key);
      CHECK(figure.value(answer) == json[figure.key].get<double>());
    }
    if (figure.interval) CHECK(figure.interval(answer) == json["interval"][figure.key].get<Interval>());
  }
  CHECK(at_the_top == std::set<std::string>{"time_to_target_s", "cost_usd", "cost_without_init_usd", "price_usd_per_s",
                                            "throughput_samples_per_s", "speedup", "scaling_efficiency", "mfu"});
}
