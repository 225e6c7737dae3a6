#include "sim/evidence/evidence.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "sim/evidence/speed_prior.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {
namespace {

std::vector<std::string> networks_of(const std::vector<ParsedAnchor>& runs) {
  std::vector<std::string> networks;
  for (const ParsedAnchor& run : runs) networks.emplace_back(network_name(run.workload));
  return networks;
}

}  // namespace

struct Evidence::Record {
  struct Network {
    std::vector<std::size_t> places;
    std::vector<ParsedAnchor> runs;  // of a network that was read by itself
  };
  using Networks = std::map<std::string, Network, std::less<>>;
  struct Place {
    Networks::iterator network;
    std::size_t number;  // among the network's
  };

  Networks networks;
  std::vector<Place> places;
  ReadNetwork read;                // empty where all runs are there
  FittedSpeeds fitted;             // may be empty
  std::mutex guard;                // of all below, and of the networks' runs
  std::vector<ParsedAnchor> runs;  // all of them, or none
  TraitsReader reader;
  std::vector<std::unique_ptr<const RunTraits>> traits;  // by place, of those that were asked for
  SharedList<Profile> builtin, own;                      // with which was solved what follows
  std::map<SolvedKey, double> solved;

  const ParsedAnchor& run(std::size_t place) {
    if (!read) return runs[place];
    auto& [name, network] = *places[place].network;
    if (network.runs.empty()) network.runs = read(name);
    return network.runs.at(places[place].number);
  }

  const std::vector<ParsedAnchor>& all() {
    if (read) runs = read({});
    read = {};
    return runs;
  }

  const RunTraits& traits_of(std::size_t place) {
    if (!traits[place]) traits[place] = std::make_unique<const RunTraits>(reader.traits(run(place)));
    return *traits[place];
  }
};

struct Evidence::Sight {
  std::vector<bool> hidden;  // by place; those behind are in sight
  std::mutex guard;
  std::array<std::unique_ptr<const SpeedPrior>, kSpeedPopulations> priors;

  bool sees(std::size_t place) const { return place >= hidden.size() || !hidden[place]; }
};

Evidence::Evidence(std::vector<ParsedAnchor> runs) : Evidence(networks_of(runs), {}, {}) {
  record_->runs = std::move(runs);
}

Evidence::Evidence(const std::vector<std::string>& networks, ReadNetwork read, FittedSpeeds fitted)
    : record_(std::make_shared<Record>()), sight_(std::make_shared<Sight>()) {
  for (const std::string& network : networks) {
    const auto known = record_->networks.try_emplace(network).first;
    known->second.places.push_back(record_->places.size());
    record_->places.push_back({known, known->second.places.size() - 1});
  }
  record_->traits.resize(networks.size());
  record_->read = std::move(read);
  record_->fitted = std::move(fitted);
}

Evidence::Evidence(std::shared_ptr<Record> record, std::shared_ptr<Sight> sight)
    : record_(std::move(record)), sight_(std::move(sight)) {}

std::size_t Evidence::size() const { return record_->places.size(); }

const ParsedAnchor& Evidence::operator[](std::size_t place) const {
  const std::lock_guard lock(record_->guard);
  return record_->run(place);
}

const std::vector<ParsedAnchor>& Evidence::runs() const {
  const std::lock_guard lock(record_->guard);
  return record_->all();
}

bool Evidence::knows_stack(const std::string& stack) const {
  const auto among = [&](const std::vector<ParsedAnchor>& runs) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const ParsedAnchor& run) { return run.options.software.stack == stack; });
  };
  const std::lock_guard lock(record_->guard);
  for (const auto& [name, network] : record_->networks)
    if (among(network.runs)) return true;  // as of most questions, whose network was read
  return among(record_->all());
}

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
  return {place, record_->run(place), record_->traits_of(place)};
}

std::vector<Evidence::Run> Evidence::of_network(const std::string& network) const {
  const std::lock_guard lock(record_->guard);
  std::vector<Run> found;
  const auto known = record_->networks.find(network);
  if (known == record_->networks.end()) return found;
  for (const std::size_t place : known->second.places)
    if (sight_->sees(place)) found.push_back({place, record_->run(place), record_->traits_of(place)});
  return found;
}

std::vector<Evidence::KernelSpeed> Evidence::kernel_speeds() const {
  const std::lock_guard lock(record_->guard);
  std::vector<KernelSpeed> found;
  for (std::size_t place = 0; place < size(); ++place) {
    const ParsedAnchor& run = record_->all()[place];
    if (!run.kernel_speed || run.bound_elsewhere() || !sight_->sees(place)) continue;
    found.push_back({*run.kernel_speed, record_->reader.names(run.topology, run.workload, run.options)});
    found.back().names.precision = run.precision;
  }
  return found;
}

const SpeedPrior& Evidence::prior(SpeedPopulation population) const {
  const std::lock_guard lock(sight_->guard);
  auto& prior = sight_->priors[std::size_t(population)];
  if (!prior) {
    const bool known = record_->fitted && sight_->hidden.empty();
    prior = std::make_unique<const SpeedPrior>(known ? record_->fitted(population) : fit_speeds(*this, population));
  }
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
