#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::int64_t kMostRows =
    4'000'000'000;  // rows of one table; the largest public data sets have hundreds of millions
constexpr std::size_t kMostTables = 4096;
constexpr std::int64_t kMostPooled = 100'000;  // ids of one table in a sample; histories of users have thousands

void check_ids(const LayerEntry& entry, Shape input) {
  if (input.channels != 1) {
    throw entry.error(fmt::format("{} reads ids (1 x tokens x 1), not {}", entry.name(), shape_text(input)));
  }
}

void embedding_shape(const LayerEntry& entry, Layer& layer) {
  check_ids(entry, layer.input);
  layer.rows = entry.counts("rows", kMostRows);
  if (layer.rows.size() != 1) throw entry.error("an embedding has one table; several are an embedding_bag");
  layer.sparse = entry.flag("sparse", false);
  layer.output.channels = entry.count("width");
}

void embedding_bag_shape(const LayerEntry& entry, Layer& layer) {
  check_ids(entry, layer.input);
  layer.rows = entry.counts("rows", kMostRows);
  if (layer.rows.size() > kMostTables) throw entry.error(fmt::format("more than {} tables", kMostTables));
  if (entry.option("pooled")) {
    layer.pooled = entry.counts("pooled", kMostPooled);
    if (layer.pooled.size() != layer.rows.size())
      throw entry.error(
          fmt::format("{} has {} tables but {} pooled", entry.name(), layer.rows.size(), layer.pooled.size()));
  }
  layer.sparse = entry.flag("sparse", true);
  layer.output = {entry.count("width"), static_cast<int>(layer.rows.size()), 1};
  if (layer.input.positions() != layer.look_ups()) {
    throw entry.error(layer.pooled.empty() ? fmt::format("{} has {} tables but reads {} ids", entry.name(),
                                                         layer.rows.size(), layer.input.positions())
                                           : fmt::format("{} pools {} rows but reads {} ids", entry.name(),
                                                         layer.look_ups(), layer.input.positions()));
  }
}

std::vector<std::int64_t> tables(const Layer& layer) {
  std::vector<std::int64_t> tensors;
  for (const auto rows : layer.rows) tensors.push_back(count_product({rows, layer.output.channels}));
  return tensors;
}

// Each region gives a grid of size x size points (He et al., Mask R-CNN, arXiv:1703.06870): one vector a region, or the
// regions' images one below the other.
void roi_align_shape(const LayerEntry& entry, Layer& layer) {
  const std::int64_t regions = entry.count("regions"), size = entry.count("size");
  const int channels = layer.input.channels;
  if (entry.required("form").word("form", {"flat", "stacked"}) == "flat") {
    layer.output = {checked_extent(entry, count_product({channels, size, size})), static_cast<int>(regions), 1};
  } else {
    layer.output = {channels, checked_extent(entry, count_product({regions, size})), static_cast<int>(size)};
  }
}

}  // namespace

Operators embedding_operators() {
  return {{LayerKind::embedding,
           "embedding",
           OperatorClass::look_up,
           {"rows", "width", "sparse"},
           {},
           embedding_shape,
           tables,
           nullptr,
           look_up_work,
           look_up_kept},
          {LayerKind::embedding_bag,
           "embedding_bag",
           OperatorClass::look_up,
           {"rows", "width", "pooled", "sparse"},
           {},
           embedding_bag_shape,
           tables,
           nullptr,
           look_up_work,
           look_up_kept},
          {LayerKind::roi_align,
           "roi_align",
           OperatorClass::look_up,
           {"regions", "size", "form"},
           {},
           roi_align_shape,
           nullptr,
           nullptr,
           look_up_work,
           look_up_kept}};
}

}  // namespace mlsim::workloads
