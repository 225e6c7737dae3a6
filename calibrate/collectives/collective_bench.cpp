#include "calibrate/collectives/collective_bench.hpp"

#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

// Rank 0 tells the others one of these words; any other text is a subject to prepare.
constexpr const char* kSample = "sample";
constexpr const char* kError = "error";
constexpr const char* kEnd = "end";

class TimedCollective : public Timed {
 public:
  TimedCollective(World& world, CollectiveSession& session) : world_(world), session_(session) {}

  Seconds sample(Cache) override {
    world_.from_root(kSample);
    return session_.sample();
  }
  double largest_error() override {
    world_.from_root(kError);
    return session_.largest_error();
  }
  Bytes bytes() const override { return session_.payload(); }
  Flop flop() const override { return Flop(0); }

 private:
  World& world_;
  CollectiveSession& session_;
};

void obey(CollectiveSession& session, const std::string& word) {
  try {
    if (word == kSample)
      session.sample();
    else if (word == kError)
      session.largest_error();
    else
      session.prepare(parse_collective_subject(word));
  } catch (const Unavailable&) {
    // Rank 0 throws the same and answers.
  }
}

}  // namespace

std::unique_ptr<Timed> CollectiveBench::prepare(const MeasureOrder& order) {
  const CollectiveSubject subject = parse_collective_subject(order.subject);
  world_.from_root(to_text(subject));
  session_.prepare(subject);
  return std::make_unique<TimedCollective>(world_, session_);
}

void CollectiveBench::end() { world_.from_root(kEnd); }

void follow(World& world, CollectiveSession& session) {
  for (std::string word = world.from_root({}); word != kEnd; word = world.from_root({})) obey(session, word);
}

}  // namespace mlsim::calibrate
