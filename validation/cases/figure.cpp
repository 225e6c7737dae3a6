#include "validation/cases/figure.hpp"

#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::validation {
namespace {

// An interval of zeros is one that the predictor left open.
std::optional<Interval> known(const Interval& interval) {
  return interval[0] > 0 ? std::optional(interval) : std::nullopt;
}

std::optional<Interval> scaled(const std::optional<Interval>& interval, double factor) {
  if (!interval) return std::nullopt;
  return Interval{(*interval)[0] * factor, (*interval)[1] * factor};
}

// Rates fall as the step time rises.
Figure rate_figure(double rate, const Prediction& p) {
  const auto step = known(p.interval.step_time);
  if (!step) return {rate, std::nullopt};
  return {rate, Interval{rate * p.step.time.value / (*step)[1], rate * p.step.time.value / (*step)[0]}};
}

Seconds all_to_all_time(const Prediction& p) {
  if (p.step.all_to_all <= Seconds(0)) throw Infeasible("the step has no all-to-all");
  return p.step.all_to_all;
}

// The figure's spread is about that of the step's.
Figure all_to_all_figure(const Prediction& p) {
  if (p.collective) return {p.step.time.value, known(p.interval.step_time)};
  const Seconds time = all_to_all_time(p);
  return {time.value, scaled(known(p.interval.step_time), time / p.step.time)};
}

const Prediction::Collective& asked_collective(const Prediction& p) {
  if (!p.collective) throw Infeasible("the answer is of a training step, not of a collective by itself");
  return *p.collective;
}

// It falls as the time rises.
Figure bus_bandwidth_figure(const Prediction& p) {
  const double moved = asked_collective(p).bus_bandwidth.value * p.step.time.value;
  const auto time = known(p.interval.step_time);
  if (!time) return {moved / p.step.time.value, std::nullopt};
  return {moved / p.step.time.value, Interval{moved / (*time)[1], moved / (*time)[0]}};
}

Figure collective_figure(const Prediction& p) {
  asked_collective(p);
  return {p.step.time.value, known(p.interval.step_time)};
}

Figure cost_figure(const Prediction& p) {
  if (!p.cost) throw Infeasible("the system has no price, so no cost");
  return {p.cost->value, p.interval.cost};
}

Figure time_to_accuracy_figure(const Prediction& p) {
  if (!p.time_to_target) throw Infeasible("the workload has no data on samples to target, so no time to accuracy");
  return {p.time_to_target->value, p.interval.time_to_target};
}

Figure ratio(const Figure& top, const Figure& bottom) {
  Figure out{top.value / bottom.value, std::nullopt};
  if (!top.interval || !bottom.interval) return out;
  const auto spread = [](const Figure& f, int side) { return std::log((*f.interval)[side] / f.value); };
  const double down = std::hypot(spread(top, 0), spread(bottom, 1));
  const double up = std::hypot(spread(top, 1), spread(bottom, 0));
  out.interval = Interval{out.value * std::exp(-down), out.value * std::exp(up)};
  return out;
}

}  // namespace

Figure figure_of(Metric metric, const Prediction& p) {
  switch (metric) {
    case Metric::throughput: return rate_figure(p.throughput.value, p);
    case Metric::speedup: return rate_figure(p.speedup, p);
    case Metric::scaling_efficiency: return rate_figure(p.scaling_efficiency, p);
    case Metric::step_time: return {p.step.time.value, known(p.interval.step_time)};
    case Metric::time_to_accuracy: return time_to_accuracy_figure(p);
    case Metric::cost: return cost_figure(p);
    case Metric::communication_share: return {p.step.exposed_communication / p.step.time, std::nullopt};
    case Metric::all_to_all_share: return {all_to_all_time(p) / (p.step.compute + p.step.all_to_all), std::nullopt};
    case Metric::all_to_all_time: return all_to_all_figure(p);
    case Metric::all_reduce_time: return collective_figure(p);
    case Metric::bus_bandwidth: return bus_bandwidth_figure(p);
    case Metric::memory: return {p.memory.per_accelerator.value, std::nullopt};
    case Metric::price_ratio:
    case Metric::relative_throughput:
    case Metric::all_to_all_growth: break;
  }
  throw Infeasible(std::string(name(metric)) + " is not predicted from one training step");
}

Figure relative_figure(const Case& c, const Figure& own, const Case& reference, const Figure& of_reference) {
  const Figure out = ratio(own, of_reference);
  if (c.metric != Metric::scaling_efficiency) return out;
  const double per_accelerator = static_cast<double>(reference.accelerators) / c.accelerators;
  return {out.value * per_accelerator, scaled(out.interval, per_accelerator)};
}

}  // namespace mlsim::validation
