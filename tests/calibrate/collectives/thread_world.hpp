// A world whose ranks are threads of the test, and a library of collectives over their memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/world.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// A `ThreadBoard` is what the ranks share. A rank that has failed arrives at no barrier again, so that the next one breaks
/// for all others.
class ThreadBoard {
 public:
  explicit ThreadBoard(int ranks) : texts(static_cast<std::size_t>(ranks)), all_(ranks, Arrived{*this}) {}

  std::vector<std::string> texts;

  void wait() {
    all_.arrive_and_wait();
    if (broken_) throw std::runtime_error("another rank has failed");
  }
  void leave(std::exception_ptr why) {
    if (!left_.exchange(true)) first_ = std::move(why);
    all_.arrive_and_drop();
  }
  /// Throws what the first rank that failed has thrown.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  struct Arrived {
    ThreadBoard& board;
    void operator()() noexcept { board.broken_ = board.left_.load(); }
  };

  std::atomic<bool> left_ = false;
  bool broken_ = false;  // written while all wait
  std::exception_ptr first_;
  std::barrier<Arrived> all_;
};

class ThreadWorld : public World {
 public:
  ThreadWorld(int rank, ThreadBoard& board) : rank_(rank), board_(board) {}

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(board_.texts.size()); }
  void barrier() override { board_.wait(); }
  double largest(double value) override {
    double result = value;
    for (const auto& text : gathered(std::to_string(value))) result = std::max(result, std::stod(text));
    return result;
  }
  std::string from_root(const std::string& text) override { return gathered(text).front(); }
  std::vector<std::string> gathered(const std::string& text) override {
    board_.texts[rank_] = text;
    barrier();
    const auto texts = board_.texts;
    barrier();
    return texts;
  }
  ClockLead clock_lead() override { return {}; }  // threads share a clock

 private:
  void end_ranks(const std::string& why) override { throw std::logic_error("aborted: " + why); }

  int rank_;
  ThreadBoard& board_;
};

/// Runs `body` as every rank at once, rank 0 in the calling thread. Throws what the first rank that fails throws. Of
/// Catch's assertions only rank 0 may make any: they are not safe between threads.
inline void on_ranks(int ranks, const std::function<void(World&)>& body) {
  ThreadBoard board(ranks);
  const auto as_rank = [&](int rank) {
    try {
      ThreadWorld world(rank, board);
      body(world);
    } catch (...) {
      board.leave(std::current_exception());
    }
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < ranks; ++rank) others.emplace_back(as_rank, rank);
  as_rank(0);
  others.clear();
  board.rethrow();
}

/// An all-reduce of fp32 that takes as many seconds as the rank's number and one more.
class ThreadAllReduce : public Exchange {
 public:
  ThreadAllReduce(World& world, const CollectiveCase& collective) : world_(world), collective_(collective) {}

  void load(std::span<const std::byte> sent) override { sent_.assign(sent.begin(), sent.end()); }
  Seconds run() override {
    const std::string own(reinterpret_cast<const char*>(sent_.data()), sent_.size());
    std::vector<float> sums(collective_.count), terms(collective_.count);
    for (const auto& text : world_.gathered(own)) {
      std::copy(text.begin(), text.end(), reinterpret_cast<char*>(terms.data()));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += terms[i];
    }
    received_.resize(sent_.size());
    const auto result = std::as_bytes(std::span(sums)).first(received_.size());
    std::copy(result.begin(), result.end(), received_.begin());
    return Seconds(world_.rank() + 1.0);
  }
  std::vector<std::byte> received() override { return received_; }

 private:
  World& world_;
  CollectiveCase collective_;
  std::vector<std::byte> sent_, received_;
};

/// Calls what the test gives it.
class ThreadCommunicator : public Communicator {
 public:
  using Make = std::function<std::unique_ptr<Exchange>(const CollectiveCase&)>;
  explicit ThreadCommunicator(Make make) : make_(std::move(make)) {}
  std::unique_ptr<Exchange> exchange(const CollectiveCase& collective) override { return make_(collective); }

 private:
  Make make_;
};

}  // namespace mlsim::test
