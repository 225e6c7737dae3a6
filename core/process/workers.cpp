#include "core/process/workers.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "core/process/activity.hpp"
#include "core/process/deadline.hpp"
#include "core/process/message.hpp"
#include "core/text/errors.hpp"

namespace mlsim {
namespace {

using AnswerFunction = std::function<std::string(std::size_t)>;

constexpr int kTries = 3;  // of a question whose process or machine fails

std::string bytes_of(std::size_t question) { return {reinterpret_cast<const char*>(&question), sizeof question}; }

std::size_t question_of(const std::string& bytes) {
  std::size_t question = 0;
  std::memcpy(&question, bytes.data(), sizeof question);
  return question;
}

void serve(int socket, const AnswerFunction& answer) {
  Activity::keep_to_oneself();  // many at once
  while (const auto question = receive_message(socket))
    if (!send_message(socket, packed_outcome([&] { return answer(question_of(*question)); }))) return;
}

/// A worker is a process with one question in hand.
class Worker {
 public:
  explicit Worker(const AnswerFunction& answer)
      : process_(std::make_unique<ChildProcess>([&](int socket) { serve(socket, answer); })) {}

  /// A worker that has gone is noticed when its answer is waited for.
  void ask(std::size_t question, std::optional<Seconds> time_limit) {
    question_ = question;
    deadline_ = Deadline(time_limit);
    send_message(process_->socket(), bytes_of(question));
  }

  std::size_t question() const { return question_; }
  int socket() const { return process_->socket(); }
  const Deadline& deadline() const { return deadline_; }

  /// Returns the outcome where there is one; `readable` says whether there is something to read.
  std::optional<Outcome> outcome(bool readable, const WorkerOptions& options) {
    lost_ = readable && !reader_.read(process_->socket());
    if (const auto message = reader_.take()) return unpacked_outcome(*message);
    if (lost_) return outcome_of(process_->wait(), options.process);
    lost_ = deadline_.passed();
    return lost_ ? std::optional(timed_out(*options.time_limit, options.process)) : std::nullopt;
  }

  /// A lost worker can be asked nothing any more.
  bool lost() const { return lost_; }

 private:
  std::unique_ptr<ChildProcess> process_;
  MessageReader reader_;
  std::size_t question_ = 0;
  Deadline deadline_{std::nullopt};
  bool lost_ = false;
};

class Workers {
 public:
  Workers(std::size_t questions, const AnswerFunction& answer, const WorkerOptions& options)
      : questions_(questions), answer_(answer), options_(options), outcomes_(options.keep_outcomes ? questions : 0) {
    if (!options.activity.empty()) activity_.emplace(options.activity, questions);
    const int wanted =
        options.workers > 0 ? options.workers : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    for (int w = 0; w < wanted && left() && start(); ++w) continue;
  }

  std::vector<Outcome> run() {
    while (!workers_.empty()) {
      const std::vector<bool> is_readable = readable();
      // This check comes first: the Ctrl-C that asks for the stop may have ended the workers, too.
      if (options_.stopped && options_.stopped()) throw WorkersStopped();
      collect(is_readable);
    }
    std::vector<Outcome> all;
    for (auto& outcome : outcomes_) all.push_back(std::move(*outcome));
    return all;
  }

 private:
  // Returns false where no further process can be had, and those that are there go on.
  bool start() {
    try {
      workers_.emplace_back(answer_);
    } catch (const MachineFailed&) {
      if (workers_.empty()) throw;
      return false;
    }
    return ask_next(workers_.back());
  }

  bool left() const { return next_ < questions_ || !again_.empty(); }

  // Says for each worker whether there is something to read; waits until there is, or until a question's time is over.
  std::vector<bool> readable() const {
    std::vector<pollfd> sockets;
    for (const Worker& worker : workers_) sockets.push_back({worker.socket(), POLLIN, 0});
    const auto by_deadline = [](const Worker& a, const Worker& b) { return a.deadline() < b.deadline(); };
    const auto first = std::min_element(workers_.begin(), workers_.end(), by_deadline);
    const int ready = ::poll(sockets.data(), sockets.size(), first->deadline().poll_ms());
    std::vector<bool> is_readable;
    for (const pollfd& socket : sockets) is_readable.push_back(ready > 0 && socket.revents != 0);
    return is_readable;
  }

  void collect(const std::vector<bool>& readable) {
    std::vector<Worker> still_there;
    std::size_t lost = 0;
    for (std::size_t w = 0; w < readable.size(); ++w) {
      Worker& worker = workers_[w];
      const auto outcome = worker.outcome(readable[w], options_);
      if (outcome) take(worker.question(), *outcome);
      if (worker.lost())
        ++lost;
      else if (!outcome || ask_next(worker))
        still_there.push_back(std::move(worker));
    }
    workers_ = std::move(still_there);
    for (; lost > 0 && left() && start(); --lost) continue;
  }

  // Returns false where nothing is left to ask.
  bool ask_next(Worker& worker) {
    if (!left()) return false;
    std::size_t question = next_;
    if (next_ < questions_) {
      ++next_;
    } else {
      question = again_.back();
      again_.pop_back();
    }
    worker.ask(question, options_.time_limit);
    return true;
  }

  // A question that failed is asked again until its last try, whose failure is its outcome.
  void take(std::size_t question, const Outcome& outcome) {
    const std::string failure = outcome.failure();
    if (failure.empty()) return arrive(question, outcome);
    const std::string sentence = options_.name ? fmt::format("{}: {}", options_.name(question), failure) : failure;
    if (++failures_[question] == kTries)
      return arrive(question, Outcome(std::make_exception_ptr(MachineFailed(sentence))));
    again_.push_back(question);
    if (options_.say) options_.say(sentence + "; it is asked again");
  }

  void arrive(std::size_t question, const Outcome& outcome) {
    if (options_.keep_outcomes) outcomes_[question] = outcome;
    if (options_.arrived) options_.arrived(question, outcome);
    if (activity_) activity_->advance();
  }

  std::size_t questions_, next_ = 0;
  std::vector<std::size_t> again_;       // after the others, the latest first: one that fails for good ends it soon
  std::map<std::size_t, int> failures_;  // by question
  const AnswerFunction& answer_;
  const WorkerOptions& options_;
  std::vector<Worker> workers_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::optional<Activity> activity_;
};

}  // namespace

std::vector<Outcome> worker_outcomes(std::size_t questions, const AnswerFunction& answer,
                                     const WorkerOptions& options) {
  return Workers(questions, answer, options).run();
}

}  // namespace mlsim
