#include "sim/fold/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mlsim::sim {
// A `ProgramStep` is one group as the executor sees it; groups are numbered through lanes and phases.
struct ProgramStep {
  std::uint32_t lane = 0, phase = 0;
  const ProgramGroup* group = nullptr;
  std::uint32_t waits_for = 0;      // arrivals or groups
  std::vector<FlowPath> paths;      // paths of its flows
  std::vector<std::uint32_t> next;  // groups that wait for it
  std::vector<std::uint32_t> ends;  // rank classes that wait for it to leave
};

struct PlacedProgram::State {
  FlowNetwork& network;
  FlowProgram program;
  std::vector<ProgramStep> steps;
  std::vector<std::vector<std::uint32_t>> first;  // rank class -> groups that wait for its arrival
  std::vector<std::uint32_t> end_count;           // ends of each rank class
  Activity* activity;

  State(FlowNetwork& net, const FlowProgram& source, Activity* counting)
      : network(net), program(source), activity(counting) {}
};

PlacedProgram::PlacedProgram(FlowNetwork& network, const FlowProgram& source, Activity* activity)
    : state_(std::make_unique<State>(network, source, activity)) {
  const Activity laying("laying out flows");
  State& s = *state_;
  const FlowProgram& program = s.program;
  std::vector<FlowLink> links;
  for (const BytesPerSecond capacity : program.links) links.push_back(network.add_link(capacity));
  std::map<std::pair<std::vector<FlowLink>, Seconds>, FlowPath> paths;
  const auto path_of = [&](const ProgramFlow& flow) {
    std::vector<FlowLink> way;
    for (const std::uint32_t link : flow.links) way.push_back(links[link]);
    const auto [place, fresh] = paths.try_emplace({way, flow.latency}, 0);
    if (fresh) place->second = network.add_path(way, flow.latency);
    return place->second;
  };
  s.first.resize(program.rank_classes);
  s.end_count.assign(program.rank_classes, 0);
  std::vector<std::uint32_t> last_phase(program.lanes.size(), 0);  // its first step
  for (std::uint32_t lane = 0; lane < program.lanes.size(); ++lane) {
    std::uint32_t before = 0;
    for (std::uint32_t phase = 0; phase < program.lanes[lane].size(); ++phase) {
      const auto begin = static_cast<std::uint32_t>(s.steps.size());
      for (const ProgramGroup& group : program.lanes[lane][phase].groups) {
        const auto number = static_cast<std::uint32_t>(s.steps.size());
        ProgramStep& step = s.steps.emplace_back();
        step.lane = lane;
        step.phase = phase;
        step.group = &group;
        for (const ProgramFlow& flow : group.flows) step.paths.push_back(path_of(flow));
        if (phase == 0)
          for (const std::uint32_t c : group.members) s.first[c].push_back(number);
        else
          for (const std::uint32_t g : group.after) s.steps[before + g].next.push_back(number);
        step.waits_for = static_cast<std::uint32_t>(phase == 0 ? group.members.size() : group.after.size());
      }
      before = begin;
    }
    last_phase[lane] = before;
  }
  for (std::uint32_t c = 0; c < program.rank_classes; ++c) {
    for (const auto& [lane, group] : program.ends[c]) s.steps[last_phase[lane] + group].ends.push_back(c);
    s.end_count[c] = static_cast<std::uint32_t>(program.ends[c].size());
  }
}

PlacedProgram::~PlacedProgram() = default;

namespace {

// A run lives as long as one of its flows or timers does, or its caller holds it.
class ProgramRun final : public PlacedProgram::Run, public std::enable_shared_from_this<ProgramRun> {
 public:
  ProgramRun(FlowNetwork& network, const FlowProgram& program, const std::vector<ProgramStep>& steps,
             const std::vector<std::vector<std::uint32_t>>& first, std::vector<std::uint32_t> end_count, Bytes payload,
             std::function<void(std::uint32_t)> left, Activity* activity)
      : network_(network),
        program_(program),
        steps_(steps),
        first_(first),
        ends_missing_(std::move(end_count)),
        arrived_(program.rank_classes, false),
        payload_(payload),
        left_(std::move(left)),
        activity_(activity) {
    for (const ProgramStep& step : steps_) {
      missing_.push_back(step.waits_for);
      flows_missing_.push_back(static_cast<std::uint32_t>(step.paths.size()));
    }
  }

  void arrive(std::uint32_t rank_class) override {
    if (arrived_.at(rank_class)) throw std::logic_error(fmt::format("rank class {} joins a second time", rank_class));
    arrived_[rank_class] = true;
    const auto self = shared_from_this();
    if (ends_missing_[rank_class] == 0) return left_(rank_class);
    for (const std::uint32_t step : first_[rank_class]) supply(step);
  }

  std::string unfinished() const override {
    for (std::uint32_t c = 0; c < program_.rank_classes; ++c)
      if (!arrived_[c]) return fmt::format("rank class {} ({} ranks) has not joined", c, program_.class_size[c]);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (missing_[i] == 0 && flows_missing_[i] == 0) continue;
      return fmt::format("phase \"{}\" of rank class {} waits for {}",
                         program_.lanes[steps_[i].lane][steps_[i].phase].name, steps_[i].group->members.front(),
                         missing_[i] > 0 ? fmt::format("{} groups of the phase before", missing_[i])
                                         : fmt::format("{} of its flows", flows_missing_[i]));
    }
    return {};
  }

 private:
  // One of the things that a group waits for has come.
  void supply(std::uint32_t step) {
    if (--missing_[step] > 0) return;
    if (flows_missing_[step] == 0) return end(step);
    const auto& flows = steps_[step].group->flows;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const Seconds lead = flows[i].lead * payload_;
      if (lead.value > 0)
        network_.at(network_.now() + lead, [self = shared_from_this(), step, i] { self->send(step, i); });
      else
        send(step, i);
    }
  }

  void send(std::uint32_t step, std::size_t flow) {
    network_.send(steps_[step].paths[flow], steps_[step].group->flows[flow].share * payload_,
                  [self = shared_from_this(), step] {
                    if (self->activity_ != nullptr) self->activity_->advance();
                    if (--self->flows_missing_[step] == 0) self->end(step);
                  });
  }

  void end(std::uint32_t step) {
    for (const std::uint32_t c : steps_[step].ends)
      if (--ends_missing_[c] == 0) left_(c);
    for (const std::uint32_t next : steps_[step].next) supply(next);
  }

  FlowNetwork& network_;
  const FlowProgram& program_;
  const std::vector<ProgramStep>& steps_;
  const std::vector<std::vector<std::uint32_t>>& first_;
  std::vector<std::uint32_t> missing_, flows_missing_;  // by step
  std::vector<std::uint32_t> ends_missing_;             // by rank class
  std::vector<bool> arrived_;
  Bytes payload_;
  std::function<void(std::uint32_t)> left_;
  Activity* activity_;
};

}  // namespace

std::shared_ptr<PlacedProgram::Run> PlacedProgram::start(Bytes payload,
                                                         std::function<void(std::uint32_t rank_class)> left) {
  return std::make_shared<ProgramRun>(state_->network, state_->program, state_->steps, state_->first, state_->end_count,
                                      payload, std::move(left), state_->activity);
}

}  // namespace mlsim::sim
