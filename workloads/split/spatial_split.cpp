#include "workloads/split/spatial_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/text/errors.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

// A layout says how a tensor lies on the ranks: whole on each, or its `cells`, equal parts of its height, shared out.
enum class Form { whole, rows, regions };
struct SpatialLayout {
  Form form = Form::whole;
  int cells = 0;
  bool split() const { return form != Form::whole; }
  bool operator==(const SpatialLayout&) const = default;
};

bool is_image(Shape shape) { return shape.height > 1 && shape.width > 1; }

// Each row of the output comes from the rows of the input around its place.
bool keeps_rows(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::convolution:
    case LayerKind::transposed_convolution:
    case LayerKind::dense: return true;
    case LayerKind::concat: return layer.output.height == layer.input.height && layer.output.width == layer.input.width;
    default: break;
  }
  switch (operator_of(layer.kind).operator_class) {
    case OperatorClass::normalization:
    case OperatorClass::pointwise:
    case OperatorClass::pooling:
    case OperatorClass::loss: return true;
    default: return false;
  }
}

bool averages_all_rows(const Layer& layer) {
  return layer.kind == LayerKind::average_pool && layer.output.height == 1 &&
         layer.kernel.height >= layer.input.height && layer.padding.height == 0;
}

class SpatialSplit {
 public:
  SpatialSplit(ShardedModel& sharded, int ranks, Axis axis)
      : sharded_(sharded),
        whole_(sharded.model),
        ranks_(ranks),
        axis_(axis),
        trained_(layers_in_backward(sharded.model, sharded.inputs_trained)),
        layouts_(sharded.model.layers.size()) {}

  void run() {
    const std::size_t before = sharded_.exchanges.size();
    for (auto& input : sharded_.model.inputs) input.shape = local(input.shape, layout_of_image(input.shape));
    for (std::size_t i = 0; i < whole_.layers.size(); ++i) split(static_cast<int>(i));
    narrow_exchanges(before);
    sum_gradients();
    sort_exchanges(sharded_);
  }

  // Returns the rows of the tallest output of a convolution whose rows are shared out.
  int tallest() const {
    int rows = 0;
    for (std::size_t i = 0; i < whole_.layers.size(); ++i) {
      const Layer& layer = whole_.layers[i];
      if (layer.kind == LayerKind::convolution && layouts_[i].form == Form::rows)
        rows = std::max(rows, layer.output.height);
    }
    return rows;
  }

  // Counts layers with parameters, and those of them that are whole on every rank.
  std::pair<int, int> weighted() const {
    int all = 0, repeated = 0;
    for (std::size_t i = 0; i < whole_.layers.size(); ++i) {
      if (whole_.layers[i].macs() == 0) continue;
      ++all;
      if (!layouts_[i].split()) ++repeated;
    }
    return {all, repeated};
  }

 private:
  static SpatialLayout layout_of_image(Shape shape) {
    return is_image(shape) ? SpatialLayout{Form::rows, shape.height} : SpatialLayout{};
  }

  Shape shape_of(int tensor) const {
    return tensor >= 0 ? whole_.layers[tensor].output : whole_.inputs[-1 - tensor].shape;
  }
  SpatialLayout layout_of(int tensor) const {
    return tensor >= 0 ? layouts_[tensor] : layout_of_image(shape_of(tensor));
  }
  bool takes_gradient(int tensor) const { return tensor >= 0 ? trained_[tensor] : sharded_.inputs_trained; }

  Shape local(Shape shape, SpatialLayout layout) const {
    if (layout.split()) shape.height = shape.height / layout.cells * rows_of_rank(layout.cells, ranks_, 0).size();
    return shape;
  }

  // Returns the layout that the split inputs share; whole where they differ or there is none.
  SpatialLayout common_input_layout(const Layer& layer) const {
    SpatialLayout common;
    for (const int input : layer.inputs) {
      const SpatialLayout each = layout_of(input);
      if (!each.split()) continue;
      if (common.split() && each != common) return {};
      common = each;
    }
    return common;
  }

  SpatialLayout output_layout(const Layer& layer) const {
    if (layer.kind == LayerKind::roi_align) {
      const int regions = layer.output.width == 1 ? layer.output.height : layer.output.height / layer.output.width;
      return layout_of(layer.inputs.front()).split() && regions >= ranks_ ? SpatialLayout{Form::regions, regions}
                                                                          : SpatialLayout{};
    }
    const SpatialLayout input = common_input_layout(layer);
    if (!keeps_rows(layer) || !input.split()) return {};
    if (input.form == Form::regions) return layer.output.height % input.cells == 0 ? input : SpatialLayout{};
    return layer.output.height >= ranks_ ? SpatialLayout{Form::rows, layer.output.height} : SpatialLayout{};
  }

  void split(int i) {
    const Layer& whole = whole_.layers[i];
    const SpatialLayout layout = layouts_[i] = output_layout(whole);
    Layer& part = sharded_.model.layers[i];
    if (!layout.split() && averages_all_rows(whole) && common_input_layout(whole).form == Form::rows) {
      add_partial_average(i);
    } else if (!layout.split()) {
      for (const int input : whole.inputs) gather(i, input);
    } else if (whole.kind == LayerKind::roi_align) {
      cut_regions(i);
    } else {
      part.input = local(whole.input, layout_of(whole.inputs.front()));
      if (layout.form == Form::rows && has_window(whole)) slide(i);
      for (std::size_t k = 0; k < whole.inputs.size(); ++k) add_up_gradient(i, k);
      for (std::size_t k = 0; k < whole.others.size(); ++k)
        part.others[k] = local(whole.others[k], layout_of(whole.inputs[k + 1]));
      if (has_statistics(whole)) share_statistics(sharded_, i, axis_);
    }
    part.output = local(whole.output, layout);
  }

  // Every rank sums up its rows; all have the gradient of the average.
  void add_partial_average(int i) {
    const Layer& whole = whole_.layers[i];
    Layer& part = sharded_.model.layers[i];
    part.input = local(whole.input, layout_of(whole.inputs.front()));
    part.kernel.height = part.input.height;
    part.exchanged = true;
    exchange(i, Moment::after_forward, CollectiveKind::all_reduce, whole.output, "average of " + whole.name);
  }

  // A whole region may lie anywhere in the image, and all ranks' regions add to the gradient of a row.
  void cut_regions(int i) {
    const Layer& whole = whole_.layers[i];
    const int map = whole.inputs.front();
    gather(i, map);
    if (takes_gradient(map))
      exchange(i, Moment::after_backward, CollectiveKind::reduce_scatter, whole.input, "regions of " + whole.name);
  }

  void slide(int i) {
    const Layer& whole = whole_.layers[i];
    Layer& part = sharded_.model.layers[i];
    const int own = part.input.height;
    part.input.height = window_rows(whole, ranks_);
    part.halo = std::max(0, part.input.height - own);
    if (whole.kind != LayerKind::transposed_convolution) part.padding.height = 0;  // among those rows
    exchange_halo(i);
    if (takes_gradient(whole.inputs.front())) exchange_gradient_halo(i);
  }

  // A halo that an earlier layer already fetched for this tensor is not sent again.
  void exchange_halo(int i) {
    const Layer& whole = whole_.layers[i];
    const int input = whole.inputs.front();
    const Halo halo = input_halo(whole, ranks_);
    if (!halo.neighbours) return gather(i, input);
    Halo& there = halos_[input];
    if (gathered_[input] || (halo.before <= there.before && halo.after <= there.after)) return;
    there = {std::max(halo.before, there.before), std::max(halo.after, there.after)};
    mark_exchanged(input);
    exchange(i, Moment::before_forward, CollectiveKind::halo_exchange, both_sides(whole.input, halo),
             "halo of " + whole.name);
  }

  void exchange_gradient_halo(int i) {
    const Layer& whole = whole_.layers[i];
    const Halo halo = gradient_halo(whole, ranks_);
    if (halo.rows() == 0) return;
    exchange(i, Moment::before_backward, halo.neighbours ? CollectiveKind::halo_exchange : CollectiveKind::all_gather,
             halo.neighbours ? both_sides(whole.output, halo) : whole.output, "gradient halo of " + whole.name);
  }

  static Shape both_sides(Shape shape, Halo halo) {
    return {shape.channels, 2 * std::max(halo.before, halo.after), shape.width};
  }

  // Where an input is whole on every rank, each has made a part of its gradient.
  void add_up_gradient(int i, std::size_t k) {
    const Layer& whole = whole_.layers[i];
    const int input = whole.inputs[k];
    if (layout_of(input).split() || !takes_gradient(input)) return;
    const bool factor = whole.kind == LayerKind::multiply && shape_of(input).positions() == 1;
    exchange(i, Moment::after_backward, factor ? CollectiveKind::all_reduce : CollectiveKind::all_gather,
             shape_of(input), "gradient of an input of " + whole.name);
  }

  // Each rank keeps its part of the gradient; an image is gathered once for all who read it.
  void gather(int i, int input) {
    if (!layout_of(input).split()) return;
    mark_exchanged(input);
    if (std::exchange(gathered_[input], true)) return;
    exchange(i, Moment::before_forward, CollectiveKind::all_gather, shape_of(input),
             "image of " + whole_.layers[i].name);
  }

  void mark_exchanged(int tensor) {
    if (tensor >= 0) sharded_.model.layers[tensor].exchanged = true;
  }

  void exchange(int layer, Moment moment, CollectiveKind kind, Shape payload, std::string what) {
    sharded_.exchanges.push_back({layer, moment, kind, axis_, double(payload.elements()), Bytes(0), std::move(what)});
  }

  double share_of(SpatialLayout layout) const {
    return layout.split() ? double(rows_of_rank(layout.cells, ranks_, 0).size()) / layout.cells : 1;
  }

  // The first `count` exchanges are along another axis of the image, of the rows that a rank has.
  void narrow_exchanges(std::size_t count) {
    for (std::size_t e = 0; e < count; ++e) {
      LayerExchange& each = sharded_.exchanges[e];
      const bool of_output = each.moment == Moment::before_backward || each.moment == Moment::after_forward;
      const auto input = whole_.layers[each.layer].inputs.front();
      each.elements_per_sample *= share_of(of_output ? layouts_[each.layer] : layout_of(input));
    }
  }

  // A layer that every rank computes whole has its gradient whole. Of shared parameters the ranks add up what the
  // layers that are split make, and the rest once.
  void sum_gradients() {
    std::vector<bool> partial(whole_.layers.size());
    for (std::size_t i = 0; i < whole_.layers.size(); ++i) {
      if (!layouts_[i].split()) continue;
      partial[i] = true;
      if (whole_.layers[i].shares >= 0) partial[whole_.layers[i].shares] = true;
    }
    for (std::size_t i = 0; i < whole_.layers.size(); ++i) {
      if (!partial[i]) sharded_.gradient_axes[i] = sharded_.gradient_axes[i].without(axis_);
    }
  }

  ShardedModel& sharded_;
  const Model whole_;
  const int ranks_;
  const Axis axis_;
  const std::vector<bool> trained_;
  std::vector<SpatialLayout> layouts_;  // by layer, of its output
  std::map<int, bool> gathered_;        // by tensor
  std::map<int, Halo> halos_;           // by tensor: what of it was exchanged
};

Shape turned(Shape shape) { return {shape.channels, shape.width, shape.height}; }
Extent turned(Extent extent) { return {extent.width, extent.height}; }

// Returns the model with rows for columns and columns for rows.
ShardedModel turned(ShardedModel sharded) {
  for (ModelInput& input : sharded.model.inputs) input.shape = turned(input.shape);
  for (Layer& layer : sharded.model.layers) {
    layer.input = turned(layer.input);
    layer.output = turned(layer.output);
    for (Shape& other : layer.others) other = turned(other);
    layer.kernel = turned(layer.kernel);
    layer.stride = turned(layer.stride);
    layer.padding = turned(layer.padding);
    std::swap(layer.halo, layer.halo_columns);
  }
  return sharded;
}

// This splits by rows, or by columns where the model is turned; `asked` is "spatial=4".
ShardedModel split_lines(ShardedModel sharded, int ranks, Axis axis, const std::string& asked) {
  if (ranks == 1) return sharded;
  ShardedModel one = sharded;
  SpatialSplit unsplit(one, 1, axis);
  unsplit.run();
  if (ranks > unsplit.tallest()) {
    const bool rows = axis == Axis::spatial;
    throw Infeasible(fmt::format(
        "the convolutions of {} make at most {} {} of an image, too few for {}; the most {}={}", sharded.model.name,
        unsplit.tallest(), rows ? "rows" : "columns", asked, rows ? "is spatial" : "columns are", unsplit.tallest()));
  }
  SpatialSplit split(sharded, ranks, axis);
  split.run();
  if (const auto [all, repeated] = split.weighted(); repeated > 0) {
    sharded.notes.push_back(
        fmt::format("{}: {} of {} matrix layers are computed by every rank, as they have no {} or fewer than ranks",
                    asked, repeated, all, axis == Axis::spatial ? "rows" : "columns"));
  }
  return sharded;
}

bool has_regions(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const Layer& layer) { return layer.kind == LayerKind::roi_align; });
}

}  // namespace

ShardedModel split_spatial(ShardedModel sharded, int rows, int columns) {
  for (const int ranks : {rows, columns})
    if (ranks < 1) throw InputError(fmt::format("spatial parallelism must be at least 1, not {}", ranks));
  if (rows == 1 && columns == 1) return sharded;
  const std::string asked =
      columns == 1 ? fmt::format("spatial={}", rows) : fmt::format("spatial={}x{}", rows, columns);
  const auto& inputs = sharded.model.inputs;
  if (std::none_of(inputs.begin(), inputs.end(), [](const ModelInput& input) { return is_image(input.shape); })) {
    throw Infeasible(
        fmt::format("{} reads no image, and spatial parallelism shares out the rows of images; leave out "
                    "{}",
                    sharded.model.name, asked));
  }
  if (columns > 1 && has_regions(sharded.model))
    throw Infeasible(
        fmt::format("{} cuts regions from its images, which are shared out with rows alone; spatial={} "
                    "does on as many accelerators",
                    sharded.model.name, rows * columns));
  if (columns > 1) sharded = turned(split_lines(turned(std::move(sharded)), columns, Axis::columns, asked));
  return split_lines(std::move(sharded), rows, Axis::spatial, asked);
}

}  // namespace mlsim::workloads
