// A context split: ranks' work adds up to the whole, kept tensors are 1/n, and exchanges are those of the papers.
#include "workloads/split/context_split.hpp"

#include <map>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/lowering/node_named.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

constexpr int kTokens = 8192, kLayers = 2, kHidden = 4096;

Model model() {
  Model whole = load_model("llama-2-7b:layers=2,sequence=8192");
  set_attention(whole, AttentionKernels::flash);
  return whole;
}

StepPlan context_plan(int ranks) {
  StepPlan plan;
  plan.parallelism[Axis::context] = ranks;
  plan.precision = Precision::bf16;
  return plan;
}

double flop(const ShardedModel& sharded, int ranks) {
  const StepGraph graph = lower(sharded, context_plan(ranks));
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v)
    if (graph[v].part != StepPart::optimizer) sum += graph[v].work->flop.value;
  return sum;
}

// Bytes of the exchanges along the axis, gradients of weights left out, by kind.
std::map<CollectiveKind, double> exchanged(const ShardedModel& sharded, int ranks) {
  const StepGraph graph = lower(sharded, context_plan(ranks));
  std::map<CollectiveKind, double> bytes;
  for (StepVertex v = 0; v < graph.size(); ++v)
    if (graph[v].kind == NodeKind::collective && graph[v].stream == Stream::exchange)
      bytes[graph[v].collective] += graph[v].payload.value;
  return bytes;
}

}  // namespace

TEST_CASE("context ranks do equal parts of the work, of attention too, and keep equal parts of the tensors") {
  const Model whole = model();
  for (const auto exchange : {ContextExchange::ring, ContextExchange::allgather, ContextExchange::alltoall}) {
    for (const int ranks : {2, 4, 8}) {
      const ShardedModel part = split_context(whole, ranks, exchange);
      CHECK_THAT(flop(part, ranks) * ranks, WithinRel(flop(whole, 1), 1e-3));
      CHECK(part.model.parameters() == whole.parameters());
      CHECK_THAT(kept_per_sample(part, context_plan(ranks)).value * ranks,
                 WithinRel(kept_per_sample(whole, context_plan(1)).value, 1e-9));
      for (const AxisSet axes : part.gradient_axes) CHECK(axes.has(Axis::context));
    }
  }
}

// Liu et al., arXiv:2310.01889: keys and values of all tokens pass each rank forward, and with their gradients
// backward. Jacobs et al., arXiv:2309.14509, section 3.3: 4 N h / P elements of a layer forward, as many backward.
TEST_CASE("exchanges of attention are those of the papers") {
  const Model whole = model();
  const double pairs = 2.0 * 2 * kTokens * kHidden * kLayers;  // bytes of all keys and values
  const auto ring = exchanged(split_context(whole, 4, ContextExchange::ring), 4);
  CHECK_THAT(ring.at(CollectiveKind::all_gather), WithinRel(2 * pairs, 1e-9));
  CHECK_THAT(ring.at(CollectiveKind::reduce_scatter), WithinRel(pairs, 1e-9));
  const auto gathered = exchanged(split_context(whole, 4, ContextExchange::allgather), 4);
  CHECK_THAT(gathered.at(CollectiveKind::all_gather), WithinRel(2 * pairs, 1e-9));
  const auto heads = exchanged(split_context(whole, 4, ContextExchange::alltoall), 4);
  CHECK_THAT(heads.at(CollectiveKind::all_to_all), WithinRel(2 * 2.0 * 4 * kTokens * kHidden / 4 * kLayers, 1e-9));
}

TEST_CASE("what goes round runs beside the attention kernels, what is gathered before them") {
  const Model whole = model();
  for (const auto exchange : {ContextExchange::ring, ContextExchange::allgather}) {
    const StepGraph graph = lower(split_context(whole, 4, exchange), context_plan(4));
    int waits = 0, exchanges = 0;
    for (StepVertex v = 0; v < graph.size(); ++v) {
      if (graph[v].kind != NodeKind::collective || graph[v].part != StepPart::forward) continue;
      ++exchanges;
      for (const char* block : {"decoder.block0.attention forward", "decoder.block1.attention forward"})
        waits += follows(graph, node_named(graph, block), v);
    }
    CHECK(exchanges == kLayers);
    CHECK(waits == (exchange == ContextExchange::ring ? 0 : kLayers));
  }
}

TEST_CASE("what cannot be divided is refused with what can") {
  CHECK_THROWS_WITH(split_context(load_model("llama-2-7b:sequence=64"), 64, ContextExchange::ring),
                    ContainsSubstring("32"));
  CHECK_THROWS_WITH(split_context(load_model("llama-2-7b"), 64, ContextExchange::alltoall), ContainsSubstring("32"));
  CHECK_THROWS_WITH(split_context(load_model("bert-large"), 2, ContextExchange::ring), ContainsSubstring("leave out"));
}
