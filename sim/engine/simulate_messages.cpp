#include "sim/engine/simulate_messages.hpp"

#include <string>

#include "sim/engine/child.hpp"
#include "sim/engine/max_min_flow_network.hpp"
#include "sim/engine/message_flows.hpp"
#include "sim/engine/packed.hpp"

namespace mlsim::sim {

MessageRun simulate_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                             Bytes bytes, Engine engine, const std::vector<Seconds>& arrival) {
  if (engine == Engine::max_min) {
    const auto network = make_max_min_flow_network();
    return run_message_flows(*network, schedule, cluster, efficiency, bytes, arrival);
  }
  const std::string packed = in_child([&] {
    const MessageRun run = run_messages(schedule, cluster, efficiency, bytes, arrival);
    Packer packer;
    packer.put(run.time);
    packer.put(run.left);
    packer.put(run.messages);
    return packer.take();
  });
  Unpacker unpacker(packed);
  MessageRun run;
  run.time = unpacker.get<Seconds>();
  run.left = unpacker.get_vector<Seconds>();
  run.messages = unpacker.get<std::uint64_t>();
  return run;
}

}  // namespace mlsim::sim
