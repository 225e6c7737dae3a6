#include "calibrate/campaign.hpp"

#include "calibrate/helper_process.hpp"
#include "catch.hpp"
#include "fake_timed.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

MeasurePlan plan_of(int measurements) {
  MeasurePlan plan;
  for (int i = 0; i < measurements; ++i)
    plan.measurements.push_back({{"probe " + std::to_string(i), 1, Cache::cold, {}}, 0, 0, {}, {}});
  return plan;
}

// Answers every order after `time` on the clock.
struct Fake {
  FakeClock clock;
  Seconds time{1};
  std::vector<MeasureOrder> asked;

  CampaignTools tools() {
    CampaignTools made;
    made.now = clock.reader();
    made.ask = [this](const MeasureOrder& order, Seconds) {
      asked.push_back(order);
      clock.now += time;
      MeasureReply reply;
      reply.subject = order.subject;
      reply.threads = order.threads;
      return reply;
    };
    return made;
  }
};

const JournalIdentity kIdentity{"plan", "machine", "version"};

}  // namespace

TEST_CASE("a campaign asks for everything in the plan's order") {
  const ScratchFolder folder;
  Journal journal(folder.path("j"), kIdentity, false);
  Fake fake;
  const auto result = run_campaign(plan_of(3), journal, fake.tools());
  REQUIRE(result.replies.size() == 3);
  CHECK(result.replies[2].subject == "probe 2");
  CHECK(result.all == 3);
  CHECK_FALSE(result.interrupted);
}

TEST_CASE("an interrupted campaign goes on with what is left") {
  const ScratchFolder folder;
  Fake fake;
  {
    Journal journal(folder.path("j"), kIdentity, false);
    CampaignTools tools = fake.tools();
    tools.stopped = [&] { return fake.asked.size() == 2; };
    const auto result = run_campaign(plan_of(5), journal, tools);
    CHECK(result.interrupted);
    CHECK(result.replies.size() == 2);
  }
  fake.asked.clear();
  Journal journal(folder.path("j"), kIdentity, false);
  const auto result = run_campaign(plan_of(5), journal, fake.tools());
  CHECK(result.replies.size() == 5);
  REQUIRE(fake.asked.size() == 3);
  CHECK(fake.asked.front().subject == "probe 2");
}

TEST_CASE("what was measured before a helper dies is in the journal") {
  const ScratchFolder folder;
  Fake fake;
  Journal journal(folder.path("j"), kIdentity, false);
  CampaignTools tools = fake.tools();
  const auto ask = tools.ask;
  tools.ask = [&](const MeasureOrder& order, Seconds longest) {
    if (order.subject == "probe 1") throw HelperFailed("died");
    return ask(order, longest);
  };
  CHECK_THROWS_AS(run_campaign(plan_of(3), journal, tools), HelperFailed);
  CHECK(Journal(folder.path("j"), kIdentity, false).replies().size() == 1);
}

TEST_CASE("a time limit is shared out among what is left, and nothing begins after it") {
  const ScratchFolder folder;
  Journal journal(folder.path("j"), kIdentity, false);
  Fake fake;
  const auto result = run_campaign(plan_of(10), journal, fake.tools(), Seconds(4));
  CHECK(result.replies.size() == 4);
  CHECK(result.all == 10);
  CHECK_FALSE(result.interrupted);
  CHECK(fake.asked[0].rule.time_limit == Seconds(0.2));           // half of 4 s / 10
  CHECK(fake.asked[3].rule.time_limit.value == Approx(0.5 / 7));  // half of 1 s / 7
}

TEST_CASE("what outlasts the time limit by seconds is left out; a helper that hangs before is an error") {
  const ScratchFolder folder;
  Fake fake;
  CampaignTools tools = fake.tools();
  const auto ask = tools.ask;
  tools.ask = [&](const MeasureOrder& order, Seconds longest) {
    if (order.subject != "probe 1") return ask(order, longest);
    fake.clock.now += longest;
    throw HelperTooSlow("hangs");
  };
  Journal limited(folder.path("limited"), kIdentity, false), free(folder.path("free"), kIdentity, false);
  CHECK(run_campaign(plan_of(3), limited, tools, Seconds(5)).replies.size() == 1);
  CHECK(fake.clock.now == Seconds(5 + 8));
  CHECK_THROWS_AS(run_campaign(plan_of(3), free, tools), HelperTooSlow);
}

TEST_CASE("a rule with time enough is kept, another has fewer samples in less time") {
  const StoppingRule wish{0.02, 10, 1000, Seconds(1)};
  CHECK(rule_within(wish, Seconds(100), 10, Seconds(1)) == wish);
  CHECK(rule_within(wish, Seconds(10), 10, milliseconds(1)) == StoppingRule{0.02, 10, 1000, Seconds(0.5)});
  CHECK(rule_within(wish, Seconds(10), 10, milliseconds(100)) == StoppingRule{0.02, 5, 1000, Seconds(0.5)});
  CHECK(rule_within(wish, Seconds(10), 10, Seconds(1)) == StoppingRule{0.02, 3, 1000, Seconds(0.5)});
  CHECK(rule_within(wish, Seconds(0), 10, Seconds(1)).time_limit > Seconds(0));
}

TEST_CASE("progress counts what the journal held, and guesses the time left from this run") {
  const ScratchFolder folder;
  Fake fake;
  {
    Journal journal(folder.path("j"), kIdentity, false);
    run_campaign(plan_of(2), journal, fake.tools());
  }
  Journal journal(folder.path("j"), kIdentity, false);
  std::vector<CampaignProgress> seen;
  CampaignTools tools = fake.tools();
  tools.report = [&](const CampaignProgress& progress) { seen.push_back(progress); };
  run_campaign(plan_of(5), journal, tools);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].done == 3);
  CHECK(seen[0].all == 5);
  CHECK(seen[0].left == Seconds(2));
  CHECK(seen[2].left == Seconds(0));
}
