// Small runs of Chakra execution traces, in files of a test's own.
#pragma once

#include <string>
#include <vector>

#include "interop/chakra/execution_trace.hpp"
#include "scratch_folder.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

inline interop::EtNode kernel_node(std::uint64_t id, std::uint64_t us, std::vector<std::uint64_t> after = {}) {
  interop::EtNode node;
  node.id = id;
  node.name = "kernel " + std::to_string(id);
  node.after = std::move(after);
  node.duration_us = us;
  return node;
}

inline interop::EtNode collective_node(std::uint64_t id, interop::EtCollective kind, std::int64_t bytes,
                                       std::vector<std::uint64_t> after = {}, const std::string& group = "") {
  interop::EtNode node = kernel_node(id, 0, std::move(after));
  node.name = "collective " + std::to_string(id);
  node.kind = interop::EtKind::collective;
  node.collective = kind;
  node.bytes = bytes;
  node.group = group;
  return node;
}

inline interop::EtNode message_node(std::uint64_t id, int rank, int sender, int receiver, std::int64_t bytes) {
  interop::EtNode node = kernel_node(id, 0);
  node.kind = rank == sender ? interop::EtKind::send : interop::EtKind::receive;
  node.sender = sender;
  node.receiver = receiver;
  node.tag = 7;
  node.bytes = bytes;
  return node;
}

/// Writes a file for each rank and returns their prefix.
inline std::string ranks_in(const ScratchFolder& folder, const std::vector<std::vector<interop::EtNode>>& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    folder.file("run." + std::to_string(rank) + ".et", interop::et_bytes({"0.0.4", ranks[rank]}));
  return folder.path("run");
}

}  // namespace mlsim::test
