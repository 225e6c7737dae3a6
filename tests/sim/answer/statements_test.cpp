// What answers state, as people read it and as values.
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest question(const std::string& topology, const std::string& workload, const std::string& options) {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.options = parse_options(options);
  request.builtin_profiles = builtin_profiles();
  request.anchors = anchors_from(published_cases());
  return request;
}

// Jobs with a target and with epochs, with input, failures, preemptions, servers, a mesh, Horovod and NCCL's choice.
std::vector<PredictRequest> questions() {
  std::vector<PredictRequest> all{
      question("tpu-v3-32", "resnet50", "data=real"),
      question("gce-v100", "bert-large", "epochs=2;price=preemptible;failures=on;throughput=100"),
      question("dgx1-p100", "vgg16", "stack=tf-2017;variable_update=parameter_server;local_parameter_device=cpu"),
      question("horovod-25gbe", "vgg16", "exchange=horovod"),
      question("p4d", "resnet50", "choice=nccl;data=real;decode=host"),
      question("torus32x32", "minigo", "")};
  all.push_back(question("dgx-a100-80gb:nodes=2", "bert-large", ""));
  all.back().parallelism = "data=8,tensor=2";
  return all;
}

std::vector<Statement> statements_of(const Prediction& p) {
  std::vector<Statement> all = p.inputs.exchanges;
  all.push_back(p.distance);
  for (const auto& entry : p.provenance) all.push_back(entry.value);
  for (const auto& next : p.measure_next) all.push_back(next.what);
  return all;
}

// The text without its quantities, each found behind the one before.
std::string prose(const Statement& said) {
  std::string rest;
  std::size_t at = 0;
  for (const NamedQuantity& quantity : said.quantities) {
    const std::size_t found = said.text.find(quantity.text, at);
    if (found == std::string::npos) return "without " + quantity.name + ": " + said.text;
    rest += said.text.substr(at, found - at);
    at = found + quantity.text.size();
  }
  return rest + said.text.substr(at);
}

}  // namespace

TEST_CASE("no number of an answer stands in prose alone, and every quantity has a name") {
  // Versions and the constant of a formula are words, not quantities of the answer.
  const std::set<std::string> versions{"MLPerf v0.5: from the start of the program",
                                       "MLPerf from v0.6: from the first touch of the data"};
  for (const PredictRequest& request : questions()) {
    for (const Statement& said : statements_of(predict(request))) {
      INFO(request.workload << ": " << said.text);
      for (const NamedQuantity& quantity : said.quantities) CHECK(!quantity.name.empty());
      if (versions.count(said.text) > 0 || said.text.find("8/accelerators") != std::string::npos) continue;
      const std::string rest = prose(said);
      for (const char c : rest) CHECK(std::isdigit(static_cast<unsigned char>(c)) == 0);
    }
  }
}
