#include "core/process/outcome.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

// A packed outcome begins with one of these bytes.
namespace tag {
constexpr char kAnswer = 'a', kInputError = 'i', kInfeasible = 'f', kUnavailable = 'u', kMachineFailed = 'm',
               kProcessCrashed = 'c', kOtherError = 'e';
}

// A program raises these signals by what it does itself (POSIX.1-2017, signal.h); every other one is sent to it.
constexpr std::array kFaults{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

template <class Error>
Outcome failed(const Error& error) {
  return Outcome(std::make_exception_ptr(error));
}

}  // namespace

const std::string& Outcome::value() const {
  if (error_) std::rethrow_exception(error_);
  return bytes_;
}

std::string Outcome::failure() const {
  try {
    value();
  } catch (const TimedOut&) {
  } catch (const MachineFailed& e) {
    return e.what();
  } catch (const ProcessCrashed& e) {
    return e.what();
  } catch (const std::exception&) {
  }
  return {};
}

std::string packed_outcome(const std::function<std::string()>& work) {
  try {
    return tag::kAnswer + work();
  } catch (const InputError& e) {
    return tag::kInputError + std::to_string(e.place().size()) + ":" + e.place() + e.reason();
  } catch (const Infeasible& e) {
    return tag::kInfeasible + std::string(e.what());
  } catch (const Unavailable& e) {
    return tag::kUnavailable + std::string(e.what());
  } catch (const MachineFailed& e) {
    return tag::kMachineFailed + std::string(e.what());
  } catch (const ProcessCrashed& e) {
    return tag::kProcessCrashed + std::string(e.what());
  } catch (const std::bad_alloc&) {
    return tag::kMachineFailed + std::string("there is not enough memory");
  } catch (const std::exception& e) {
    return tag::kOtherError + std::string(e.what());
  } catch (...) {
    return tag::kOtherError + std::string("unknown error in the child process");
  }
}

Outcome unpacked_outcome(std::string_view packed) {
  std::string text(packed.substr(1));
  switch (packed.front()) {
    case tag::kAnswer: return Outcome(std::move(text));
    case tag::kInfeasible: return failed(Infeasible(text));
    case tag::kUnavailable: return failed(Unavailable(text));
    case tag::kMachineFailed: return failed(MachineFailed(text));
    case tag::kProcessCrashed: return failed(ProcessCrashed(text));
    case tag::kInputError: {
      const std::size_t colon = text.find(':');
      const std::size_t length = std::stoul(text.substr(0, colon));
      return failed(InputError(text.substr(colon + 1, length), text.substr(colon + 1 + length)));
    }
    default: return failed(std::runtime_error(text));
  }
}

Outcome outcome_of(const ChildEnd& end, const std::string& process) {
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == kOutOfMemoryStatus)
    return failed(MachineFailed(fmt::format("there is not enough memory for {}", process)));
  if (!WIFSIGNALED(end.status))
    return failed(ProcessCrashed(
        fmt::format("{} ended with exit status {} before its result was complete", process, WEXITSTATUS(end.status))));
  const int signal = WTERMSIG(end.status);
  const std::string sentence = fmt::format("{} was ended by signal {}", process, ::strsignal(signal));
  const bool fault = std::find(kFaults.begin(), kFaults.end(), signal) != kFaults.end();
  return fault ? failed(ProcessCrashed(sentence)) : failed(MachineFailed(sentence));
}

Outcome timed_out(Seconds limit, const std::string& process) {
  return failed(TimedOut(fmt::format("{} took longer than {:g} s and was stopped", process, limit.value)));
}

}  // namespace mlsim
