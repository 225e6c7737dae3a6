// Files of the PyTorch profiler as bytes: plain and compressed, whole and broken.
#include "replay/trace/trace_reader.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/toy_trace.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<TraceEvent> events_in(const std::string& path) {
  std::vector<TraceEvent> events;
  read_trace(path, [&](const TraceEvent& e) { events.push_back(e); });
  return events;
}

std::string refusal_of(const std::string& path) {
  try {
    read_trace(path, [](const TraceEvent&) {});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a file is read alike whether plain, compressed or a bare array without its bracket") {
  const ScratchFolder folder;
  const ToyTrace trace = ToyTrace(3, 8).step(1, 0, 100).kernel("gemm", 10, 20);
  const TraceHeader header = read_trace(trace.in(folder), [](const TraceEvent&) {});
  CHECK(header.rank == 3);
  CHECK(header.world_size == 8);
  CHECK(header.device == "Toy GPU");
  CHECK(header.events == 3);
  for (const std::string& path : {trace.in(folder), gzip_with(folder, "t.json.gz", trace.text()),
                                  file_with(folder, "array.json", "[" + trace.events() + "]"),
                                  file_with(folder, "open.json", "[" + trace.events())}) {
    INFO(path);
    const auto events = events_in(path);
    REQUIRE(events.size() == 3);
    CHECK(events[0].begin_us == 0);
    CHECK(events[2].name == "gemm");
    CHECK(events[2].begin_us == Approx(10).margin(0.26));  // a double of an epoch's microseconds
    CHECK(events[2].correlation == events[1].correlation);
    CHECK(events[2].stream == 7);
  }
}

TEST_CASE("what profilers write beside JSON is read: bare backslashes, NaN, infinities") {
  const ScratchFolder folder;
  const std::string event =
      R"({"ph": "X", "cat": "kernel", "name": "a\d\"b\\", "ts": 1, "dur": 2, "args": {"x": NaN, "y": -Infinity, "stream": 9}})";
  const auto events = events_in(ToyTrace().raw(event).in(folder));
  REQUIRE(events.size() == 1);
  CHECK(events[0].name == "a\\d\"b\\");
  CHECK(events[0].stream == 9);
}

TEST_CASE("shapes and types of inputs are products and words") {
  const ScratchFolder folder;
  const auto events = events_in(
      ToyTrace()
          .around("cpu_op", "c10d::x", 0, 1, R"("Input Dims": [[2, 3], [], [5]], "Input type": ["float", "", "int"])")
          .in(folder));
  REQUIRE(events.size() == 1);
  CHECK(events[0].input_sizes == std::vector<double>{6, 0, 5});
  CHECK(events[0].input_types == std::vector<std::string>{"float", "", "int"});
}

TEST_CASE("a broken file is refused with what is wrong") {
  const ScratchFolder folder;
  const std::string whole = ToyTrace().step(1, 0, 100).kernel("gemm", 10, 20).text();
  std::string bytes = text_of(gzip_with(folder, "whole.gz", std::string(200000, ' ') + whole + whole));
  CHECK_THAT(refusal_of(file_with(folder, "cut.gz", bytes.substr(0, bytes.size() / 2))),
             ContainsSubstring("was cut off"));
  bytes[bytes.size() / 2] ^= 0x55;
  CHECK(refusal_of(file_with(folder, "damaged.gz", bytes)) != "");
  CHECK_THAT(refusal_of(file_with(folder, "cut.json", whole.substr(0, whole.size() - 40))),
             ContainsSubstring("was cut off at byte"));
  CHECK_THAT(refusal_of(file_with(folder, "x.json", "{\"traceEvents\": []}")), ContainsSubstring("has no span"));
  CHECK_THAT(refusal_of(file_with(folder, "y.json", "{\"a\": [1]}")), ContainsSubstring("is no trace"));
  CHECK_THAT(refusal_of(file_with(folder, "z.json", "epoch 1 loss 2")), ContainsSubstring("is no JSON"));
  CHECK_THAT(refusal_of(file_with(folder, "e.json", "")), ContainsSubstring("is empty"));
  CHECK_THAT(refusal_of(folder.path("none.json")), ContainsSubstring("cannot be read"));
}
