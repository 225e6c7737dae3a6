#include "workloads/pipeline/pipeline.hpp"
#include "workloads/lowering/step_builder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/text/errors.hpp"
#include "workloads/pipeline/stage.hpp"

namespace mlsim::workloads {
namespace {

void append(Vertices& to, const Vertices& from) { to.insert(to.end(), from.begin(), from.end()); }

// Puts the tasks of all stages into one graph, each as soon as what it waits for is there.
class Pipeline {
 public:
  Pipeline(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline, StepGraph& graph)
      : plan_(plan),
        shape_(shape_of(plan, pipeline)),
        recomputes_chunks_(plan.recompute == Recompute::full && shape_.schedule == PipelineSchedule::gpipe),
        boundaries_(boundary_elements(sharded, pipeline.first_layers)),
        tied_(tied_parameters(sharded, pipeline.first_layers)),
        graph_(graph),
        held_(shape_.stages) {
    StepPlan stage_plan = plan;
    if (recomputes_chunks_) stage_plan.recompute = Recompute::off;
    for (const auto& part : stage_parts(sharded, pipeline.first_layers)) {
      std::string place = place_name(static_cast<int>(chunks_.size()));
      Chunk& chunk = chunks_.emplace_back();
      chunk.place = std::move(place);
      chunk.work = stage_work(part, stage_plan, splits_backward(shape_.schedule));
      chunk.forward_arrival.resize(shape_.micro_batches);
      chunk.backward_arrival = chunk.forward_arrival;
      chunk.backward_left = shape_.micro_batches;
    }
  }

  void add_passes() {
    graph_.reserve(graph_.size() + most_nodes());
    add_input();
    struct Progress {
      std::vector<PipelineTask> order;
      std::size_t done = 0;
    };
    std::vector<Progress> stages;
    for (int s = 0; s < shape_.stages; ++s) stages.push_back({pipeline_order(shape_, s), 0});
    for (bool moved = true; moved;) {
      moved = false;
      for (int s = 0; s < shape_.stages; ++s) {
        auto& [order, done] = stages[s];
        for (; done < order.size() && is_ready(s, order[done]); ++done, moved = true) add_task(s, order[done]);
      }
    }
    for (const auto& [order, done] : stages) {
      if (done < order.size()) throw std::logic_error("pipeline: stages wait for one another");
    }
  }

  void add_updates() {
    add_tied_sums();
    for (std::size_t c = chunks_.size(); c-- > 0;) add_update(static_cast<int>(c));
  }

 private:
  // A chunk is some layers and what has become of them.
  struct Chunk {
    std::string place;  // "stage 3 chunk 1", as names of its tasks begin
    StageWork work;
    std::vector<std::optional<Vertices>> forward_arrival, backward_arrival;  // by micro-batch, once it is there
    Vertices gathered;                                                       // gathers of sharded parameters
    int backward_left = 0;                                                   // micro-batches
    Vertices gradients_done;                                                 // behind the last backward pass
    Vertices exchanges;                                                      // exchanges of gradients
    Vertices tied;                                                           // what the update waits for besides
  };

  // Counts the nodes of all micro-batches in all chunks, with what they exchange inside and between them.
  std::size_t most_nodes() const {
    constexpr std::size_t kKernels = 3, kBetween = 5;  // forward, backward, weights; transfers, gathers, host
    std::size_t nodes = 0;
    for (const Chunk& chunk : chunks_)
      nodes += kKernels + kBetween + chunk.work.forward_exchanges.size() + chunk.work.backward_exchanges.size();
    return nodes * static_cast<std::size_t>(shape_.micro_batches);
  }

  int chunk_number(int stage, int chunk) const { return shape_.place(stage, chunk); }
  int stage_of(int chunk) const { return shape_.stage_of(chunk); }
  bool is_last(int chunk) const { return static_cast<std::size_t>(chunk) + 1 == chunks_.size(); }

  bool is_ready(int stage, const PipelineTask& task) const {
    if (task.weights) return true;  // behind its own input gradients
    const int c = chunk_number(stage, task.chunk);
    const auto& arrivals = task.backward ? chunks_[c].backward_arrival : chunks_[c].forward_arrival;
    return arrivals[task.micro_batch].has_value();
  }

  StepVertex add(StepNode node, int stage, Vertices after) {
    node.role = stage;
    return graph_.add(std::move(node), std::move(after));
  }

  void add_input() {
    const StepVertex input = StepBuilder(graph_).add_input(input_samples(plan_));
    for (auto& arrival : chunks_.front().forward_arrival) arrival = Vertices{input};
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      for (const StepNode& gather : chunks_[c].work.gathers)
        chunks_[c].gathered = {add(gather, stage_of(static_cast<int>(c)), {})};
  }

  std::string place_name(int chunk) const {
    const int stage = stage_of(chunk);
    return shape_.chunks == 1 ? fmt::format("stage {}", stage)
                              : fmt::format("stage {} chunk {}", stage, chunk / shape_.stages);
  }

  // Names a task "stage 3 chunk 1 forward, micro-batch 7". A large pipeline has a million of them.
  std::string task_name(int chunk, const char* what, int micro_batch) const {
    constexpr std::string_view kMicroBatch = ", micro-batch ";
    const std::string& place = chunks_[chunk].place;
    const std::string_view task(what);
    const fmt::format_int number(micro_batch);
    std::string name;
    name.reserve(place.size() + 1 + task.size() + kMicroBatch.size() + number.size());
    name.append(place).append(1, ' ').append(task).append(kMicroBatch).append(number.data(), number.size());
    return name;
  }

  void add_task(int stage, const PipelineTask& task) {
    const int c = chunk_number(stage, task.chunk);
    if (task.weights) return add_weights(c, task.micro_batch);
    task.backward ? add_backward(c, task.micro_batch) : add_forward(c, task.micro_batch);
  }

  // Adds the pass of weight gradients, behind the input gradients on the same stream.
  void add_weights(int c, int micro_batch) {
    Chunk& chunk = chunks_[c];
    const auto name = task_name(c, "weight gradients", micro_batch);
    const StepVertex vertex = --chunk.backward_left == 0
                                  ? add_last_backward(c, name, chunk.work.weights, {})
                                  : add_sequence(stage_of(c), StepPart::backward, name, chunk.work.weights, {});
    chunk.gradients_done = {vertex};
  }

  // Adds a compute node of a stage, behind the exchanges of the one before it.
  StepVertex add_sequence(int stage, StepPart part, std::string name, std::shared_ptr<const Kernels> kernels,
                          Vertices after) {
    StepNode node;
    node.kind = NodeKind::kernel_sequence;
    node.part = part;
    node.name = std::move(name);
    node.sequence = std::move(kernels);
    append(after, held_[stage]);
    held_[stage].clear();
    return add(std::move(node), stage, std::move(after));
  }

  // Adds exchanges inside a chunk, which hold up its stage: behind its kernels, `after`, or beside them, from `begin`
  // on.
  Vertices add_exchanges(int stage, StepPart part, const std::vector<StepNode>& exchanges, Vertices after,
                         const Vertices& begin) {
    Vertices beside;
    for (StepNode node : exchanges) {
      node.part = part;
      const bool is_beside = node.beside;
      const StepVertex added = add(std::move(node), stage, is_beside ? begin : after);
      is_beside ? beside.push_back(added) : void(after = {added});
      held_[stage].push_back(added);
    }
    append(after, beside);
    return after;
  }

  static StepNode exchange_node(StepPart part, std::string name, CollectiveKind kind, Bytes payload) {
    StepNode node;
    node.stream = Stream::exchange;
    node.part = part;
    node.name = std::move(name);
    node.collective = kind;
    node.payload = payload;
    return node;
  }

  // Returns what the receiver waits for: the transfer, `after` within a stage, nothing for an empty payload.
  Vertices add_transfer(int from, int to, StepPart part, std::string name, Bytes payload, const Vertices& after) {
    if (payload == Bytes(0)) return {};
    if (stage_of(from) == stage_of(to)) return after;
    StepNode node = exchange_node(part, std::move(name), CollectiveKind::send_receive, payload);
    node.kind = NodeKind::transfer;
    node.peer = stage_of(to);
    const StepVertex sent = add(std::move(node), stage_of(from), after);
    if (!plan_.pipeline_overlap) held_[stage_of(from)].push_back(sent);
    return {sent};
  }

  Bytes bytes_of(double elements) const {
    return element_size(plan_.precision) * (elements * plan_.batch_per_accelerator / plan_.micro_batches);
  }

  // Sends what a chunk hands on. Of a tensor that all tensor ranks hold each sends its part over the slower links
  // between stages, and gathers the others' over those inside (Narayanan et al., arXiv:2104.04473, section 4.1,
  // Megatron-LM's scatter_gather_tensors_in_pipeline; DeepSpeed's pipe_partitioned).
  Vertices hand_on(int from, int to, StepPart part, std::string name, const BoundaryElements::Count& elements,
                   const Vertices& after) {
    const double parts = elements.copied / plan_.parallelism[Axis::tensor];
    return add_transfer(from, to, part, std::move(name), bytes_of(elements.all - elements.copied + parts), after);
  }

  // Returns what the kernels of chunk `to` wait for, where `arrived` is behind the transfer of a micro-batch.
  Vertices receive(int from, int to, StepPart part, int micro_batch, const BoundaryElements::Count& elements,
                   Vertices arrived) {
    if (elements.copied == 0 || stage_of(from) == stage_of(to)) return arrived;
    const char* const what = part == StepPart::forward ? "parts of activations" : "parts of gradients";
    StepNode node =
        exchange_node(part, task_name(to, what, micro_batch), CollectiveKind::all_gather, bytes_of(elements.copied));
    node.kind = NodeKind::collective;
    node.axes = Axis::tensor;
    return {add(std::move(node), stage_of(to), arrived)};
  }

  void add_forward(int c, int micro_batch) {
    Chunk& chunk = chunks_[c];
    const int stage = stage_of(c);
    Vertices after = receive(c - 1, c, StepPart::forward, micro_batch, boundaries_[c].forward,
                             std::move(*chunk.forward_arrival[micro_batch]));
    append(after, std::exchange(chunk.gathered, {}));
    if (chunk.work.host_time > Seconds(0)) {
      StepNode node;
      node.kind = NodeKind::host_work;
      node.stream = Stream::host;
      node.name = task_name(c, "host layers", micro_batch);
      node.host_time = chunk.work.host_time;
      after = {add(std::move(node), stage, after)};
    }
    const Vertices done = run_forward(c, StepPart::forward, task_name(c, "forward", micro_batch), after);
    if (is_last(c)) {
      chunk.backward_arrival[micro_batch] = Vertices{};
    } else {
      chunks_[c + 1].forward_arrival[micro_batch] = hand_on(
          c, c + 1, StepPart::forward, task_name(c, "activations", micro_batch), boundaries_[c + 1].forward, done);
    }
  }

  Vertices run_forward(int c, StepPart part, std::string name, const Vertices& after) {
    const StageWork& work = chunks_[c].work;
    const StepVertex vertex = add_sequence(stage_of(c), part, std::move(name), work.forward, after);
    return add_exchanges(stage_of(c), part, work.forward_exchanges, {vertex}, after);
  }

  void add_backward(int c, int micro_batch) {
    Chunk& chunk = chunks_[c];
    const int stage = stage_of(c);
    if (recomputes_chunks_) run_forward(c, StepPart::backward, task_name(c, "recompute", micro_batch), {});
    Vertices gradient = *chunk.backward_arrival[micro_batch];
    if (!is_last(c))
      gradient = receive(c + 1, c, StepPart::backward, micro_batch, boundaries_[c + 1].backward, std::move(gradient));
    const auto name = task_name(c, "backward", micro_batch);
    const bool whole = chunk.work.weights == nullptr;
    const StepVertex vertex = whole && --chunk.backward_left == 0
                                  ? add_last_backward(c, name, chunk.work.backward, gradient)
                                  : add_sequence(stage, StepPart::backward, name, chunk.work.backward, gradient);
    const Vertices done = add_exchanges(stage, StepPart::backward, chunk.work.backward_exchanges, {vertex}, gradient);
    chunk.gradients_done = done;
    if (c == 0) return;
    chunks_[c - 1].backward_arrival[micro_batch] =
        hand_on(c, c - 1, StepPart::backward, task_name(c, "gradients", micro_batch), boundaries_[c].backward, done);
  }

  // Adds the last backward pass in parts, with the exchange of gradients behind the part that completes them.
  StepVertex add_last_backward(int c, const std::string& name, const std::shared_ptr<const Kernels>& all,
                               const Vertices& gradient) {
    Chunk& chunk = chunks_[c];
    const Kernels& kernels = *all;
    std::size_t done = 0;
    int parts = 0;
    StepVertex vertex = 0;
    const auto run_to = [&](std::size_t end) {
      if (parts > 0 && end <= done) return;
      const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(done);
      auto part = end - done == kernels.size()
                      ? all
                      : std::make_shared<const Kernels>(begin, begin + static_cast<std::ptrdiff_t>(end - done));
      const auto part_name = part == all ? name : fmt::format("{}, part {}", name, parts);
      vertex = add_sequence(stage_of(c), StepPart::backward, part_name, std::move(part),
                            parts == 0 ? gradient : Vertices{vertex});
      done = end;
      ++parts;
    };
    for (const auto& [node, end] : chunk.work.gradients) {
      run_to(end);
      chunk.exchanges.push_back(add(node, stage_of(c), {vertex}));
    }
    run_to(kernels.size());
    return vertex;
  }

  Vertices gradients_of(const Chunk& chunk) const {
    Vertices all = chunk.gradients_done;
    append(all, chunk.exchanges);
    return all;
  }

  // Each holder sends what it has summed up to all others.
  void add_tied_sums() {
    for (const auto& tied : tied_) {
      for (const int from : tied.chunks) {
        for (const int to : tied.chunks) {
          if (from == to) continue;
          append(chunks_[to].tied,
                 add_transfer(from, to, StepPart::gradient_exchange,
                              fmt::format("shared gradients of stage {} to {}", stage_of(from), stage_of(to)),
                              plan_.gradient_element * double(tied.parameters), gradients_of(chunks_[from])));
        }
      }
    }
  }

  void add_update(int c) {
    Chunk& chunk = chunks_[c];
    Vertices added;
    for (const auto& [node, gradients, updates] : chunk.work.update) {
      Vertices after = updates.empty() ? chunk.gradients_done : Vertices{};
      if (updates.empty()) append(after, chunk.tied);
      for (const std::size_t g : gradients) after.push_back(chunk.exchanges[g]);
      for (const std::size_t u : updates) after.push_back(added[u]);
      added.push_back(add(node, stage_of(c), after));
    }
  }

  const StepPlan& plan_;
  PipelineShape shape_;
  bool recomputes_chunks_;
  std::vector<BoundaryElements> boundaries_;
  std::vector<TiedParameters> tied_;
  StepGraph& graph_;
  std::vector<Vertices> held_;  // by stage: exchanges of a chunk that its next kernels wait for
  std::vector<Chunk> chunks_;   // in the order of the model
};

// Returns the count nearest to `wanted` that divides the batch, 1 where none does.
int nearest_divisor(double batch, int wanted) {
  for (int off = 1; off < wanted; ++off) {
    for (const int count : {wanted - off, wanted + off}) {
      if (count <= batch && std::fmod(batch, count) == 0) return count;
    }
  }
  return 1;
}

}  // namespace

PipelineShape shape_of(const StepPlan& plan, const PipelinePlan& pipeline) {
  return {pipeline.schedule, plan.parallelism[Axis::pipeline], pipeline.chunks, plan.micro_batches};
}

void check_pipeline(const StepPlan& plan, const PipelinePlan& pipeline) {
  check_plan(plan);
  const PipelineShape shape = shape_of(plan, pipeline);
  check_shape(shape);
  if (pipeline.first_layers.size() != static_cast<std::size_t>(shape.stages) * static_cast<std::size_t>(shape.chunks)) {
    throw std::logic_error("pipeline: not as many cuts as chunks");
  }
  const double batch = plan.batch_per_accelerator;
  const bool whole = batch == std::floor(batch);  // else it is a what-if's, 1 % more samples than there are
  if (!whole || std::fmod(batch, plan.micro_batches) == 0) return;
  const double larger = (std::floor(batch / plan.micro_batches) + 1) * plan.micro_batches;
  throw Infeasible(fmt::format("{} micro-batches do not divide a batch of {} samples; {} do, or a batch of {}",
                               plan.micro_batches, batch, nearest_divisor(batch, plan.micro_batches), larger));
}

StepGraph lower_pipeline(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline) {
  check_pipeline(plan, pipeline);
  StepGraph graph;
  Pipeline all(sharded, plan, pipeline, graph);
  all.add_passes();
  all.add_updates();
  return graph;
}

}  // namespace mlsim::workloads
