#include "calibrate/collectives/collective_session.hpp"

#include <fmt/format.h>

#include <exception>

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

Communicator& CollectiveSession::communicator(const CollectiveSubject& subject) {
  const std::string key = subject.communicator + " on " + subject.device;
  if (const auto known = obstacles_.find(key); known != obstacles_.end()) throw Unavailable(known->second);
  auto& communicator = communicators_[key];
  if (communicator) return *communicator;
  try {
    communicator = factory_(subject.communicator, subject.device);
  } catch (const Unavailable& e) {
    obstacles_[key] = e.what();
    throw;
  }
  return *communicator;
}

void CollectiveSession::prepare(const CollectiveSubject& subject) {
  exchange_.reset();
  subject_ = subject;
  case_ = {subject.kind, subject.precision, element_count(subject, world_.ranks()), world_.rank(), world_.ranks()};
  Communicator& library = communicator(subject);
  agreed_step(world_, [&] { exchange_ = library.exchange(case_); });
  start_.synchronise();
}

Seconds CollectiveSession::run() {
  try {
    return exchange_->run();
  } catch (const std::exception& e) {
    world_.abort(
        fmt::format("\"{}\" failed on rank {} of {}: {}", to_text(subject_), world_.rank(), world_.ranks(), e.what()));
  }
}

Seconds CollectiveSession::sample() {
  const bool one_way = subject_.kind == CollectiveKind::send_receive;
  while (true) {
    const bool in_time = start_.together();
    const Seconds own = run();
    const Seconds slowest(world_.largest(one_way && world_.rank() != 0 ? 0 : own.value));
    if (world_.largest(in_time ? 0 : 1) == 0) return one_way ? slowest / 2 : slowest;
    start_.widen();
  }
}

double CollectiveSession::largest_error() {
  agreed_step(world_, [&] { exchange_->load(sent_bytes(case_)); });
  world_.barrier();
  run();
  double error = 0;
  agreed_step(world_, [&] { error = received_error(case_, exchange_->received()); });
  return world_.largest(error);
}

Bytes CollectiveSession::payload() const { return static_cast<double>(case_.count) * element_size(case_.precision); }

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
