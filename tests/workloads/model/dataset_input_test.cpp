#include "workloads/model/dataset_input.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHost = "decode_on_host: {stacks: [tf-], source: {provenance: assumed, source: s}}\n";

std::string dataset(const std::string& stored) {
  return "datasets:\n  - name: A\n    stored: {value: " + stored +
         ", provenance: assumed, source: s}\n    decode: {value: 1 ms, provenance: assumed, source: s}\n" + kHost;
}

}  // namespace

TEST_CASE("a dataset is found by the beginning of its name") {
  const auto& catalogue = input_catalogue();
  REQUIRE(catalogue.find("ImageNet (ILSVRC 2012)") != nullptr);
  CHECK(catalogue.find("ImageNet (ILSVRC 2012)")->stored.value.value == 117000);
  CHECK(catalogue.find("CIFAR-10")->stored.value.value == 3073);
  CHECK(catalogue.find("a dataset of my own") == nullptr);
}

TEST_CASE("the input of every model of the catalogue is known") {
  for (const auto& name : model_names()) {
    const auto dataset = load_model(name).dataset.name;
    INFO(name << ": " << dataset);
    CHECK(input_catalogue().find(dataset) != nullptr);
  }
}

TEST_CASE("eight threads keep up with one V100 at 1216 images/s") {
  CHECK(8 / input_catalogue().find("ImageNet")->decode.value.value == Approx(1216).epsilon(0.005));
}

TEST_CASE("TensorFlow's stacks decode on the host, MLPerf's on GPUs do not") {
  CHECK(input_catalogue().decodes_on_host("tf-1.12-xla"));
  CHECK(input_catalogue().decodes_on_host("mlperf-v0.7-tf"));
  CHECK_FALSE(input_catalogue().decodes_on_host("mlperf-v0.7"));
  CHECK_FALSE(input_catalogue().decodes_on_host(""));
}

TEST_CASE("every figure of an input has a source") {
  for (const auto& input : input_catalogue().datasets) {
    CHECK_FALSE(input.stored.source.source.empty());
    CHECK_FALSE(input.decode.source.source.empty());
  }
}

TEST_CASE("a wrong file of inputs is refused with its line") {
  const auto complaint = [](const std::string& text) {
    try {
      parse_inputs(Document::parse(text, "inputs.yaml"));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(complaint(dataset("3 kB")) == "accepted");
  CHECK_THAT(complaint(dataset("3")), ContainsSubstring("inputs.yaml:3"));
  CHECK_THAT(complaint(dataset("0 B")), ContainsSubstring("more than zero"));
  CHECK_THAT(complaint("dataset: []\n" + kHost), ContainsSubstring("\"datasets\""));
}
