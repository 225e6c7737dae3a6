#include "interop/chakra/recorded_exchange.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>

#include "core/text/errors.hpp"

namespace mlsim::interop {
namespace {

CollectiveKind kind_of(EtCollective kind) {
  switch (kind) {
    case EtCollective::all_gather: return CollectiveKind::all_gather;
    case EtCollective::reduce_scatter:
    case EtCollective::reduce_scatter_block: return CollectiveKind::reduce_scatter;
    case EtCollective::all_to_all: return CollectiveKind::all_to_all;
    case EtCollective::broadcast: return CollectiveKind::broadcast;
    default: return CollectiveKind::all_reduce;
  }
}

EtExchange collective_exchange(const EtNode& node, const EtRanks& run) {
  EtExchange exchange;
  exchange.kind = kind_of(*node.collective);
  exchange.ranks = run.group_of(node);
  const bool part = exchange.kind == CollectiveKind::all_gather;
  exchange.payload = Bytes(static_cast<double>(node.bytes) * (part ? static_cast<double>(exchange.ranks.size()) : 1));
  exchange.element = Bytes(static_cast<double>(node.element_bytes.value_or(4)));
  exchange.id = node.id;
  return exchange;
}

EtExchange sent_message(const EtNode& node) {
  return {CollectiveKind::send_receive,
          {static_cast<int>(node.sender), static_cast<int>(node.receiver)},
          Bytes(static_cast<double>(node.bytes)),
          Bytes(4),
          node.id};
}

// Seen is what has been seen of one exchange.
struct Seen {
  std::size_t index = 0, ranks = 0;
  int first_rank = 0;
};

class ExchangeMatch {
 public:
  explicit ExchangeMatch(const EtRanks& run) : run_(run) {}

  EtExchanges all() {
    for (int rank = 0; rank < static_cast<int>(run_.ranks.size()); ++rank) add(rank);
    for (const auto& [key, seen] : seen_) check_complete(seen);
    return std::move(exchanges_);
  }

 private:
  // A key has the group or "send", sender, receiver, tag, and the count of such nodes so far.
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::size_t>;

  void add(int rank) {
    std::map<Key, std::size_t> counts;
    auto& of = exchanges_.of.emplace_back();
    for (const EtNode& node : run_.ranks[static_cast<std::size_t>(rank)].nodes) {
      of.push_back(EtExchanges::kNone);
      if (node.kind < EtKind::send) continue;
      const bool collective = node.kind == EtKind::collective;
      const std::string group = node.group == "0" && !run_.groups.contains("0") ? "" : node.group;
      Key key = collective ? Key{group, 0, 0, 0, 0} : Key{"send", node.sender, node.receiver, node.tag, 0};
      std::get<4>(key) = counts[key]++;
      of.back() = joined(key, rank, collective ? collective_exchange(node, run_) : sent_message(node), node);
    }
  }

  std::size_t joined(const Key& key, int rank, const EtExchange& exchange, const EtNode& node) {
    const auto [at, fresh] = seen_.try_emplace(key, Seen{exchanges_.all.size(), 0, rank});
    if (fresh) exchanges_.all.push_back(exchange);
    ++at->second.ranks;
    const EtExchange& first = exchanges_.all[at->second.index];
    if (first.kind != exchange.kind || first.payload != exchange.payload)
      throw InputError(
          run_.files[static_cast<std::size_t>(rank)],
          fmt::format("node {} (\"{}\") is {} of {:.0f} bytes; what rank {} has in its place is {} of {:.0f}", node.id,
                      node.name.substr(0, 60), name(exchange.kind), exchange.payload.value, at->second.first_rank,
                      name(first.kind), first.payload.value));
    return at->second.index;
  }

  void check_complete(const Seen& seen) const {
    const EtExchange& exchange = exchanges_.all[seen.index];
    if (seen.ranks == exchange.ranks.size()) return;
    const std::string& file = run_.files[static_cast<std::size_t>(seen.first_rank)];
    if (exchange.kind == CollectiveKind::send_receive)
      throw InputError(file, fmt::format("node {}, a message from rank {} to {}, is not on both of them", exchange.id,
                                         exchange.ranks[0], exchange.ranks[1]));
    throw InputError(file, fmt::format("node {}, {} of {} ranks, is on {} of them only", exchange.id,
                                       name(exchange.kind), exchange.ranks.size(), seen.ranks));
  }

  const EtRanks& run_;
  EtExchanges exchanges_;
  std::map<Key, Seen> seen_;
};

}  // namespace

EtExchanges exchanges_of(const EtRanks& run) { return ExchangeMatch(run).all(); }

}  // namespace mlsim::interop
