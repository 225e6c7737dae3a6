#include "workloads/split/context_split.hpp"

#include "catch.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kTokens = 8192, kKeys = 8 * 128;  // of Llama 3 8B: heads of keys and values

ShardedModel split(int ranks, ContextExchange exchange) {
  Model model = load_model("llama-3-8b:layers=1");
  set_attention(model, AttentionKernels::flash);
  return split_context(ShardedModel(std::move(model)), ranks, exchange);
}

double moved(const ShardedModel& sharded, Moment moment) {
  double elements = 0;
  for (const LayerExchange& each : sharded.exchanges) elements += each.moment == moment ? each.elements_per_sample : 0;
  return elements;
}

}  // namespace

TEST_CASE("a ring passes on the keys and values of all tokens, and each rank has its queries") {
  const ShardedModel part = split(4, ContextExchange::ring);
  const Layer& attention = layer_named(part.model, "decoder.block0.attention");
  CHECK(attention.input.positions() == 2048);
  CHECK(attention.keys == 8192);
  CHECK(attention.heads == 32);
  CHECK(moved(part, Moment::before_forward) == kTokens * 2 * kKeys);
  CHECK(part.model.macs() * 4 == load_model("llama-3-8b:layers=1").macs());
}

TEST_CASE("all-to-alls trade tokens for heads, of which several ranks share those of keys") {
  const ShardedModel part = split(16, ContextExchange::alltoall);
  const Layer& attention = layer_named(part.model, "decoder.block0.attention");
  CHECK(attention.input.positions() == 8192);
  CHECK(attention.heads == 2);
  CHECK(attention.kv_heads == 1);
  CHECK(attention.input.channels == (2 + 2) * 128);
  CHECK(moved(part, Moment::before_forward) == kTokens * (4096 + 2 * kKeys) / 16);
}
