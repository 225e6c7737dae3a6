// This diagnosis says which rank or host holds the others up, by the ranks' own times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "replay/diagnosis/arrivals.hpp"
#include "replay/diagnosis/hypothesis.hpp"
#include "replay/diagnosis/worker_times.hpp"

namespace mlsim::replay {
namespace {

// Only so many steps can show that some steps of a rank are longer than its others.
constexpr std::size_t kLeastSteps = 5;

std::vector<double> of_rank(const TimesOfSteps& times, std::size_t rank) {
  std::vector<double> seconds;
  for (const auto& step : times) seconds.push_back(step[rank].value);
  return seconds;
}

// Returns the mean over steps of the last rank's time, for which the others wait, and the longest exchange.
Seconds mean_step(const WorkerTimes& times) {
  Seconds sum;
  for (std::size_t t = 0; t < times.own.size(); ++t) {
    Seconds last, exchange;
    for (std::size_t r = 0; r < times.ranks(); ++r) {
      last = max(last, times.own[t][r] + (times.input.empty() ? Seconds(0) : times.input[t][r]));
      if (!times.exchange.empty()) exchange = max(exchange, times.exchange[t][r]);
    }
    sum += last + exchange;
  }
  return sum / static_cast<double>(times.own.size());
}

// Returns who came last to the end of each step, which is where ranks of own times meet.
std::vector<Arrival> arrivals_of(const WorkerTimes& times) {
  Arrivals arrivals;
  for (std::size_t t = 0; t < times.own.size(); ++t) {
    std::vector<Seconds> ends = times.own[t];
    for (std::size_t r = 0; r < ends.size() && !times.input.empty(); ++r) ends[r] += times.input[t][r];
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    arrivals.add(fmt::format("rank {}", times.numbers[static_cast<std::size_t>(last - ends.begin())]), *last - *first);
  }
  return arrivals.ranked();
}

class WorkerEvidence {
 public:
  explicit WorkerEvidence(const WorkerTimes& times) : times_(times) {
    std::vector<double> typical;
    for (std::size_t r = 0; r < times.ranks(); ++r) {
      subjects_.push_back({fmt::format("rank {}", times.numbers[r]), times.hosts[r]});
      typical.push_back(median_value(of_rank(times.own, r)));
    }
    typical_ = median_value(typical);
    add_compute();
    if (times.own.size() >= kLeastSteps) add_unsteady();
    if (!times.input.empty()) add_input();
    if (!times.exchange.empty()) add_exchange();
  }

  TimesEvidence take() { return builder_.take(); }

  // Returns the time of the mean step in seconds.
  double mended_time(const TimesEvidence& evidence, const std::vector<Mend>& mends) const {
    WorkerTimes mended = times_;
    for (const Mend& mend : mends)
      for (const std::size_t observation : mend.hypothesis->affected)
        take_out(evidence.groups[evidence.observations[observation].group].seen, observation % times_.ranks(),
                 mend.times_as_long, mended);
    return mean_step(mended).value;
  }

 private:
  // Returns the figure of each rank, and by how much so few steps leave it open.
  template <class Figure>
  std::pair<std::vector<double>, double> figures(const TimesOfSteps& times, Figure figure) const {
    std::vector<double> values, noises;
    for (std::size_t r = 0; r < times_.ranks(); ++r) {
      std::vector<double> samples = of_rank(times, r);
      for (double& each : samples) each = figure(each);
      values.push_back(median_value(samples));
      noises.push_back(median_noise(samples));
    }
    return {values, median_value(noises)};
  }

  // Takes a cause out of all steps of a rank. Every group has all ranks in order.
  void take_out(SeenIn seen, std::size_t rank, double times_as_long, WorkerTimes& mended) const {
    const Seconds usual(median_value(of_rank(times_.own, rank)));
    for (std::size_t t = 0; t < mended.own.size(); ++t) {
      if (seen == SeenIn::compute) mended.own[t][rank] /= times_as_long;
      if (seen == SeenIn::unsteady_steps) mended.own[t][rank] = min(mended.own[t][rank], usual);
      if (seen == SeenIn::transfers) mended.exchange[t][rank] /= times_as_long;
      if (seen == SeenIn::input)
        mended.input[t][rank] = max(Seconds(0), mended.input[t][rank] - Seconds(typical_ * (times_as_long - 1)));
    }
  }

  void add_causes(CauseKind each, CauseKind hosts, std::size_t first) {
    builder_.add_each(each, subjects_, first);
    builder_.add_hosts(hosts, subjects_, first);
  }

  void add_compute() {
    const auto [values, noise] = figures(times_.own, [](double seconds) { return std::log(seconds); });
    add_causes(CauseKind::slow_rank, CauseKind::slow_host, builder_.add_group({SeenIn::compute, false, noise}, values));
    compute_noise_ = noise;
  }

  // An unsteady rank's mean lies above its median: the figure is the logarithm of their ratio.
  void add_unsteady() {
    std::vector<double> values;
    for (std::size_t r = 0; r < times_.ranks(); ++r) {
      const std::vector<double> seconds = of_rank(times_.own, r);
      double sum = 0;
      for (const double each : seconds) sum += each;
      values.push_back(std::log(sum / static_cast<double>(seconds.size()) / median_value(seconds)));
    }
    add_causes(CauseKind::late_input, CauseKind::late_input,
               builder_.add_group({SeenIn::unsteady_steps, false, compute_noise_}, values));
  }

  void add_input() {
    const auto [values, noise] = figures(times_.input, [&](double seconds) { return std::log1p(seconds / typical_); });
    const std::size_t first = builder_.add_group({SeenIn::input, true, noise}, values);
    add_causes(CauseKind::late_input, CauseKind::late_input, first);
    std::vector<std::size_t> all;
    for (std::size_t r = 0; r < times_.ranks(); ++r) all.push_back(first + r);
    builder_.add(CauseKind::late_input, "all ranks", all);
  }

  // Ranks that send nothing have no logarithm.
  void add_exchange() {
    for (std::size_t r = 0; r < times_.ranks(); ++r)
      if (median_value(of_rank(times_.exchange, r)) <= 0) return;
    const auto [values, noise] =
        figures(times_.exchange, [](double seconds) { return std::log(std::max(seconds, 1e-12)); });
    add_causes(CauseKind::slow_link, CauseKind::slow_link,
               builder_.add_group({SeenIn::transfers, false, noise}, values));
  }

  const WorkerTimes& times_;
  std::vector<MeasuredSubject> subjects_;
  double typical_ = 0, compute_noise_ = 0;
  EvidenceBuilder builder_;
};

}  // namespace

Diagnosis diagnosis(const WorkerTimes& times) {
  WorkerEvidence of_ranks(times);
  const TimesEvidence evidence = of_ranks.take();
  Diagnosis result =
      diagnosis(evidence, [&](const std::vector<Mend>& mends) { return of_ranks.mended_time(evidence, mends); });
  result.subject = fmt::format("{}, {}", counted(times.ranks(), "rank"), counted(times.own.size(), "step"));
  result.notes = times.notes;
  result.last_to_arrive = times.arrivals.empty() ? arrivals_of(times) : times.arrivals;
  return result;
}

}  // namespace mlsim::replay
