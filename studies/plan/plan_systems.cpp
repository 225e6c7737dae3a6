#include "studies/plan/plan_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/job/asked_price.hpp"
#include "studies/sweep/sweep_axis.hpp"
#include "studies/sweep/sweep_grid.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::studies {
namespace {

std::vector<std::string> systems_of(const PlanQuestion& question) {
  if (!question.job.topology.empty()) return parse_axis("--topology", "topology", question.job.topology).values;
  std::vector<std::string> names;
  for (const TopologyEntry& entry : topology_entries())
    if (entry.of_its_own) names.push_back(entry.name);
  return names;
}

// Says why the price that is asked for is not known; empty where it is.
std::string priceless(const Cluster& whole, const PriceOptions& price) {
  try {
    return asked_price(price, whole) ? "" : kNoPrice;
  } catch (const InputError& e) {
    return e.reason();
  }
}

// The price is empty where there is no such size, or no price.
std::optional<UsdPerSecond> price_of_size(const std::string& system, int accelerators, const PriceOptions& price) {
  try {
    const auto found = asked_price(price, build_cluster(system, accelerators));
    return found ? std::optional(found->value) : std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

bool comes_in(const std::string& system, int accelerators) {
  try {
    build_cluster(system, accelerators);
    return true;
  } catch (const Infeasible&) {
    return false;
  }
}

// Reads the sizes that were asked for.
std::vector<int> named_sizes(const std::string& list) {
  std::vector<int> sizes;
  for (const std::string& size : parse_axis("--accelerators", "accelerators", list).values) {
    check_value("accelerators", size);
    sizes.push_back(parse_count(size));
  }
  return sizes;
}

std::vector<int> sizes_of(const PlanQuestion& question, const std::string& system, int whole,
                          const PriceOptions& price) {
  std::vector<int> sizes{whole};
  while (sizes.back() % 2 == 0) sizes.push_back(sizes.back() / 2);
  std::reverse(sizes.begin(), sizes.end());
  while (2 * sizes.back() <= question.most_accelerators && comes_in(system, 2 * sizes.back()))
    sizes.push_back(2 * sizes.back());
  std::vector<int> asked;
  for (const int size : sizes) {
    const auto bill = price_of_size(system, size, price);
    const bool rented_whole = bill && size < whole && bill == price_of_size(system, 2 * size, price);
    if (size <= question.most_accelerators && !rented_whole) asked.push_back(size);
  }
  return asked;
}

// A price of something that nobody asks for would change nothing.
void check_prices(const PriceOptions& price, const std::vector<Cluster>& asked) {
  for (const OwnPrice& own : price.own) {
    if (std::any_of(asked.begin(), asked.end(), [&](const Cluster& cluster) { return applies(own, cluster); }))
      continue;
    throw InputError("--price", fmt::format("{} is in the bill of no system that is asked for", own.name));
  }
}

// Says of a system that has no size within what is asked how large its least is.
std::string too_large(const PlanQuestion& question, const std::string& system, int whole, const PriceOptions& price) {
  PlanQuestion any = question;
  any.most_accelerators = std::max(whole, question.most_accelerators);
  const std::vector<int> sizes = sizes_of(any, system, whole, price);
  return fmt::format("it is rented by {} accelerators, and no more than {} are asked for (--most-accelerators)",
                     sizes.empty() ? whole : sizes.front(), question.most_accelerators);
}

}  // namespace

PlanSystems plan_systems(const PlanQuestion& question, const PriceOptions& price) {
  PlanSystems systems;
  const std::vector<int> named =
      question.job.accelerators.empty() ? std::vector<int>() : named_sizes(question.job.accelerators);
  const std::vector<std::string> names = systems_of(question);
  std::vector<Cluster> clusters;
  for (const std::string& system : names) clusters.push_back(build_cluster(system));
  check_prices(price, clusters);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& system = names[i];
    const Cluster& whole = clusters[i];
    std::string reason = priceless(whole, price);
    // Whoever names a system may have it for nothing.
    if (!question.job.topology.empty() && reason == kNoPrice) reason.clear();
    if (!reason.empty()) {
      systems.left_out.push_back({system, std::move(reason)});
      continue;
    }
    const std::vector<int> sizes = named.empty() ? sizes_of(question, system, whole.ranks(), price) : named;
    for (const int size : sizes) systems.sizes.push_back({system, size});
    if (sizes.empty()) systems.left_out.push_back({system, too_large(question, system, whole.ranks(), price)});
  }
  return systems;
}

}  // namespace mlsim::studies
