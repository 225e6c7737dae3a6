#include "interop/chakra/execution_trace.hpp"

#include <zlib.h>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "toy_ranks.hpp"

using namespace mlsim;
using namespace mlsim::interop;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

ExecutionTrace small_trace() {
  ExecutionTrace trace{"0.0.4", {kernel_node(1, 300), collective_node(2, EtCollective::all_gather, 1 << 20, {1}, "3")}};
  trace.nodes.back().element_bytes = 2;
  trace.nodes.push_back(message_node(3, 0, 0, 1, 4096));
  trace.nodes.push_back(kernel_node(4, 0, {1, 2, 3}));
  trace.nodes.back().on_host = true;
  return trace;
}

std::string compressed(const std::string& bytes, const ScratchFolder& folder) {
  const std::string path = folder.path("compressed.et");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return path;
}

std::string et_refusal(const std::string& bytes) {
  const ScratchFolder folder;
  const std::string path = folder.file("bad.et", bytes);
  try {
    load_et(path);
  } catch (const InputError& e) {
    CHECK(e.place() == path);
    return e.reason();
  }
  return "";
}

}  // namespace

TEST_CASE("an execution trace is read as it was written, and written again byte for byte") {
  const ScratchFolder folder;
  const std::string bytes = et_bytes(small_trace());
  const ExecutionTrace read = load_et(folder.file("a.et", bytes));
  CHECK(read == small_trace());
  CHECK(et_bytes(read) == bytes);
}

// The version's field, then a node with id, name, type and an attribute, as protobuf's encoding has them (proto3).
TEST_CASE("bytes are those of Chakra's schema") {
  const std::string version(
      "\x07\x0a\x05"
      "0.0.4",
      8);
  const std::string node(
      "\x20\x08\x05\x12\x08"
      "kernel 5"
      "\x18\x04\x38\x09\x52\x0e\x0a\x09"
      "is_cpu_op"
      "\xd8\x01\x00",
      33);
  CHECK(et_bytes({"0.0.4", {kernel_node(5, 9)}}) == version + node);
}

TEST_CASE("numbers of other types, both kinds of dependencies and a file that is compressed are read") {
  const ScratchFolder folder;
  // type 7, data_deps 1, ctrl_deps 1 and 2, comm_type as int64 7, comm_size as uint64 64, pg_name as int32 2; no
  // is_cpu_op.
  const std::string attributes = std::string(
                                     "\x52\x0d\x0a\x09"
                                     "comm_type"
                                     "\x48\x07",
                                     15) +
                                 std::string(
                                     "\x52\x0d\x0a\x09"
                                     "comm_size"
                                     "\x68\x40",
                                     15) +
                                 std::string(
                                     "\x52\x0b\x0a\x07"
                                     "pg_name"
                                     "\x38\x02",
                                     13);
  const std::string body = std::string("\x08\x05\x18\x07\x2a\x01\x01\x22\x02\x01\x02", 11) + attributes;
  std::string bytes("\x00", 1);  // GlobalMetadata without a version
  bytes += static_cast<char>(body.size());
  bytes += body;
  const ExecutionTrace trace = load_et(compressed(bytes, folder));
  REQUIRE(trace.nodes.size() == 1);
  const EtNode& node = trace.nodes[0];
  CHECK(node.after == std::vector<std::uint64_t>{1, 2});
  CHECK(node.collective == EtCollective::reduce_scatter);
  CHECK(node.bytes == 64);
  CHECK(node.group == "2");
  CHECK_FALSE(node.on_host);
}

TEST_CASE("a file that is cut, too long, of something else or of unknown types is refused with the place") {
  const std::string whole = et_bytes(small_trace());
  CHECK(et_refusal("") == "is empty");
  CHECK_THAT(et_refusal(whole.substr(0, whole.size() - 3)), ContainsSubstring("does not fit into the "));
  CHECK_THAT(et_refusal(whole.substr(0, 8) + "\x90"), ContainsSubstring("byte 8: the length of a message is cut off"));
  CHECK_THAT(et_refusal(whole.substr(0, 8) + "\xff\xff\xff\xff\x7f"), ContainsSubstring("more than 2 GB"));
  CHECK_THAT(et_refusal("{\"traceEvents\": []}"), ContainsSubstring("byte 0: a message of 123 bytes"));
  CHECK_THAT(et_refusal(whole.substr(0, 8) + std::string("\x04\x08\x05\x18\x0c", 5)),
             ContainsSubstring("is of type 12, which is not known; 0 to 7 are"));
  CHECK_THAT(et_refusal(whole.substr(0, 8) + std::string("\x04\x08\x05\x18\x07", 5)),
             ContainsSubstring("without comm_type"));
  const ScratchFolder folder;
  const std::string packed = text_of(compressed(whole, folder));
  CHECK_THAT(et_refusal(packed.substr(0, packed.size() / 2)), ContainsSubstring("cut or damaged as gzip"));
}
