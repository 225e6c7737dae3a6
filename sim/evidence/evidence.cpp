#include "sim/evidence/evidence.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "sim/evidence/speed_prior.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

struct Evidence::Record {
  std::vector<ParsedAnchor> runs;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_network;  // places
  std::mutex guard;                                                         // of all below
  TraitsReader reader;
  std::vector<std::unique_ptr<const RunTraits>> traits;  // by place, of those that were asked for
  SharedList<Profile> builtin, own;                      // with which was solved what follows
  std::map<SolvedKey, double> solved;

  const RunTraits& traits_of(std::size_t place) {
    if (!traits[place]) traits[place] = std::make_unique<const RunTraits>(reader.traits(runs[place]));
    return *traits[place];
  }
};

struct Evidence::Sight {
  std::vector<bool> hidden;  // by place; those behind are in sight
  std::mutex guard;
  std::array<std::unique_ptr<const SpeedPrior>, 2> priors;  // of all others, of TPUs

  bool sees(std::size_t place) const { return place >= hidden.size() || !hidden[place]; }
};

Evidence::Evidence(std::vector<ParsedAnchor> runs)
    : record_(std::make_shared<Record>()), sight_(std::make_shared<Sight>()) {
  record_->runs = std::move(runs);
  record_->traits.resize(record_->runs.size());
  for (std::size_t place = 0; place < record_->runs.size(); ++place) {
    const std::string_view network = network_name(record_->runs[place].workload);
    auto known = record_->by_network.find(network);
    if (known == record_->by_network.end()) known = record_->by_network.emplace(network, 0).first;
    known->second.push_back(place);
  }
}

Evidence::Evidence(std::shared_ptr<Record> record, std::shared_ptr<Sight> sight)
    : record_(std::move(record)), sight_(std::move(sight)) {}

const std::vector<ParsedAnchor>& Evidence::runs() const { return record_->runs; }

Evidence Evidence::without(const std::function<bool(std::size_t place)>& hides) const {
  auto sight = std::make_shared<Sight>();
  for (std::size_t place = 0; place < size(); ++place) sight->hidden.push_back(!sight_->sees(place) || hides(place));
  return {record_, std::move(sight)};
}

Evidence Evidence::with(const std::vector<ParsedAnchor>& more) const {
  std::vector<ParsedAnchor> all = runs();
  all.insert(all.end(), more.begin(), more.end());
  return Evidence(std::move(all)).without([&](std::size_t place) { return !sight_->sees(place); });
}

Evidence::Run Evidence::at(std::size_t place) const {
  const std::lock_guard lock(record_->guard);
  return {place, record_->runs[place], record_->traits_of(place)};
}

std::vector<Evidence::Run> Evidence::of_network(const std::string& network) const {
  const std::lock_guard lock(record_->guard);
  std::vector<Run> found;
  const auto known = record_->by_network.find(network);
  if (known == record_->by_network.end()) return found;
  for (const std::size_t place : known->second)
    if (sight_->sees(place)) found.push_back({place, record_->runs[place], record_->traits_of(place)});
  return found;
}

std::vector<Evidence::KernelSpeed> Evidence::kernel_speeds() const {
  const std::lock_guard lock(record_->guard);
  std::vector<KernelSpeed> found;
  for (std::size_t place = 0; place < size(); ++place) {
    const ParsedAnchor& run = record_->runs[place];
    if (!run.kernel_speed || !sight_->sees(place)) continue;
    found.push_back({*run.kernel_speed, record_->reader.names(run.topology, run.workload, run.options)});
    found.back().names.precision = run.precision;
  }
  return found;
}

const SpeedPrior& Evidence::prior(bool tpu) const {
  const std::lock_guard lock(sight_->guard);
  auto& prior = sight_->priors[tpu ? 1 : 0];
  if (!prior) prior = std::make_unique<const SpeedPrior>(*this, tpu);
  return *prior;
}

double Evidence::solved(const SolvedKey& key, const SharedList<Profile>& builtin, const SharedList<Profile>& own,
                        const std::function<double()>& solve) const {
  {
    const std::lock_guard lock(record_->guard);
    if (!record_->builtin.is(builtin) || !record_->own.is(own)) {
      record_->solved.clear();
      record_->builtin = builtin;
      record_->own = own;
    }
    if (const auto known = record_->solved.find(key); known != record_->solved.end()) return known->second;
  }
  const double value = solve();
  const std::lock_guard lock(record_->guard);
  if (record_->builtin.is(builtin) && record_->own.is(own)) record_->solved.emplace(key, value);
  return value;
}

}  // namespace mlsim::sim
