#include <string>
#include <utility>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an operator refuses what does not fit, with its line and the shapes") {
  const std::string inputs =
      "{x: {features: 6, tokens: 5}, y: {features: 8, tokens: 7}, image: {channels: 6, height: 4, width: 5}, "
      "ids: {tokens: 5}}";
  const std::pair<std::string, std::string> rows[] = {
      {"{layer: convolution, name: l, channels: 4, kernel: 3, groups: 4}",
       "4 groups do not divide the 6 input and 4 output channels of l"},
      {"{layer: convolution, name: l, channels: 4, kernel: [3, 3, 3]}", "\"kernel\" is one number or [height, width]"},
      {"{layer: convolution, name: l, channels: 4, kernel: [6, 1], padding: 0}",
       "the kernel of l is larger than its input: 6 against a height of 5 with padding 0"},
      {"{layer: transposed_convolution, name: l, channels: 4, kernel: 3, padding: 2, input: image, stride: 1, bias: "
       "yes}",
       "unknown answer \"yes\""},
      {"{layer: transposed_convolution, name: l, channels: 4, kernel: [9, 9], padding: 8, input: image}",
       "a padding of 8 leaves nothing of the output of l"},
      {"{layer: dense, name: l, output: 4}", "unknown key \"output\"; did you mean \"outputs\"?"},
      {"{layer: dense, name: l}", "the key \"outputs\" is missing"},
      {"{layer: expert_dense, name: l, outputs: 4, experts: 2, chosen: 3}",
       "l chooses 3 experts for each position but has 2"},
      {"{layer: lstm, name: l, hidden: 4, directions: 3}", "3 directions: an lstm has 1 or 2"},
      {"{layer: lstm, name: l, hidden: 4, biases: 3}", "3 biases: an lstm has 0, 1 or 2"},
      {"{layer: lstm, name: l, hidden: 4, input: image}", "l reads a sequence (features x tokens x 1), not 6 x 4 x 5"},
      {"{layer: attention, name: l, heads: 2, keys: x}", "the key \"values\" is missing"},
      {"{layer: attention, name: l, heads: 2, keys: y, values: y}", "l compares queries of 6 channels with keys of 8"},
      {"{layer: attention, name: l, heads: 2, keys: x, values: y}", "l has 5 keys for 7 values"},
      {"{layer: attention, name: l, heads: 4, keys: x, values: x}",
       "4 heads do not divide the 6 key and 6 value channels of l"},
      {"{layer: additive_attention, name: l, keys: y, values: y}", "l compares queries of 6 channels with keys of 8"},
      {"{layer: dot_interaction, name: l, embeddings: y}",
       "l needs a vector and rows of the same width: 6 x 5 x 1 and 8 x 7 x 1"},
      {"{layer: embedding, name: l, rows: 9, width: 4}", "l reads ids (1 x tokens x 1), not 6 x 5 x 1"},
      {"{layer: embedding, name: l, rows: 4000000001, width: 4, input: ids}",
       "4000000001 is too large; at most 4000000000"},
      {"{layer: embedding, name: l, rows: [3, 4], width: 4, input: ids}",
       "an embedding has one table; several are an embedding_bag"},
      {"{layer: embedding_bag, name: l, rows: [3, 4], width: 4, input: ids}", "l has 2 tables but reads 5 ids"},
      {"{layer: embedding_bag, name: l, rows: [3, 4], pooled: [2], width: 4, input: ids}",
       "l has 2 tables but 1 pooled"},
      {"{layer: embedding_bag, name: l, rows: [3, 4], pooled: [2, 2], width: 4, input: ids}",
       "l pools 4 rows but reads 5 ids"},
      {"{layer: embedding_bag, name: l, rows: [], width: 4, input: ids}", "the list \"rows\" is empty"},
      {"{layer: embedding, name: l, rows: 4000000000, width: 1000000, input: ids}", "l is absurdly large"},
      {"{layer: roi_align, name: l, regions: 5, size: 7, form: round, input: image}",
       "unknown form \"round\"; known: flat, stacked"},
      {"{layer: add, name: l, shortcut: y}", "l adds tensors of different shapes: 6 x 5 x 1 and 8 x 7 x 1"},
      {"{layer: add, name: l}", "the key \"shortcut\" is missing"},
      {"{layer: add, name: l, shortcut: [x, y]}", "expected one value, not a map or a list"},
      {"{layer: multiply, name: l, with: y}", "l multiplies tensors of different shapes: 6 x 5 x 1 and 8 x 7 x 1"},
      {"{layer: reshape, name: l, channels: 7}", "l cannot turn 6 x 5 x 1 into 7 x 1 x 1: 30 elements"},
      {"{layer: concat, name: l, with: y}", "l joins channels of different extents: 6 x 5 x 1 and 8 x 7 x 1"},
      {"{layer: concat, name: l, with: y, axis: positions}",
       "l joins positions of different channels: 6 x 5 x 1 and 8 x 7 x 1"},
      {"{layer: concat, name: l, with: x, axis: position}", "unknown axis \"position\"; did you mean \"positions\"?"},
      {"{layer: select, name: l, positions: 6}", "l selects 6 of 5 positions"},
      {"{layer: upsample, name: l, factor: 2000000000}", "l is absurdly large: 10000000000 along one side"},
      {"{layer: host_work, name: l}", "the key \"time\" is missing"},
      {"{layer: host_work, name: l, time: 2}", "2"},
      {"{layer: host_work, name: l, time: 0 s}", "the time of a sample on the host must be positive and at most 1 h"},
      {"{layer: host_work, name: l, time: 2 ms, batch_time: 2 h}",
       "the time of a batch in one program must be positive and at most 1 h"},
      {"{layer: convolution, name: l, channels: 2000000000, kernel: 65536, padding: 65535}", "l is absurdly large"},
      {"{layer: dense, name: l, outputs: 2147483647}", "l is absurdly large"},
  };
  for (const auto& [layer, message] : rows) {
    INFO(layer);
    const std::string text = with_inputs(inputs, "  - " + layer + "\n");
    CHECK_THROWS_AS(read_text(text), InputError);
    CHECK_THROWS_WITH(read_text(text), ContainsSubstring("m.yaml:9: ") && ContainsSubstring(message));
  }
}
