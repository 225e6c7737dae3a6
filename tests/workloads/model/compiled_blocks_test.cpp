// Fusion for a part of a network: the rest keeps its kernels.
#include "workloads/model/model_reader.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/lowering/kernel_group.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::size_t groups_with_compiled(const std::vector<std::string>& blocks) {
  Model model = load_model("bert-large");
  compile_only(model, blocks);
  return kernel_groups(model, true).size();
}

}  // namespace

TEST_CASE("what is compiled has fewer kernels, block by block, and the whole in blocks is the whole") {
  const Model model = load_model("bert-large");
  const std::size_t all = kernel_groups(model, true).size(), none = kernel_groups(model, false).size();
  CHECK(none == model.layers.size());
  const std::size_t encoder = groups_with_compiled({"encoder"}), one = groups_with_compiled({"encoder.block3"});
  CHECK(encoder < none);
  CHECK(encoder >= all);
  CHECK(24 * (none - one) == none - encoder);  // every layer of the encoder is alike
  CHECK(groups_with_compiled({"encoder.block3", "encoder.block4"}) == none - 2 * (none - one));
}

TEST_CASE("a block that the network does not have is refused with the nearest") {
  Model model = load_model("bert-large");
  CHECK_THROWS_AS(compile_only(model, {"encoders"}), InputError);
}
