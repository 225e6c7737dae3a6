#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/collective_answer.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest request(const std::string& workload, const Settings& settings = {},
                       const std::string& topology = "gke-cpu", int ranks = 4) {
  PredictRequest request;
  request.topology = topology;
  request.accelerators = ranks;
  request.workload = workload;
  request.options = options_of(settings);
  return request;
}

PredictRequest with_laws(PredictRequest request) {
  request.builtin_profiles = builtin_profiles();
  return request;
}

}  // namespace

TEST_CASE("predict answers one collective by itself, by hand: a ring's messages and its bytes") {
  const Prediction p = predict(request("all-reduce:payload=30MB", {{"algorithm", "ring"}, {"communicator", "mpi"}}));
  REQUIRE(p.collective);
  const double messages = 6 * (70e-6 + 2 * 12.5e-6 + 4 * 150e-9), bytes = 1.5 * 30e6 / (0.56 * 7.5e9 / 8);
  CHECK(p.step.time.value == Approx(43e-6 + messages + bytes).epsilon(1e-3));
  CHECK(p.step.communication == p.step.time);
  CHECK(p.collective->messages == 6);
  CHECK(p.collective->latency.value == Approx(43e-6 + messages).epsilon(1e-3));
  CHECK((p.collective->latency + p.collective->transfer).value == Approx(p.step.time.value));
  CHECK(p.collective->algorithm_bandwidth.value == Approx(30e6 / p.step.time.value));
  CHECK(p.collective->bus_bandwidth.value == Approx(1.5 * 30e6 / p.step.time.value));
  CHECK(p.collective->backend == "mpi");
  CHECK(prediction_from_json(to_json(p), "again").collective->payload == Bytes(30e6));
}

TEST_CASE("every kind of collective is answered by itself, and a larger payload takes longer") {
  for (const std::string& kind : lone_collectives()) {
    CAPTURE(kind);
    Seconds last;
    for (const std::string payload : {"4B", "4kB", "1MiB", "64MiB"}) {
      const Prediction p = predict(with_laws(request(kind + ":payload=" + payload)));
      CHECK(p.step.time > last);
      CHECK_FALSE(p.provenance.empty());
      last = p.step.time;
    }
  }
}

TEST_CASE("words of a job are refused of a collective, and a collective where a network is needed") {
  PredictRequest batch = request("all-reduce:payload=1MiB");
  batch.global_batch = 8;
  CHECK_THROWS_WITH(predict(batch), ContainsSubstring("--global-batch"));
  PredictRequest axes = request("all-reduce:payload=1MiB");
  axes.parallelism = "data=4";
  CHECK_THROWS_WITH(predict(axes), ContainsSubstring("--parallelism"));
  CHECK_THROWS_WITH(predict(request("all-reduce:payload=1MiB", {{"data", "real"}})), ContainsSubstring("data=real"));
  CHECK_THROWS_AS(predict(request("all-reduce:payload=1MiB", {}, "gke-cpu", 1)), Infeasible);
}

// MLBench, task 0: "NCCL and GLOO both support float16 communication, while MPI only supports float32", "NCCL only
// supports GPU tensors".
TEST_CASE("libraries add up fp16 where MLBench found that they do") {
  const auto asked = [](const std::string& topology, const std::string& library,
                        const std::string& kind = "all-reduce") {
    PredictRequest half = request(kind + ":payload=1MiB", {{"communicator", library}}, topology, 2);
    half.precision = Precision::fp16;
    return half;
  };
  CHECK(predict(asked("gke-cpu", "gloo")).step.time > Seconds(0));
  CHECK(predict(asked("gke-t4", "gloo")).step.time > Seconds(0));
  CHECK(predict(asked("gke-t4", "nccl")).step.time > Seconds(0));
  CHECK_THROWS_WITH(predict(asked("gke-cpu", "mpi")), ContainsSubstring("16 bits") && ContainsSubstring("gloo"));
  CHECK_THROWS_WITH(predict(asked("gke-t4", "mpi")), ContainsSubstring("communicator=nccl"));
  CHECK_THROWS_WITH(predict(asked("gke-cpu", "nccl")), ContainsSubstring("GPUs alone"));
  CHECK(predict(asked("gke-cpu", "mpi", "all-gather")).step.time > Seconds(0));  // which adds up nothing
}

TEST_CASE("a step in fp16 does not exchange its gradients by MPI") {
  PredictRequest step = request("resnet20-cifar", {{"communicator", "mpi"}}, "gke-t4", 2);
  step.precision = Precision::fp16;
  CHECK_THROWS_WITH(predict(step), ContainsSubstring("MPI"));
  step.precision = Precision::fp32;
  CHECK(predict(step).step.time > Seconds(0));
}

// mlbench/mlbench-docs@d321755, task0a: at most 1.5 kB, 2 and 4 workers; the median growth of NCCL is 1.27.
TEST_CASE("small messages of NCCL grow as a tree's and not as a ring's") {
  const auto time = [](int ranks, const std::string& library) {
    return predict(with_laws(request("all-reduce:payload=1076B", {{"communicator", library}}, "gke-t4", ranks)))
        .step.time;
  };
  CHECK(time(2, "nccl").value == Approx(0.40e-3).epsilon(0.25));
  CHECK(time(4, "nccl").value == Approx(0.58e-3).epsilon(0.25));
  CHECK(time(4, "nccl") / time(2, "nccl") == Approx(1.27).epsilon(0.2));
  CHECK(time(16, "nccl") / time(4, "nccl") < 2);  // a ring's would be more than three times as long
}
