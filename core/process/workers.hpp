// worker_outcomes() asks a few forked processes many questions; each gets the next one when it has answered one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/process/outcome.hpp"
#include "core/units.hpp"

namespace mlsim {

struct WorkerOptions {
  int workers = 0;                                       // processes at a time; 0: one for each processor
  std::optional<Seconds> time_limit;                     // for one question
  std::string process = "the process that answered it";  // the subject of sentences on how a worker ended
  /// This process calls `arrived` as outcomes arrive, in any order; what it throws ends the workers and is thrown on.
  std::function<void(std::size_t question, const Outcome& outcome)> arrived;
  std::function<std::string(std::size_t question)> name;  // of a question, in sentences on failures; may be empty
  /// This process calls `say` with a sentence on each question that is to be asked again. It may be empty.
  std::function<void(const std::string& sentence)> say;
  /// `stopped` is asked whenever a wait is over, also by a signal; true ends the workers with WorkersStopped.
  std::function<bool()> stopped;
  bool keep_outcomes = true;                     // false: they are for `arrived` alone
  std::string activity = "answering questions";  // what the program is said to be at meanwhile; empty: what it was
};

/// WorkersStopped says that somebody stopped the workers.
struct WorkersStopped {};

/// Returns the outcomes of answer(0), ..., answer(questions - 1), in this order whichever worker came first. The
/// workers are forked here, so `answer` sees this process as it is now. A question whose worker crashes or is killed,
/// or that this machine fails, is asked again when all others have been, twice; only then has it a MachineFailed as its
/// outcome. One that takes too long has that as its outcome at once. Another worker goes on with the others. Where no
/// more processes can be had, those that are there do all; where there is none, throws MachineFailed. The caller must
/// be single-threaded. The list is empty without keep_outcomes.
std::vector<Outcome> worker_outcomes(std::size_t questions, const std::function<std::string(std::size_t)>& answer,
                                     const WorkerOptions& options = {});

}  // namespace mlsim
