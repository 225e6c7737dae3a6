// Both implementations of FlowNetwork under one call, for tests.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

using Times = std::vector<double>;

inline std::string bytes_of(const Times& times) {
  return {reinterpret_cast<const char*>(times.data()), times.size() * sizeof(double)};
}

inline Times times_of(const std::string& bytes) {
  Times times(bytes.size() / sizeof(double));
  std::memcpy(times.data(), bytes.data(), bytes.size());
  return times;
}

/// What `experiment` returns on SimGrid (in a child) or on our own solver.
inline Times on_simgrid(const std::function<Times(FlowNetwork&)>& experiment) {
  return times_of(in_child([&] { return bytes_of(experiment(*make_simgrid_flow_network())); }));
}

inline Times on_max_min(const std::function<Times(FlowNetwork&)>& experiment) {
  return experiment(*make_max_min_flow_network());
}

struct FlowSpec {
  std::vector<FlowLink> links;
  double bytes = 0;
  double latency_s = 0;
  double start_s = 0;
};

/// An experiment: the end of each flow, in seconds, over links of the given bytes per second.
inline std::function<Times(FlowNetwork&)> ends_of(std::vector<double> links, std::vector<FlowSpec> flows) {
  return [links = std::move(links), flows = std::move(flows)](FlowNetwork& network) {
    for (const double bandwidth : links) network.add_link(BytesPerSecond(bandwidth));
    Times ends(flows.size(), -1);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const FlowPath path = network.add_path(flows[i].links, Seconds(flows[i].latency_s));
      network.at(Seconds(flows[i].start_s), [&network, &ends, &flows, i, path] {
        network.send(path, Bytes(flows[i].bytes), [&network, &ends, i] { ends[i] = network.now().value; });
      });
    }
    network.run();
    return ends;
  };
}

}  // namespace mlsim::test
