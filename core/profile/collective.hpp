// CollectiveKind lists the kinds of collective; bus_bandwidth_factor() turns algorithm bandwidth into bus bandwidth.
#pragma once

#include "core/text/words.hpp"

namespace mlsim {

enum class CollectiveKind {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  all_to_all,
  halo_exchange,
  send_receive,
  parameter_pull,  // every rank reads the variables from their servers
  parameter_push   // every rank sends its gradients to the servers, which add them up and update
};

inline Words<CollectiveKind> words(CollectiveKind) {
  return {"collective",
          {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all", "halo-exchange", "send-receive",
           "parameter-pull", "parameter-push"}};
}
/// Throws InputError with the nearest kind.

/// Returns bus bandwidth / (payload / time) for `ranks` ranks, as nccl-tests defines it (doc/PERFORMANCE.md):
/// all-reduce 2(n-1)/n; reduce-scatter, all-gather and all-to-all (n-1)/n; broadcast and the others 1.
double bus_bandwidth_factor(CollectiveKind kind, int ranks);

}  // namespace mlsim
