// Published rates on real data against what the input pipeline is said to deliver: measured systems had their input.
#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/job/input_pipeline.hpp"
#include "sim/plan/plan.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct Compared {
  int rows = 0, near = 0;
};

PredictRequest request_of(const Case& row) {
  PredictRequest request;
  request.topology = row.topology;
  request.workload = row.workload;
  request.accelerators = row.accelerators;
  request.global_batch = row.global_batch;
  request.precision = row.precision;
  request.options = row.options;
  request.anchors = published_anchors();
  request.builtin_profiles = builtin_profiles();
  return request;
}

}  // namespace

TEST_CASE("no published throughput on real data is above what its input can deliver") {
  Compared compared;
  for (const auto& row : published_cases()) {
    if (row.metric != Metric::throughput || !row.options.input.real()) continue;
    InputPipeline input;
    try {
      input = input_pipeline(make_plan(request_of(row)));
    } catch (const std::runtime_error&) {
      continue;  // refused for another reason; the scoreboard counts it
    }
    if (input.slowest() == nullptr) continue;
    ++compared.rows;
    INFO(row.id << ": " << input.slowest()->name << ", " << input.slowest()->what.text);
    CHECK(row.value <= input.slowest()->rate.value);
    if (row.value > 0.5 * input.slowest()->rate.value) ++compared.near;
  }
  CHECK(compared.rows > 100);
  CHECK(compared.near > 0);  // some come near: the limits say something
}
