#include "calibrate/campaign.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "calibrate/helper_process.hpp"

namespace mlsim::calibrate {
namespace {

// Half of an order's time is for making ready, the check and the warm-up, which a helper's own limit does not count.
constexpr double kSamplingShare = 0.5;
// Three samples are the fewest that have quartiles of their own.
constexpr int kFewestSamples = 3;

// This time beyond a limit is for orders that were begun within it.
constexpr Seconds kGrace(8);

using Key = std::tuple<std::string, int, Cache>;

Key key_of(const MeasureOrder& order) { return {order.subject, order.threads, order.cache}; }

std::map<Key, MeasureReply> by_key(const std::vector<MeasureReply>& replies) {
  std::map<Key, MeasureReply> known;
  for (const auto& reply : replies) known[{reply.subject, reply.threads, reply.cache}] = reply;
  return known;
}

// A campaign knows where the run over a plan stands.
class Campaign {
 public:
  Campaign(const MeasurePlan& plan, Journal& journal, const CampaignTools& tools, std::optional<Seconds> time_limit)
      : plan_(plan), journal_(journal), tools_(tools), time_limit_(time_limit), known_(by_key(journal.replies())) {
    for (const auto& each : plan.measurements) open_ += known_.contains(key_of(each.order)) ? 0 : 1;
    to_do_ = open_;
    begin_ = tools.now();
  }

  CampaignResult result() {
    CampaignResult result;
    result.all = static_cast<int>(plan_.measurements.size());
    try {
      for (const auto& each : plan_.measurements) {
        if (const auto found = known_.find(key_of(each.order)); found != known_.end())
          result.replies.push_back(found->second);
        else if (!is_over())
          result.replies.push_back(measured(each));
      }
    } catch (const Interrupted&) {
      result.interrupted = true;
    } catch (const HelperTooSlow&) {
      if (!is_over()) throw;
    }
    return result;
  }

 private:
  Seconds elapsed() const { return tools_.now() - begin_; }
  bool is_over() const { return time_limit_ && elapsed() >= *time_limit_; }

  MeasureReply measured(const PlannedMeasurement& planned) {
    if (tools_.stopped()) throw Interrupted("stopped");
    MeasureOrder order = planned.order;
    if (time_limit_) order.rule = rule_within(order.rule, *time_limit_ - elapsed(), open_, planned.expected);
    Seconds longest = patience(order, planned.expected);
    if (time_limit_) longest = min(longest, *time_limit_ - elapsed() + kGrace);
    MeasureReply reply = tools_.ask(order, longest);
    journal_.append(reply);
    --open_;
    const int all = static_cast<int>(plan_.measurements.size());
    tools_.report({all - open_, all, left()});
    return reply;
  }

  // The rest is guessed to take as long as what was done, but no more than the limit leaves.
  Seconds left() const {
    const Seconds guess = elapsed() * (static_cast<double>(open_) / (to_do_ - open_));
    return time_limit_ ? min(guess, max(*time_limit_ - elapsed(), Seconds(0))) : guess;
  }

  const MeasurePlan& plan_;
  Journal& journal_;
  const CampaignTools& tools_;
  std::optional<Seconds> time_limit_;
  std::map<Key, MeasureReply> known_;
  int open_ = 0, to_do_ = 0;
  Seconds begin_;
};

}  // namespace

StoppingRule rule_within(const StoppingRule& wish, Seconds left, int orders, Seconds expected) {
  StoppingRule rule = wish;
  const Seconds share = left * kSamplingShare / std::max(orders, 1);
  if (share >= rule.time_limit) return rule;
  rule.time_limit = max(share, milliseconds(1));
  if (expected * static_cast<double>(rule.min_samples) > rule.time_limit)
    rule.min_samples =
        std::max(std::min(kFewestSamples, rule.min_samples), static_cast<int>(rule.time_limit / expected));
  return rule;
}

CampaignResult run_campaign(const MeasurePlan& plan, Journal& journal, const CampaignTools& tools,
                            std::optional<Seconds> time_limit) {
  return Campaign(plan, journal, tools, time_limit).result();
}

}  // namespace mlsim::calibrate
