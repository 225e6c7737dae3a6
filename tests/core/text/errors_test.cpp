#include "core/text/errors.hpp"

#include <string>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("the nearest word is one slip away") {
  const std::vector<std::string> words{"resnet50", "resnet152", "vgg16"};
  CHECK(nearest_word("resnet5", words) == "resnet50");
  CHECK(nearest_word("rsenet50", words) == "resnet50");
  CHECK(nearest_word("VGG16", words) == "vgg16");
  CHECK(nearest_word("ResNet-50", words) == "resnet50");
  CHECK(nearest_word("transformer", words).empty());
  CHECK(nearest_word("tpu-v3-multipod", {"tpu-v3-multi-32"}).empty());  // four letters are another word
  CHECK(nearest_word(std::string(100000, 'x'), words).empty());
}

TEST_CASE("an unknown word shows the nearest, or all that is known") {
  CHECK(unknown_word("workload", "vgg61", {"vgg16"}) == "unknown workload \"vgg61\"; did you mean \"vgg16\"?");
  CHECK(unknown_word("workload", "qqqqqqqq", {"a", "b"}) == "unknown workload \"qqqqqqqq\"; known: a, b");
}

TEST_CASE("words that are equally near are all named") {
  const std::vector<std::string> words{"llama-3-8b", "llama-3.1-405b", "llama-33b", "vgg11", "vgg16"};
  CHECK(unknown_word("workload", "vgg", words) == "unknown workload \"vgg\"; there are vgg11, vgg16");
  CHECK(unknown_word("workload", "vgg6", words) == "unknown workload \"vgg6\"; did you mean \"vgg16\"?");
  CHECK(unknown_word("workload", "llama3", words) ==
        "unknown workload \"llama3\"; there are llama-3-8b, llama-3.1-405b");
}

TEST_CASE("a part of several words names them, and a long list is cut") {
  CHECK(unknown_word("stack", "mlperf", {"dlperf", "mlperf-v0.6", "mlperf-v0.7"}) ==
        "unknown stack \"mlperf\"; there are mlperf-v0.6, mlperf-v0.7");
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("w" + std::to_string(1000 + i));
  CHECK_THAT(unknown_word("word", "qqqqqqqq", many),
             Catch::Matchers::ContainsSubstring("none of the 100 that there are is near; `mlsim list` shows"));
}

TEST_CASE("an input error is whole where it quotes a zero byte") {
  CHECK(std::string(InputError("a.txt:1", std::string("\"a\0b\" is no number", 18)).what()) ==
        "a.txt:1: \"a\\x00b\" is no number");
}

TEST_CASE("an input error shows its place") {
  const InputError error("pod.yaml:3", "no such key");
  CHECK(std::string(error.what()) == "pod.yaml:3: no such key");
  CHECK(error.place() == "pod.yaml:3");
}
