// Even stages: as many repetitions of the block each, what is odd in the middle, counts of the ends as told.
#include "workloads/pipeline/even_stages.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Repetitions of each part.
std::vector<int> counts(const Model& model, const EvenStages& even) {
  const auto first = even_stages(model, even);
  const auto repetition = repetition_of_layer(model);
  std::vector<int> count(first.size());
  for (std::size_t part = 0; part < first.size(); ++part) {
    const std::size_t end = part + 1 < first.size() ? first[part + 1] : repetition.size();
    for (std::size_t i = first[part]; i < end; ++i)
      count[part] += repetition[i] >= 0 && (i == 0 || repetition[i] != repetition[i - 1]) ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("stages have as many layers each, and those that do not divide go to the middle") {
  const Model model = load_model("llama-3-70b:layers=12");
  CHECK(counts(model, {2, 1, {}, {}}) == std::vector<int>{6, 6});
  CHECK(counts(model, {2, 3, {}, {}}) == std::vector<int>{2, 2, 2, 2, 2, 2});
  CHECK(counts(load_model("llama-3-70b:layers=14"), {4, 1, {}, {}}) == std::vector<int>{3, 4, 4, 3});
}

TEST_CASE("the first and last stage take the layers that they are told") {
  const Model model = load_model("llama-3-70b:layers=14");
  CHECK(counts(model, {4, 1, 3, 3}) == std::vector<int>{3, 4, 4, 3});
  CHECK(counts(model, {4, 1, 2, {}}) == std::vector<int>{2, 4, 4, 4});
  CHECK_THROWS_WITH(even_stages(model, {4, 1, 3, 2}), ContainsSubstring("leave 9 for 2 others"));
}

TEST_CASE("a model is cut evenly where it is a transformer with as many blocks") {
  CHECK(repeats_block(load_model("llama-3-8b"), 32));
  CHECK_FALSE(repeats_block(load_model("llama-3-8b"), 33));
  CHECK_FALSE(repeats_block(load_model("resnet50"), 4));
  CHECK_THROWS_WITH(even_stages(load_model("resnet50"), {4, 1, {}, {}}), ContainsSubstring("stages=balanced"));
}
