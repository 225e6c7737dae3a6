#include "sim/fold/program_builder.hpp"

#include <algorithm>

namespace mlsim::sim {
namespace {

void sort_distinct(std::vector<std::uint32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

LaneBuilder::LaneBuilder(FlowProgram& program, std::uint32_t lanes)
    : program_(program), before_(program.rank_classes), now_(program.rank_classes) {
  program_.lanes.resize(lanes);
  program_.ends.resize(program.rank_classes);
}

void LaneBuilder::begin_phase(std::uint32_t lane, const std::string& name) {
  lane_ = lane;
  program_.lanes[lane].push_back({name, {}});
}

void LaneBuilder::add_group(std::vector<std::uint32_t> classes, std::vector<ProgramFlow> flows) {
  auto& phases = program_.lanes[lane_];
  const auto number = static_cast<std::uint32_t>(phases.back().groups.size());
  sort_distinct(classes);
  ProgramGroup group;
  for (const std::uint32_t c : classes) {
    now_[c].push_back(number);
    if (phases.size() > 1) group.after.insert(group.after.end(), before_[c].begin(), before_[c].end());
  }
  sort_distinct(group.after);
  group.members = std::move(classes);
  group.flows = std::move(flows);
  phases.back().groups.push_back(std::move(group));
}

void LaneBuilder::end_phase() {
  for (std::uint32_t c = 0; c < program_.rank_classes; ++c)
    if (now_[c].empty()) add_group({c}, {});
  before_.swap(now_);
  for (auto& groups : now_) groups.clear();
  // Lanes come one after another: the groups that stand here after the last phase of a lane are its ends.
  for (std::uint32_t c = 0; c < program_.rank_classes; ++c) {
    auto& ends = program_.ends[c];
    while (!ends.empty() && ends.back().first == lane_) ends.pop_back();
    for (const std::uint32_t group : before_[c]) ends.emplace_back(lane_, group);
  }
}

}  // namespace mlsim::sim
