#include "topologies/machine/host_file.hpp"

#include "topologies/machine/sourced_figure.hpp"

namespace mlsim::topologies {

HostSpec read_host(const Document& host, bool shared) {
  host.allow_only(shared ? std::vector<std::string>{"accelerators", "threads", "memory", "storage"}
                         : std::vector<std::string>{"threads", "memory", "storage"});
  HostSpec spec;
  if (shared) spec.accelerators = host.at("accelerators").count(1, kMostParts);
  const auto [threads, source] = read_counted(host.at("threads"));
  spec.threads = {static_cast<double>(threads), source};
  if (host.has("memory")) spec.memory = read_figure<Bytes>(host.at("memory"));
  if (host.has("storage")) spec.storage = read_figure<BytesPerSecond>(host.at("storage"));
  return spec;
}

}  // namespace mlsim::topologies
