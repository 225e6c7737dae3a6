#include "interop/chakra/execution_trace.hpp"

#include "core/text/errors.hpp"

namespace mlsim::interop {
namespace {

[[noreturn]] void refuse() {
  throw Unavailable(
      "this mlsim was built without protobuf, in which Chakra's files are written: install "
      "libprotobuf-dev and protobuf-compiler, and build it again");
}

}  // namespace

std::string et_bytes(const ExecutionTrace&) { refuse(); }

ExecutionTrace load_et(const std::string&) { refuse(); }

}  // namespace mlsim::interop
