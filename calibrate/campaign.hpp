// A campaign follows a plan: orders go out, replies into the journal, until the end, the time limit or Ctrl-C.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "calibrate/journal.hpp"
#include "calibrate/measure.hpp"
#include "calibrate/measure_plan.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Progress is told after each reply.
struct CampaignProgress {
  int done = 0, all = 0;
  Seconds left;  // as far as can be told
};

struct CampaignTools {
  std::function<MeasureReply(const MeasureOrder&, Seconds patience)> ask;  // throws Interrupted, HelperFailed
  std::function<bool()> stopped = [] { return false; };
  std::function<void(const CampaignProgress&)> report = [](const CampaignProgress&) {};
  Clock now = steady_now;
};

struct CampaignResult {
  std::vector<MeasureReply> replies;  // in the plan's order, those of the journal among them
  int all = 0;                        // planned
  bool interrupted = false;           // by the user; not by the time limit
};

/// Measures what the journal does not hold yet. With `time_limit` each order gets its part of the time left; orders
/// that are not begun by then, or not done a few seconds later, are left out.
CampaignResult run_campaign(const MeasurePlan& plan, Journal& journal, const CampaignTools& tools,
                            std::optional<Seconds> time_limit = std::nullopt);

/// Returns the rule where `left` has to do for so many orders: less time and, where so many runs of `expected` do not
/// fit into it, fewer samples, but three.
StoppingRule rule_within(const StoppingRule& wish, Seconds left, int orders, Seconds expected);

}  // namespace mlsim::calibrate
