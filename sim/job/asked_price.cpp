#include "sim/job/asked_price.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

/// Names the asking options as one place of an error, "--set price=preemptible price_date=2018-12"; may be empty.
std::string place_of(const PriceOptions& options) {
  std::vector<std::string> asked;
  if (options.kind) asked.push_back(fmt::format("price={}", name(*options.kind)));
  if (options.date) asked.push_back(fmt::format("price_date={}", text(*options.date)));
  if (!options.region.empty()) asked.push_back(fmt::format("price_region={}", options.region));
  return asked.empty() ? "" : fmt::format("--set {}", fmt::join(asked, " "));
}

std::string other_kind(const PriceQuestion& question, const Cluster& cluster) {
  PriceQuestion other;
  other.own = question.own;
  other.kind = question.kind == PriceKind::on_demand ? PriceKind::preemptible : PriceKind::on_demand;
  const auto price = system_price(cluster, other);
  return price ? fmt::format("; what is known is {}", price->what.text) : "";
}

/// Samples that the job takes at this batch are 1 where it has no target, because only the ratio of two such counts.
double job_samples(const PredictRequest& request, const Plan& plan, double global_batch, int accelerators) {
  if (!plan.software.to_target || request.options.job.has_length()) return 1;
  return samples_to_target(plan.model.benchmark, plan.software.recipe, global_batch, accelerators).samples;
}

std::optional<PriceIndex> index_of(UsdPerSecond system, const PredictRequest& request, const Plan& plan, Seconds step,
                                   const StepAlone& alone) {
  const int ranks = plan.cluster->ranks();
  if (ranks < 2) return std::nullopt;
  try {
    const auto price = system_price(build_cluster(request.topology, 1), price_question(request.options.price));
    if (!price || price->value.value <= 0 || system.value <= 0) return std::nullopt;
    const double one = job_samples(request, plan, std::max(1.0, alone.batch), 1),
                 many = job_samples(request, plan, plan.global_batch(), ranks);
    return price_index({many / plan.global_batch() * step, system}, {one / alone.batch * alone.time, price->value});
  } catch (const InputError&) {
    return std::nullopt;  // one accelerator had no price then
  } catch (const Infeasible&) {
    return std::nullopt;  // no target at one of the batches
  }
}

// The rent is empty where the list has none then and there.
std::optional<SystemPrice> rent_of(const PriceOptions& options, const Cluster& cluster) {
  PriceQuestion question = price_question(options);
  question.own.clear();
  try {
    return system_price(cluster, question);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Sets what is bought against the rent of the same system on the price list.
std::optional<Prediction::Purchase> purchase_answer(const PriceOptions& options, const Cluster& cluster) {
  const auto bought = purchase_of(price_question(options).own, cluster);
  if (!bought) return std::nullopt;
  const auto rent = rent_of(options, cluster);
  if (!rent || !(rent->value > UsdPerSecond(0))) return std::nullopt;
  return Prediction::Purchase{bought->price, bought->life, rent->value, bought->price / bought->life / rent->value};
}

ProvenanceEntry rent_entry(const Prediction::Purchase& purchase, const Cluster& cluster, const PriceOptions& options) {
  const SystemPrice rent = *rent_of(options, cluster);
  return {"rent",
          {rent.what, ": owning is cheaper above ", named_percent("break_even", purchase.break_even),
           " of its life in use; power, space and people are not counted"},
          rent.source};
}

}  // namespace

PriceIndex price_index(const PricedTime& many, const PricedTime& one) {
  assert(many.time.value > 0 && one.time.value > 0 && many.price.value > 0 && one.price.value > 0);
  return {(many.price * many.time) / (one.price * one.time), one.time / many.time};
}

PriceQuestion price_question(const PriceOptions& options) {
  std::vector<OwnPrice> own = options.own;
  own.insert(own.end(), options.listed.begin(), options.listed.end());
  return {options.kind.value_or(PriceKind::on_demand), options.date, options.region, std::move(own)};
}

std::optional<SystemPrice> asked_price(const PriceOptions& options, const Cluster& cluster) {
  const std::string place = place_of(options);
  const PriceQuestion question = price_question(options);
  std::optional<SystemPrice> price;
  try {
    price = system_price(cluster, question);
  } catch (const InputError& e) {
    throw InputError(place, e.reason());
  }
  if (!price && !place.empty())
    throw InputError(place, fmt::format("no {} price of {} is known at any time{}", name(question.kind), cluster.name,
                                        other_kind(question, cluster)));
  return price;
}

std::optional<SystemPrice> on_demand_price(const PriceOptions& options, const Cluster& cluster) {
  PriceQuestion question = price_question(options);
  question.kind = PriceKind::on_demand;
  try {
    return system_price(cluster, question);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

PriceAnswer price_answer(const PredictRequest& request, const Plan& plan, Seconds step, const StepAlone& alone) {
  const auto price = asked_price(request.options.price, *plan.cluster);
  if (!price) return {};
  PriceAnswer answer{price->value,
                     purchase_answer(request.options.price, *plan.cluster),
                     index_of(price->value, request, plan, step, alone),
                     {{{"price", price->what, price->source}}, {}}};
  if (answer.purchase)
    answer.notes.provenance.push_back(rent_entry(*answer.purchase, *plan.cluster, request.options.price));
  return answer;
}

}  // namespace mlsim::sim
