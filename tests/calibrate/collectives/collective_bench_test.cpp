#include "calibrate/collectives/collective_session.hpp"

#include <atomic>
#include <sstream>

#include "calibrate/bench.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "thread_world.hpp"

namespace mlsim::test {
namespace {

using Catch::Matchers::ContainsSubstring;

MeasureOrder order_of(const std::string& subject) {
  MeasureOrder order;
  order.subject = subject;
  order.rule.min_samples = 3;
  return order;
}

std::unique_ptr<Communicator> all_reduce_library(World& world) {
  return std::make_unique<ThreadCommunicator>(
      [&](const CollectiveCase& collective) { return std::make_unique<ThreadAllReduce>(world, collective); });
}

// Rank 0 does `lead` while two others follow.
void with_three_ranks(const std::function<std::unique_ptr<Communicator>(World&)>& library,
                      const std::function<void(CollectiveBench&)>& lead,
                      Synchronisation synchronisation = Synchronisation::barrier) {
  on_ranks(3, [&](World& world) {
    CollectiveSession session(
        world, [&](const std::string&, const std::string&) { return library(world); }, synchronisation);
    if (world.rank() != 0) return follow(world, session);
    CollectiveBench bench(world, session, {"a", "a", "b"});
    lead(bench);
    bench.end();
  });
}

std::string refusal(CollectiveBench& bench, const std::string& subject) {
  try {
    bench.prepare(order_of(subject));
  } catch (const Unavailable& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a collective takes as long as its slowest rank") {
  with_three_ranks(all_reduce_library, [](CollectiveBench& bench) {
    const auto timed = bench.prepare(order_of("collective all-reduce mpi cpu fp32 64"));
    CHECK(timed->sample(Cache::hot) == Seconds(3));
    CHECK(timed->bytes() == Bytes(64));
  });
}

TEST_CASE("ranks that begin within a window run the same collective") {
  const auto lead = [](CollectiveBench& bench) {
    const auto timed = bench.prepare(order_of("collective all-reduce mpi cpu fp32 64"));
    CHECK(timed->largest_error() == 0);
    CHECK(timed->sample(Cache::hot) == Seconds(3));
  };
  with_three_ranks(all_reduce_library, lead, Synchronisation::window);
}

TEST_CASE("a synchronisation is barrier or window") {
  CHECK(parse<Synchronisation>("window") == Synchronisation::window);
  CHECK_THROWS_WITH(parse<Synchronisation>("widow"), ContainsSubstring("window"));
}

TEST_CASE("point to point takes half of the first rank's round trip") {
  with_three_ranks(all_reduce_library, [](CollectiveBench& bench) {
    CHECK(bench.prepare(order_of("point-to-point mpi cpu fp32 64"))->sample(Cache::hot) == Seconds(0.5));
  });
}

TEST_CASE("a right result has no error and the wrong one of another collective has") {
  with_three_ranks(all_reduce_library, [](CollectiveBench& bench) {
    CHECK(bench.prepare(order_of("collective all-reduce mpi cpu fp32 1000"))->largest_error() == 0);
    CHECK(bench.prepare(order_of("collective all-to-all mpi cpu fp32 1000"))->largest_error() > 0.1);
  });
}

TEST_CASE("a payload is that of the whole elements exchanged") {
  with_three_ranks(all_reduce_library, [](CollectiveBench& bench) {
    CHECK(bench.prepare(order_of("collective all-to-all mpi cpu fp32 100"))->bytes() == Bytes(96));
  });
}

TEST_CASE("an obstacle on one rank is told by all, and the next order goes on") {
  const auto library = [](World& world) {
    return std::make_unique<ThreadCommunicator>([&](const CollectiveCase& collective) -> std::unique_ptr<Exchange> {
      if (world.rank() == 2 && collective.count > 100) throw std::bad_alloc();
      return std::make_unique<ThreadAllReduce>(world, collective);
    });
  };
  with_three_ranks(library, [](CollectiveBench& bench) {
    CHECK_THAT(refusal(bench, "collective all-reduce mpi cpu fp32 4000"), ContainsSubstring("rank 2: std::bad_alloc"));
    CHECK(bench.prepare(order_of("collective all-reduce mpi cpu fp32 400"))->largest_error() == 0);
  });
}

TEST_CASE("a library that cannot be had is asked for once") {
  std::atomic<int> asked = 0;
  const auto library = [&](World&) -> std::unique_ptr<Communicator> {
    ++asked;
    throw Unavailable("install it");
  };
  with_three_ranks(library, [](CollectiveBench& bench) {
    CHECK(refusal(bench, "collective all-reduce nccl cuda fp32 64") == "install it");
    CHECK(refusal(bench, "collective all-reduce nccl cuda fp32 128") == "install it");
  });
  CHECK(asked == 3);  // by each rank
}

TEST_CASE("an order that is no collective disturbs no other rank") {
  with_three_ranks(all_reduce_library, [](CollectiveBench& bench) {
    CHECK_THROWS_AS(bench.prepare(order_of("kernel dense_forward fp32 1 1 1")), InputError);
    CHECK(bench.prepare(order_of("collective all-reduce mpi cpu fp32 64"))->largest_error() == 0);
  });
}

TEST_CASE("orders over lines are served by all ranks together") {
  std::istringstream in(to_line(order_of("collective all-reduce mpi cpu fp32 64")) + "\n");
  std::ostringstream out;
  with_three_ranks(all_reduce_library, [&](CollectiveBench& bench) { serve(bench, in, out); });
  const MeasureReply reply = reply_from_line(out.str().substr(0, out.str().find('\n')), "reply");
  CHECK(reply.unavailable.empty());
  CHECK(reply.time.median == Seconds(3));
  CHECK(reply.bytes == Bytes(64));
  CHECK(reply.hosts == std::vector<std::string>{"a", "a", "b"});
}

TEST_CASE("a collective that fails while it runs ends all ranks with its name") {
  struct Failing : Exchange {
    void load(std::span<const std::byte>) override {}
    Seconds run() override { throw std::runtime_error("connection closed by peer"); }
    std::vector<std::byte> received() override { return {}; }
  };
  ThreadBoard board(1);
  ThreadWorld world(0, board);
  CollectiveSession session(
      world,
      [](const std::string&, const std::string&) {
        return std::make_unique<ThreadCommunicator>([](const CollectiveCase&) { return std::make_unique<Failing>(); });
      },
      Synchronisation::barrier);
  session.prepare(parse_collective_subject("collective all-reduce gloo cpu fp32 64"));
  CHECK_THROWS_WITH(session.sample(),
                    ContainsSubstring("aborted: \"collective all-reduce gloo cpu fp32 64\" failed on rank 0 of 1: "
                                      "connection closed by peer"));
}

}  // namespace mlsim::test
