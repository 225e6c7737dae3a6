#include "sim/engine/flow_network.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <stdexcept>
#include <vector>

namespace mlsim::sim {
namespace {

// A problem is a set of flows that share links. Links are numbered 0 .. capacity.size()-1, and flow f crosses
// links[offset[f]] .. links[offset[f + 1] - 1], at least one and each at most once.
struct MaxMinProblem {
  std::vector<double> capacity;
  std::vector<std::uint32_t> offset{0};
  std::vector<std::uint32_t> links;
};

struct Fill {
  double share;  // share of each flow left on the link
  std::uint32_t link;
  std::uint32_t left;  // flows left on the link when this was queued; fewer now means it is out of date
  bool operator>(const Fill& o) const { return share != o.share ? share > o.share : link > o.link; }
};

// Returns each flow's max-min fair rate (Bertsekas & Gallager, Data Networks, 1992, 6.5.2): the link with the smallest
// share per flow is filled first, its flows leave with that share, and so on. O((flows x path + links) log links).
std::vector<double> max_min_rates(const MaxMinProblem& problem) {
  const auto flows = static_cast<std::uint32_t>(problem.offset.size() - 1);
  const auto links = static_cast<std::uint32_t>(problem.capacity.size());
  // The flows of each link are the transpose of the links of each flow.
  std::vector<std::uint32_t> first(links + 1, 0), on_link(problem.links.size());
  for (const std::uint32_t link : problem.links) ++first[link + 1];
  for (std::uint32_t l = 0; l < links; ++l) first[l + 1] += first[l];
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for (std::uint32_t f = 0; f < flows; ++f)
    for (std::uint32_t i = problem.offset[f]; i < problem.offset[f + 1]; ++i) on_link[fill[problem.links[i]]++] = f;

  std::vector<double> free = problem.capacity, rate(flows, -1);
  std::vector<std::uint32_t> left(links);
  std::priority_queue<Fill, std::vector<Fill>, std::greater<>> next;
  for (std::uint32_t l = 0; l < links; ++l) {
    left[l] = first[l + 1] - first[l];
    if (left[l] > 0) next.push({free[l] / left[l], l, left[l]});
  }
  double level = 0;
  while (!next.empty()) {
    const Fill full = next.top();
    next.pop();
    if (left[full.link] != full.left || full.left == 0) continue;
    level = std::max(level, full.share);  // shares only grow; keeps rounding from turning that round
    for (std::uint32_t i = first[full.link]; i < first[full.link + 1]; ++i) {
      const std::uint32_t f = on_link[i];
      if (rate[f] >= 0) continue;
      rate[f] = level;
      for (std::uint32_t k = problem.offset[f]; k < problem.offset[f + 1]; ++k) {
        const std::uint32_t l = problem.links[k];
        free[l] = std::max(0.0, free[l] - level);
        if (--left[l] > 0 && l != full.link) next.push({free[l] / left[l], l, left[l]});
      }
    }
  }
  return rate;
}

constexpr std::uint32_t kNone = ~0u;

struct Flow {
  FlowPath path = 0;
  double remaining = 0;  // bytes at `since`
  double since = 0;      // seconds
  double rate = 0;       // bytes per second
  std::uint32_t version = 0;
  bool live = false;
  std::vector<std::uint32_t> place;  // in the flow list of each of its links
  std::function<void()> done;
};

struct Event {
  double when;
  std::uint64_t order;  // order of the requests, which events of one time keep
  std::uint32_t flow;   // kNone: a timer
  std::uint32_t index;  // index of the timer, or version of the flow
  bool operator>(const Event& o) const { return when != o.when ? when > o.when : order > o.order; }
};

class MaxMinFlowNetwork final : public FlowNetwork {
 public:
  FlowLink add_link(BytesPerSecond bandwidth) override {
    if (!(bandwidth.value > 0)) throw std::invalid_argument("a link needs a bandwidth above 0");
    links_.push_back({bandwidth.value, {}, kNone, false});
    return static_cast<FlowLink>(links_.size() - 1);
  }

  FlowPath add_path(std::span<const FlowLink> links, Seconds latency) override {
    for (const FlowLink link : links) static_cast<void>(links_.at(link));  // throws for an unknown link
    paths_.push_back({{links.begin(), links.end()}, latency.value});
    return static_cast<FlowPath>(paths_.size() - 1);
  }

  void send(FlowPath path, Bytes bytes, std::function<void()> done) override {
    const Path& taken = paths_.at(path);
    ++flows_sent_;
    if (taken.links.empty() || !(bytes.value > 0))
      at(Seconds(now_ + taken.latency), std::move(done));
    else if (taken.latency > 0)
      set_timer(now_ + taken.latency, [this, path, bytes, f = std::move(done)]() mutable {
        --events_;  // the flow's end is its only event
        start_flow(path, bytes, std::move(f));
      });
    else
      start_flow(path, bytes, std::move(done));
  }

  void at(Seconds when, std::function<void()> f) override { set_timer(when.value, std::move(f)); }
  Seconds now() const override { return Seconds(now_); }
  std::uint64_t flows() const override { return flows_sent_; }
  std::uint64_t events() const override { return events_; }

  void run() override {
    share_links();
    while (!queue_.empty()) {
      now_ = queue_.top().when;
      // Rates matter only once time moves on, so all that happens now comes before one computation.
      while (!queue_.empty() && queue_.top().when <= now_) {
        const Event event = queue_.top();
        queue_.pop();
        happen(event);
      }
      share_links();
    }
  }

 private:
  struct LinkState {
    double bandwidth;
    std::vector<std::uint32_t> flows;
    std::uint32_t number;  // in the problem being solved
    bool touched;
  };
  struct Path {
    std::vector<FlowLink> links;
    double latency;
  };

  void set_timer(double when, std::function<void()> f) {
    std::uint32_t index = static_cast<std::uint32_t>(timers_.size());
    if (free_timers_.empty()) {
      timers_.push_back(std::move(f));
    } else {
      index = free_timers_.back();
      free_timers_.pop_back();
      timers_[index] = std::move(f);
    }
    queue_.push({std::max(when, now_), order_++, kNone, index});
  }

  void happen(const Event& event) {
    if (event.flow == kNone) {
      ++events_;
      const std::function<void()> f = std::move(timers_[event.index]);
      timers_[event.index] = nullptr;
      free_timers_.push_back(event.index);
      f();
    } else if (flows_[event.flow].live && flows_[event.flow].version == event.index) {
      ++events_;
      const std::function<void()> done = std::move(flows_[event.flow].done);
      end_flow(event.flow);
      done();
    }
  }

  void start_flow(FlowPath path, Bytes bytes, std::function<void()> done) {
    std::uint32_t id = static_cast<std::uint32_t>(flows_.size());
    if (free_flows_.empty()) {
      flows_.emplace_back();
      visit_.push_back(0);
    } else {
      id = free_flows_.back();
      free_flows_.pop_back();
    }
    Flow& flow = flows_[id];
    flow.path = path;
    flow.remaining = bytes.value;
    flow.since = now_;
    flow.rate = 0;
    flow.live = true;
    flow.done = std::move(done);
    flow.place.clear();
    for (const FlowLink l : paths_[path].links) {
      flow.place.push_back(static_cast<std::uint32_t>(links_[l].flows.size()));
      links_[l].flows.push_back(id);
      touch(l);
    }
  }

  void end_flow(std::uint32_t id) {
    Flow& flow = flows_[id];
    const std::vector<FlowLink>& path = paths_[flow.path].links;
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto& list = links_[path[i]].flows;
      const std::uint32_t moved = list.back();
      list[flow.place[i]] = moved;
      list.pop_back();
      if (moved != id) {
        const std::vector<FlowLink>& other = paths_[flows_[moved].path].links;
        const auto at_link = std::find(other.begin(), other.end(), path[i]) - other.begin();
        flows_[moved].place[at_link] = flow.place[i];
      }
      touch(path[i]);
    }
    flow.live = false;
    ++flow.version;
    free_flows_.push_back(id);
  }

  void touch(FlowLink link) {
    if (links_[link].touched) return;
    links_[link].touched = true;
    touched_.push_back(link);
  }

  // Shares are computed for one component of flows and links at a time, from each touched link.
  void share_links() {
    std::vector<FlowLink> seeds;
    seeds.swap(touched_);
    for (const FlowLink seed : seeds) links_[seed].touched = false;
    for (const FlowLink seed : seeds)
      if (!links_[seed].flows.empty() && visit_[links_[seed].flows.front()] != epoch_) share_component(seed);
    ++epoch_;
  }

  void share_component(FlowLink seed) {
    std::vector<FlowLink> component{seed};
    std::vector<std::uint32_t> members;
    links_[seed].number = 0;
    for (std::size_t i = 0; i < component.size(); ++i)
      for (const std::uint32_t id : links_[component[i]].flows) {
        if (visit_[id] == epoch_) continue;
        visit_[id] = epoch_;
        members.push_back(id);
        for (const FlowLink l : paths_[flows_[id].path].links)
          if (links_[l].number == kNone) {
            links_[l].number = static_cast<std::uint32_t>(component.size());
            component.push_back(l);
          }
      }
    std::sort(members.begin(), members.end());
    MaxMinProblem problem;
    for (const FlowLink l : component) problem.capacity.push_back(links_[l].bandwidth);
    for (const std::uint32_t id : members) {
      for (const FlowLink l : paths_[flows_[id].path].links) problem.links.push_back(links_[l].number);
      problem.offset.push_back(static_cast<std::uint32_t>(problem.links.size()));
    }
    const std::vector<double> rates = max_min_rates(problem);
    for (std::size_t i = 0; i < members.size(); ++i) set_rate(members[i], rates[i]);
    for (const FlowLink l : component) links_[l].number = kNone;
  }

  void set_rate(std::uint32_t id, double rate) {
    Flow& flow = flows_[id];
    if (flow.rate == rate) return;  // its end stays where it is
    flow.remaining = std::max(0.0, flow.remaining - flow.rate * (now_ - flow.since));
    flow.since = now_;
    flow.rate = rate;
    queue_.push({now_ + flow.remaining / rate, order_++, id, ++flow.version});
  }

  double now_ = 0;
  std::uint64_t order_ = 0, flows_sent_ = 0, events_ = 0;
  std::uint32_t epoch_ = 1;
  std::vector<LinkState> links_;
  std::vector<Path> paths_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> visit_;  // by flow: the epoch in which it was last shared
  std::vector<std::uint32_t> free_flows_, free_timers_;
  std::vector<std::function<void()>> timers_;
  std::vector<FlowLink> touched_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
};

}  // namespace

std::unique_ptr<FlowNetwork> make_max_min_flow_network() { return std::make_unique<MaxMinFlowNetwork>(); }

}  // namespace mlsim::sim
