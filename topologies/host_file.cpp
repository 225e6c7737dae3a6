#include "topologies/host_file.hpp"

#include "topologies/sourced_figure.hpp"

namespace mlsim {
namespace {

// {value: 80, provenance: ..., source: ...} or a bare 80, which counts as assumed.
Sourced<double> read_threads(const Document& threads) {
  if (!threads.is_map())
    return {static_cast<double>(threads.count()),
            {Provenance::assumed, "stated without a source at " + threads.place(), ""}};
  threads.allow_only({"value", "provenance", "source", "date"});
  return {static_cast<double>(threads.at("value").count()), read_source(threads)};
}

}  // namespace

HostSpec read_host(const Document& host, bool shared) {
  host.allow_only(shared ? std::vector<std::string>{"accelerators", "threads", "memory", "storage"}
                         : std::vector<std::string>{"threads", "memory", "storage"});
  HostSpec spec;
  if (shared) spec.accelerators = host.at("accelerators").count();
  spec.threads = read_threads(host.at("threads"));
  if (host.has("memory")) spec.memory = read_figure<Bytes>(host.at("memory"));
  if (host.has("storage")) spec.storage = read_figure<BytesPerSecond>(host.at("storage"));
  return spec;
}

}  // namespace mlsim
