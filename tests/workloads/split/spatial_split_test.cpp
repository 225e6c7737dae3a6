#include "workloads/split/spatial_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::size_t place(const Model& model, const std::string& name) {
  return static_cast<std::size_t>(&layer_named(model, name) - model.layers.data());
}

std::vector<LayerExchange> exchanges_of(const ShardedModel& sharded, const std::string& layer) {
  std::vector<LayerExchange> found;
  for (const auto& each : sharded.exchanges) {
    if (sharded.model.layers[each.layer].name == layer) found.push_back(each);
  }
  return found;
}
int count_of(const ShardedModel& sharded, CollectiveKind kind) {
  return static_cast<int>(std::count_if(sharded.exchanges.begin(), sharded.exchanges.end(),
                                        [&](const LayerExchange& each) { return each.kind == kind; }));
}

// Matrix layers whose gradients every rank has whole.
std::vector<std::string> repeated_layers(const ShardedModel& sharded) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sharded.model.layers.size(); ++i) {
    if (sharded.model.layers[i].macs() > 0 && !sharded.gradient_axes[i].has(Axis::spatial))
      names.push_back(sharded.model.layers[i].name);
  }
  return names;
}

std::string stack(int height, const std::string& layers) {
  std::string text = kHead + "layers:\n" + layers + kTail;
  const std::string input = "height: 8, width: 8";
  return text.replace(text.find(input), input.size(), "height: " + std::to_string(height) + ", width: 8");
}

int share(int rows, int ranks) { return (rows + ranks - 1) / ranks; }

// Input rows that rank `r` needs for its output rows and has not, by trying every tap: most over the ranks, each side.
struct Missing {
  int before = 0, after = 0;
};
Missing missing_rows(int in, int out, int kernel, int stride, int padding, int ranks) {
  Missing most;
  for (int o = 0; o < out; ++o) {
    const int rank = o / share(out, ranks);
    for (int t = 0; t < kernel; ++t) {
      const int i = o * stride - padding + t;
      if (i < 0 || i >= in) continue;
      most.before = std::max(most.before, rank * share(in, ranks) - i);
      most.after = std::max(most.after, i - ((rank + 1) * share(in, ranks) - 1));
    }
  }
  return most;
}

}  // namespace

TEST_CASE("rows and halos of a convolution are those of every tap tried") {
  int halos = 0;
  for (const int height : {12, 19, 38}) {
    for (const int kernel : {1, 3, 5}) {
      for (const int stride : {1, 2}) {
        for (const int ranks : {2, 3, 4}) {
          const int padding = (kernel - 1) / 2;
          const Model model = read_text(
              stack(height, fmt::format("  - {{layer: convolution, name: first, channels: 4, kernel: 1}}\n"
                                        "  - {{layer: convolution, name: conv, channels: 5, kernel: {}, stride: {}}}\n",
                                        kernel, stride)));
          const ShardedModel split = split_spatial(model, ranks);
          const Layer& whole = layer_named(model, "conv");
          const Layer& part = layer_named(split.model, "conv");
          const Missing missing = missing_rows(height, whole.output.height, kernel, stride, padding, ranks);
          INFO("height " << height << " kernel " << kernel << " stride " << stride << " ranks " << ranks);
          REQUIRE(part.output.height == share(whole.output.height, ranks));
          REQUIRE(part.output.width == whole.output.width);
          // An inner rank's window: its outputs without any padding.
          REQUIRE((part.input.height - kernel) / stride + 1 == part.output.height);
          double payload = 0;
          for (const auto& each : exchanges_of(split, "conv")) {
            if (each.kind == CollectiveKind::halo_exchange && each.moment == Moment::before_forward)
              payload += each.elements_per_sample;
          }
          REQUIRE(payload == 2.0 * std::max(missing.before, missing.after) * 4 * whole.input.width);
          halos += payload > 0;
        }
      }
    }
  }
  CHECK(halos > 20);
}

TEST_CASE("the gradient of the output is exchanged as far as input rows are read by others") {
  const Model model = read_text(stack(16,
                                      "  - {layer: convolution, name: first, channels: 4, kernel: 1}\n"
                                      "  - {layer: convolution, name: conv, channels: 6, kernel: 5}\n"));
  const auto found = exchanges_of(split_spatial(model, 4), "conv");
  REQUIRE(found.size() == 2);
  CHECK(found[0].moment == Moment::before_forward);
  CHECK(found[0].elements_per_sample == 2 * 2 * 4 * 8);  // both sides, rows, channels, width
  CHECK(found[1].moment == Moment::before_backward);
  CHECK(found[1].elements_per_sample == 2 * 2 * 6 * 8);
}

TEST_CASE("the rows of SSD on four ranks, and what all ranks compute") {
  const Model model = load_model("ssd-resnet34");
  const ShardedModel split = split_spatial(model, 4);
  const auto rows = [&](const char* name) { return layer_named(split.model, name).output.height; };
  CHECK(split.model.inputs[0].shape == Shape{3, 75, 300});
  CHECK(rows("stem.conv") == 38);            // of 150
  CHECK(rows("stage3.block5.relu2") == 10);  // of 38
  CHECK(rows("extra1.relu2") == 5);          // of 19
  CHECK(rows("extra2.relu2") == 3);          // of 10
  CHECK(rows("extra3.relu2") == 2);          // of 5
  CHECK(rows("extra4.relu2") == 3);          // of 3: whole
  CHECK(rows("classes.view38") == 5776);
  CHECK(repeated_layers(split) == std::vector<std::string>{"extra4.conv2", "extra5.conv1", "extra5.conv2",
                                                           "classes.conv3", "classes.conv1", "boxes.conv3",
                                                           "boxes.conv1"});
  CHECK(split.notes == std::vector<std::string>{"spatial=4: 7 of 51 matrix layers are computed by every rank, as they "
                                                "have no rows or fewer than ranks"});
  // The image for the first whole layer, and four class and four box maps for the losses.
  CHECK(count_of(split, CollectiveKind::all_gather) == 9);
  CHECK(repeated_layers(split_spatial(model, 2)) ==
        std::vector<std::string>{"extra5.conv2", "classes.conv1", "boxes.conv1"});
  CHECK(repeated_layers(split_spatial(model, 8)).size() == 11);
}

TEST_CASE("every matrix layer has its share of the multiply-accumulates") {
  for (const char* name : {"ssd-resnet34", "resnet50", "mask-rcnn", "inception3", "efficientnet-b0", "vgg16"}) {
    const Model model = load_model(name);
    for (const int ranks : {2, 4, 8}) {
      const ShardedModel split = split_spatial(model, ranks);
      INFO(name << " on " << ranks);
      for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const Layer &whole = model.layers[i], &part = split.model.layers[i];
        if (whole.kind == LayerKind::transposed_convolution || whole.macs() == 0) continue;
        const bool repeated = !split.gradient_axes[i].has(Axis::spatial) && whole.shares < 0 && whole.trainable;
        if (repeated) {
          REQUIRE(part.macs() == whole.macs());
        } else {
          REQUIRE(part.macs() * whole.output.height == whole.macs() * part.output.height);
          REQUIRE(part.macs() * ranks >= whole.macs());  // the ranks together do all of it
        }
        REQUIRE(part.parameters() == whole.parameters());
      }
    }
  }
}

TEST_CASE("how much less one rank computes") {
  const auto share_of = [](const char* name, int ranks) {
    const Model model = load_model(name);
    return double(split_spatial(model, ranks).model.macs()) / double(model.macs());
  };
  // From the tables of shapes: in stage 4 of ResNet-50, 0.81 of 4.09 G, 4 (2) of 7 rows; 8 ranks compute it whole.
  CHECK_THAT(share_of("resnet50", 2), Catch::Matchers::WithinAbs(0.513, 0.001));
  CHECK_THAT(share_of("resnet50", 4), Catch::Matchers::WithinAbs(0.269, 0.001));
  CHECK_THAT(share_of("resnet50", 8), Catch::Matchers::WithinAbs(0.287, 0.001));
  CHECK_THAT(share_of("ssd-resnet34", 2), Catch::Matchers::WithinAbs(0.503, 0.001));
  CHECK_THAT(share_of("ssd-resnet34", 4), Catch::Matchers::WithinAbs(0.264, 0.001));
  CHECK_THAT(share_of("ssd-resnet34", 8), Catch::Matchers::WithinAbs(0.138, 0.001));
  CHECK_THAT(share_of("mask-rcnn", 4), Catch::Matchers::WithinAbs(0.253, 0.001));
}

TEST_CASE("the average over an image is a sum over ranks, and what follows is whole") {
  const ShardedModel split = split_spatial(load_model("resnet50"), 4);
  const auto found = exchanges_of(split, "head.pool");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == CollectiveKind::all_reduce);
  CHECK(found[0].moment == Moment::after_forward);
  CHECK(found[0].elements_per_sample == 2048);
  CHECK(layer_named(split.model, "head.pool").input.height == 2);  // of 7
  CHECK(repeated_layers(split) == std::vector<std::string>{"head.classifier"});
  CHECK(count_of(split, CollectiveKind::all_gather) == 0);
  // With 8 ranks the last stage has fewer rows than ranks; its two readers share one gathered image each.
  CHECK(count_of(split_spatial(load_model("resnet50"), 8), CollectiveKind::all_gather) == 2);
}

TEST_CASE("of a factor for all positions the ranks add up the gradient") {
  const ShardedModel split = split_spatial(load_model("efficientnet-b0"), 4);
  const auto found = exchanges_of(split, "stage1_first.scaled");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == CollectiveKind::all_reduce);
  CHECK(found[0].moment == Moment::after_backward);
  CHECK(found[0].elements_per_sample == 32);
  CHECK_FALSE(split.gradient_axes[place(split.model, "stage1_first.squeeze")].has(Axis::spatial));
  CHECK(split.gradient_axes[place(split.model, "stage1_first.project")].has(Axis::spatial));
}

TEST_CASE("regions are shared out, and their gradients scattered on the map's rows") {
  const Model model = load_model("mask-rcnn");
  const ShardedModel split = split_spatial(model, 4);
  CHECK(layer_named(split.model, "box_head.align").output == Shape{256 * 49, 128, 1});
  CHECK(layer_named(split.model, "box_head.align").input == layer_named(model, "box_head.align").input);
  CHECK(layer_named(split.model, "mask_head.align").output == Shape{256, 32 * 14, 14});
  CHECK(layer_named(split.model, "mask_head.masks").output.height == 32 * 28);
  CHECK(exchanges_of(split, "mask_head.conv.conv").empty());  // no halo between regions
  CHECK(count_of(split, CollectiveKind::reduce_scatter) == 2);
  CHECK(exchanges_of(split, "box_head.align").size() == 2);  // gathers level 2 for both heads
  CHECK(exchanges_of(split, "mask_head.align").size() == 1);
  // Frozen stages: halos forward only.
  CHECK(exchanges_of(split, "stage1.block0.conv2").size() == 1);
  CHECK(exchanges_of(split, "stage2.block1.conv2").size() == 2);
}

TEST_CASE("parameters of layers that are split and of others that are not are summed up over the ranks") {
  const Model model = load_model("mask-rcnn");
  const ShardedModel split = split_spatial(model, 16);  // level 6 has 13 rows
  CHECK(layer_named(split.model, "proposals.conv6").output.height == 13);
  CHECK(layer_named(split.model, "proposals.conv5").output.height == 2);
  CHECK(split.gradient_axes[place(split.model, "proposals.conv2")].has(Axis::spatial));
  CHECK_FALSE(split.gradient_axes[place(split.model, "proposals.conv6")].has(Axis::spatial));
}

TEST_CASE("nothing merges into a tensor that ranks exchange") {
  for (const char* name : {"ssd-resnet34", "mask-rcnn", "vgg16"}) {
    const ShardedModel split = split_spatial(load_model(name), 4);
    const auto groups = kernel_groups(split.model, true);
    const auto group = group_of_layer(groups);
    for (const auto& each : split.exchanges) {
      // What an exchange waits for, and what waits for it, run in different kernels.
      const auto i = static_cast<std::size_t>(each.layer);
      INFO(name << " " << each.what);
      if (each.moment != Moment::before_forward) continue;
      REQUIRE(groups[group[i]].layers.front() == each.layer);
    }
  }
}

TEST_CASE("one rank changes nothing") {
  const ShardedModel split = split_spatial(load_model("resnet50"), 1);
  CHECK(split.exchanges.empty());
  CHECK(split.notes.empty());
  CHECK(split.model.macs() == load_model("resnet50").macs());
}

TEST_CASE("models without images, and more ranks than rows") {
  CHECK_THROWS_AS(split_spatial(load_model("resnet50"), 0), InputError);
  CHECK_THROWS_AS(split_spatial(load_model("bert-large"), 4), Infeasible);
  CHECK_THROWS_WITH(split_spatial(load_model("bert-large"), 4),
                    ContainsSubstring("bert-large reads no image") && ContainsSubstring("leave out spatial=4"));
  CHECK_THROWS_AS(split_spatial(load_model("resnet20-cifar"), 64), Infeasible);
  CHECK_THROWS_WITH(split_spatial(load_model("resnet20-cifar"), 64), ContainsSubstring("the most is spatial=32"));
  CHECK_NOTHROW(split_spatial(load_model("resnet20-cifar"), 32));
}
