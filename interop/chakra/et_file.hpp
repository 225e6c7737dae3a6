// An et file holds a Chakra execution trace: a length before each message, plain or gzip.
#pragma once

#include <string>

#include "interop/chakra/execution_trace.hpp"
#include "interop/namespace.hpp"

namespace mlsim::interop {

/// Returns the bytes of a file: GlobalMetadata, then the nodes in their order; each rank of a step has one. data_deps
/// says what a node waits for. Throws Unavailable in a program without protobuf.
std::string et_bytes(const ExecutionTrace& trace);

/// Reads a file, plain or gzip. Throws InputError with the file and the byte or node where it is cut, damaged, or has a
/// node of an unknown type; Unavailable in a program without protobuf.
ExecutionTrace load_et(const std::string& path);

}  // namespace mlsim::interop
