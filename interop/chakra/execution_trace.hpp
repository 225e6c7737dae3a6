// An ExecutionTrace is one rank's step as Chakra has it, in an et file: nodes with a length, what they wait for and
// exchange.
//
// Field names and numbers are those of mlcommons/chakra, schema/protobuf/et_def.proto at 21585d8. Attributes follow the
// conventions of ASTRA-sim (astra-sim/astra-sim at 518bd51, its feeder and workload layer).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interop/namespace.hpp"

namespace mlsim::interop {

/// The values are the numbers of NodeType.
enum class EtKind : std::uint8_t { invalid, metadata, memory_load, memory_store, compute, send, receive, collective };
/// The values are the numbers of CollectiveCommType.
enum class EtCollective : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier
};
inline constexpr int kEtKinds = 8;
inline constexpr int kEtCollectives = 10;

struct EtNode {
  std::uint64_t id = 0;
  std::string name;
  EtKind kind = EtKind::compute;
  std::vector<std::uint64_t> after;  // ids of what it waits for: its data_deps, then its ctrl_deps
  std::uint64_t duration_us = 0;
  bool on_host = false;
  std::optional<EtCollective> collective = {};     // of a collective
  std::int64_t bytes = 0;                          // comm_size; of an all-gather the part of one rank
  std::string group;                               // pg_name; empty: all ranks
  std::int64_t sender = 0, receiver = 0, tag = 0;  // of a send and a receive
  std::optional<std::int64_t> element_bytes = {};  // of one number; an attribute of mlsim's own
  bool operator==(const EtNode&) const = default;
};

struct ExecutionTrace {
  std::string version;
  std::vector<EtNode> nodes;
  bool operator==(const ExecutionTrace&) const = default;
};

/// An et file holds a Chakra execution trace: a length before each message, plain or gzip. Returns the bytes of a file:
/// GlobalMetadata, then the nodes in their order; each rank of a step has one. data_deps says what a node waits for.
/// Throws Unavailable in a program without protobuf.
std::string et_bytes(const ExecutionTrace& trace);

/// Reads a file, plain or gzip. Throws InputError with the file and the byte or node where it is cut, damaged, or has a
/// node of an unknown type; Unavailable in a program without protobuf.
ExecutionTrace load_et(const std::string& path);

}  // namespace mlsim::interop
