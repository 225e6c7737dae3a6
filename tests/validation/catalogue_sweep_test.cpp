// Every workload on a box of each sort and on a pod: an answer or a reason. Language models are one network in many
// sizes, and those that one box does not hold are searched for a split, so every third is asked, on one of four systems in
// turn, and all of them on all four in the slow sweep.
#include <cmath>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

enum class Sweep { usual, whole };

std::vector<PredictRequest> every_question(Sweep sweep) {
  PredictRequest request;
  request.builtin_profiles = builtin_profiles();
  request.anchors = published_anchors();
  request.one_of_many = true;
  std::vector<PredictRequest> questions;
  int model = 0;
  for (const auto& workload : model_names()) {
    int system = model++;  // where its turn begins
    const bool language = is_language_model(load_model(workload).sort);
    for (const std::string topology : {"dgx1-v100", "dgx-a100", "torus32x32", "gke-t4"}) {
      for (const int accelerators : {1, 8, 64}) {
        request.workload = workload;
        if (language && (accelerators == 1 || topology == "gke-t4" || topology == "dgx1-v100")) continue;
        if (sweep == Sweep::usual ? language && system++ % 12 != 0 : !language) continue;
        const bool box = topology.starts_with("dgx") && accelerators == 64;
        request.topology = box ? topology + ":nodes=8" : topology == "gke-t4" ? "gke-t4:nodes=64" : topology;
        request.accelerators = accelerators;
        questions.push_back(request);
      }
    }
  }
  return questions;
}

bool is_sound(const Prediction& p) {
  return p.step.time.value > 0 && std::isfinite(p.step.time.value) && p.throughput.value > 0 &&
         p.memory.per_accelerator.value > 0 && p.memory.largest_batch_per_accelerator > 0 &&
         (!p.time_to_target || *p.time_to_target > Seconds(0)) && (!p.cost || p.cost->value > 0);
}

void check_all(const std::vector<PredictRequest>& questions) {
  const auto all = answers(questions, [](const PredictRequest& r) { return predict(r); });
  std::size_t predicted = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(questions[i].workload << " on " << questions[i].accelerators << " of " << questions[i].topology << ": "
                               << all[i].refusal);
    if (all[i].prediction) {
      CHECK(is_sound(*all[i].prediction));
      ++predicted;
    } else {
      // A model of state that no single accelerator here holds is the one lawful reason.
      CHECK_THAT(all[i].refusal, Catch::Matchers::ContainsSubstring("holds"));
    }
  }
  CHECK(predicted > questions.size() / 2);
}

}  // namespace

TEST_CASE("every workload on every sort of system either predicts or is refused with the reason", "[sweep]") {
  const auto questions = every_question(Sweep::usual);
  REQUIRE(questions.size() >= 20 * 12 + 20);
  check_all(questions);
}

TEST_CASE("every language model on boxes and a pod either predicts or is refused with the reason", "[sweep][slow]") {
  const auto questions = every_question(Sweep::whole);
  REQUIRE(questions.size() >= 80 * 4);
  check_all(questions);
}
