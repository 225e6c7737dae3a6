#include "calibrate/helper_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/process/args.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate/bench.hpp"
#include "calibrate/measure.hpp"
#include "core/process/child_process.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

namespace asio = boost::asio;
namespace process = boost::process;

constexpr std::chrono::milliseconds kNotice(200);  // how soon Ctrl-C and time limits are noticed
constexpr Seconds kVersionPatience(60);            // a driver that starts for the first time takes tens of seconds
constexpr Seconds kFarewell(2);                    // to leave after the end of its input
constexpr Seconds kHastyFarewell(0.3);             // once the user wants to stop
constexpr std::size_t kLongestComplaint = 4096;    // of standard error, kept for its last line

constexpr int kWrongInput = 2, kMissingCapability = 3;  // exit codes, as mlsim's own

// A version is asked for without mpirun's variables: a rank that joins and leaves again would confuse the others.
process::environment environment_for(HelperProcess::Purpose purpose) {
  process::environment all = boost::this_process::environment();
  if (purpose == HelperProcess::Purpose::measure) return all;
  std::vector<std::string> of_mpirun;
  for (const auto& variable : all) {
    const std::string name = variable.get_name();
    if (name.starts_with("OMPI_") || name.starts_with("PMIX_")) of_mpirun.push_back(name);
  }
  for (const auto& name : of_mpirun) all.erase(name);
  return all;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

std::string helper_path(const std::string& name, const std::string& install) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto path = self.parent_path() / name;
  if (error || !std::filesystem::exists(path, error))
    throw Unavailable(
        fmt::format("{} is not beside mlsim, so nothing can be measured with it; it needs {}", name, install));
  return path.string();
}

std::map<std::string, std::string> helper_versions(const std::string& path) {
  HelperProcess helper(
      path, [] { return false; }, HelperProcess::Purpose::versions);
  return versions_from_line(helper.line(kVersionPatience, "for its versions"), file_name(path) + " --versions");
}

void become_helper(const std::string& path) {
  ::execl(path.c_str(), path.c_str(), nullptr);
  throw HelperFailed(fmt::format("{} cannot be started: {}", file_name(path), std::strerror(errno)));
}

// A child is the process and its standard streams. Its output is collected while the streams are asked to run().
struct HelperProcess::Child {
  Child(const std::string& path, Purpose purpose) {
    std::vector<std::string> arguments;
    if (purpose == Purpose::versions) arguments.emplace_back("--versions");
    std::error_code error;
    running = process::child(
        process::exe = path, process::args = arguments, environment_for(purpose),
        process::std_in<in, process::std_out> out, process::std_err > err, error,
        process::extend::on_exec_setup = [parent = ::getpid()](auto&) {
          ::signal(SIGPIPE, SIG_DFL);
          die_with(parent);
        });
    if (error) throw HelperFailed(fmt::format("{} cannot be started: {}", file_name(path), error.message()));
    read_on(out, out_buffer, said);
    read_on(err, err_buffer, complained);
  }

  // Reads until the end of the stream, which is closed then.
  void read_on(process::async_pipe& stream, std::array<char, 4096>& buffer, std::string& into) {
    stream.async_read_some(asio::buffer(buffer), [&](const auto& error, std::size_t count) {
      into.append(buffer.data(), count);
      if (complained.size() > 2 * kLongestComplaint) complained.erase(0, complained.size() - kLongestComplaint);
      if (error)
        stream.close();
      else
        read_on(stream, buffer, into);
    });
  }

  // Returns false where nothing was said for a while.
  bool run() {
    streams.restart();
    return streams.run_one_for(kNotice) > 0;
  }

  // Returns the last line of the child's standard error.
  std::string last_words() const {
    const auto end = complained.find_last_not_of(" \n\r\t");
    if (end == std::string::npos) return {};
    const auto begin = complained.rfind('\n', end);
    return complained.substr(begin + 1, end - begin);
  }

  asio::io_context streams;
  process::async_pipe in{streams}, out{streams}, err{streams};
  process::child running;
  std::array<char, 4096> out_buffer, err_buffer;
  std::string said, complained;  // not yet taken; the end of its standard error
};

HelperProcess::HelperProcess(const std::string& path, std::function<bool()> stopped, Purpose purpose)
    : name_(file_name(path)), stopped_(std::move(stopped)) {
  ::signal(SIGPIPE, SIG_IGN);  // a program that died is noticed by its output's end
  child_ = std::make_unique<Child>(path, purpose);
}

HelperProcess::~HelperProcess() { wait_for_end(); }

int HelperProcess::wait_for_end() {
  std::error_code ignored;
  for (auto* stream : {&child_->in, &child_->out, &child_->err}) {
    boost::system::error_code closed_already;
    stream->close(closed_already);
  }
  const Seconds begin = steady_now(), patience = stopped_() ? kHastyFarewell : kFarewell;
  while (child_->running.running(ignored) && steady_now() - begin < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (child_->running.running(ignored)) child_->running.terminate(ignored);
  return child_->running.native_exit_code();
}

MeasureReply HelperProcess::ask(const MeasureOrder& order, Seconds longest) {
  send(to_line(order) + "\n");
  const std::string text = line(longest, fmt::format("for \"{}\"", order.subject));
  try {
    MeasureReply reply = reply_from_line(text, name_);
    if (reply.subject == order.subject) return reply;
    throw InputError(fmt::format("the answer is for \"{}\", not \"{}\"", reply.subject, order.subject));
  } catch (const InputError& e) {
    throw HelperFailed(fmt::format("{} answered something else than was asked: {}", name_, e.what()));
  }
}

std::string HelperProcess::answer(const std::string& question, Seconds longest, const std::string& what) {
  send(question);
  return line(longest, what);
}

void HelperProcess::send(const std::string& text) {
  boost::system::error_code error;
  asio::write(child_->in, asio::buffer(text), error);
  if (error) fail_at_end();
}

std::string HelperProcess::line(Seconds longest, const std::string& what) {
  const Seconds begin = steady_now();
  std::string& said = child_->said;
  for (;;) {
    if (const auto end = said.find('\n'); end != std::string::npos) {
      const std::string first = said.substr(0, end);
      said.erase(0, end + 1);
      return first;
    }
    if (stopped_()) throw Interrupted("stopped");
    if (steady_now() - begin > longest) {
      std::error_code ignored;
      child_->running.terminate(ignored);
      throw HelperTooSlow(
          fmt::format("{} has not answered {} within {:.0f} s and was stopped", name_, what, longest.value));
    }
    if (!child_->out.is_open()) fail_at_end();
    child_->run();
  }
}

void HelperProcess::fail_at_end() {
  if (stopped_()) throw Interrupted("stopped");  // the Ctrl-C that asked us to stop may have ended it, too
  // A grandchild may hold the stream open, so its end is not waited for.
  while (child_->err.is_open() && child_->run()) continue;
  const std::string words = child_->last_words();
  const int status = wait_for_end();
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                          : fmt::format("ended with code {}", WEXITSTATUS(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMissingCapability && !words.empty()) throw Unavailable(words);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kWrongInput && !words.empty()) throw InputError(words);
  throw HelperFailed(fmt::format("{} {}{}", name_, how, words.empty() ? "" : ": " + words));
}

// Twenty times what was planned is no slow machine any more; a minute is for the reference of the largest kernels.
Seconds patience(const MeasureOrder& order, Seconds expected) {
  return (order.rule.time_limit + expected * static_cast<double>(order.rule.min_samples)) * 20.0 + Seconds(60);
}

}  // namespace mlsim::calibrate
