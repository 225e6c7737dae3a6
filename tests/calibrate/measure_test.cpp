#include "calibrate/measure.hpp"

#include <limits>
#include <map>
#include <sstream>

#include "calibrate/bench.hpp"
#include "catch.hpp"
#include "fake_timed.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const MeasureOrder kMeasuredOrder{"kernel matmul fp32 2 2 2", 1, Cache::hot, {0.02, 10, 1000, Seconds(1)}};

class FakeBench : public Bench {
 public:
  std::unique_ptr<Timed> prepare(const MeasureOrder& order) override {
    if (order.subject == "probe gpu") throw Unavailable("there is no GPU");
    if (order.subject != kMeasuredOrder.subject)
      throw InputError(unknown_word("subject", order.subject, {kMeasuredOrder.subject}));
    return std::make_unique<FakeTimed>(clock_, [](int) { return microseconds(3); });
  }
  std::string clock() override { return "2.70 GHz"; }

 private:
  FakeClock clock_;
};

std::vector<MeasureReply> replies_to(const std::string& orders) {
  FakeBench bench;
  std::istringstream in(orders);
  std::stringstream out;
  CHECK(serve(bench, in, out) == 0);
  std::vector<MeasureReply> replies;
  for (std::string line; std::getline(out, line);) replies.push_back(reply_from_line(line, "reply"));
  return replies;
}

}  // namespace

TEST_CASE("a measurement warms up three times before it counts samples") {
  FakeClock clock;
  FakeTimed timed(clock, [](int i) { return i < 3 ? Seconds(0.01) : microseconds(5); });
  const MeasureReply reply = measure(timed, kMeasuredOrder, clock.reader());
  CHECK(timed.samples == 13);
  CHECK(reply.time == SampleStatistics{microseconds(5), microseconds(5), microseconds(5), 10, 0});
  CHECK(reply.stopped_by == StoppedBy::noise);
  CHECK(reply.bytes == Bytes(1000));
  CHECK(reply.flop == Flop(2000));
}

TEST_CASE("the time limit counts what flushing takes beside the samples") {
  // Samples of 1/16 and 1/32 s cost twice that. The first, a warm-up, takes more than a tenth of the limit; of the
  // others eleven take 6 * 1/16 + 5 * 1/8 = 1 s.
  FakeClock clock;
  FakeTimed timed(clock, [](int i) { return Seconds(i % 2 == 0 ? 1.0 / 16 : 1.0 / 32); });
  const MeasureOrder order{kMeasuredOrder.subject, 1, Cache::cold, {0.01, 3, 1000, Seconds(1)}};
  const MeasureReply reply = measure(timed, order, clock.reader());
  CHECK(reply.stopped_by == StoppedBy::time_limit);
  CHECK(timed.samples == 1 + 11);
}

TEST_CASE("a wrong result is not timed") {
  FakeClock clock;
  for (const double error : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
    FakeTimed timed(
        clock, [](int) { return Seconds(1); }, error);
    CHECK_THAT(measure(timed, kMeasuredOrder, clock.reader()).unavailable, ContainsSubstring("wrong result"));
    CHECK(timed.samples == 0);
  }
}

TEST_CASE("the coarsest format that a subject names sets the error it may have") {
  CHECK(error_tolerance("kernel dense_forward fp32 1 2 3") == error_tolerance(Precision::fp32));
  CHECK(error_tolerance("probe cast fp32 bf16 1024") == error_tolerance(Precision::bf16));
  CHECK(error_tolerance("probe launch") == error_tolerance(Precision::fp32));
}

TEST_CASE("each order is answered by a line, whatever it is") {
  const MeasureOrder no_gpu{"probe gpu", 0, Cache::cold, {}}, unknown{"kernel matmul fp32 2 2 3", 0, Cache::cold, {}};
  const auto replies =
      replies_to(to_line(kMeasuredOrder) + "\nnonsense\n\n" + to_line(no_gpu) + "\n" + to_line(unknown) + "\n");
  REQUIRE(replies.size() == 4);
  CHECK(replies[0].time.median == microseconds(3));
  CHECK(replies[0].clock == "2.70 GHz");
  CHECK(replies[0].implementation == "jit:fake");
  CHECK_THAT(replies[1].unavailable, ContainsSubstring("order 2"));
  CHECK(replies[2].unavailable == "there is no GPU");
  CHECK_FALSE(replies[2].implementation);
  CHECK(replies[2].subject == "probe gpu");
  CHECK_THAT(replies[3].unavailable, ContainsSubstring("did you mean \"kernel matmul fp32 2 2 2\"?"));
}

TEST_CASE("a reference implementation is known by its name") {
  for (const char* name : {"ref:any", "bnorm_ref:any", "bnorm_ref:any, jit:uni, jit:avx2"}) CHECK(is_reference(name));
  for (const char* name : {"jit:avx2", "x64:gemm:jit", "brgconv:avx512_core", "simple_nchw:any", ""})
    CHECK_FALSE(is_reference(name));
  CHECK_FALSE(is_reference(std::nullopt));
}

TEST_CASE("versions go through a line and back") {
  const std::map<std::string, std::string> versions{{"oneDNN", "2.6.0"}, {"odd \"one\"", "1\n2"}};
  CHECK(versions_from_line(versions_line(versions), "x") == versions);
  for (const std::string line : {"", "[]", "{\"a\": 1}"}) CHECK_THROWS_AS(versions_from_line(line, "x"), InputError);
}
