#include "calibrate/helper_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate/measure.hpp"
#include "calibrate/serve.hpp"
#include "core/errors.hpp"

namespace mlsim::calibrate {
namespace {

constexpr int kPollMs = 200;                     // how soon Ctrl-C and time limits are noticed
constexpr Seconds kVersionPatience(60);          // a driver that starts for the first time takes tens of seconds
constexpr Seconds kFarewell(2);                  // to leave after the end of its input
constexpr std::size_t kLongestComplaint = 4096;  // bytes of standard error that are kept for its last line

std::string reason(int error) { return std::generic_category().message(error); }

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw HelperFailed("no pipe: " + reason(errno));
  }
};

constexpr int kMissingCapability = 3;  // exit code, as mlsim's own

// In the child, between fork and exec. A rank of mpirun that joins and leaves again would confuse the others.
void forget_mpirun() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.starts_with("OMPI_") || text.starts_with("PMIX_")) names.push_back(text.substr(0, text.find('=')));
  }
  for (const auto& name : names) ::unsetenv(name.c_str());
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
  throw HelperFailed(fmt::format("{} cannot be started: {}", file_name(path), reason(errno)));
}

HelperProcess::HelperProcess(const std::string& path, std::function<bool()> stopped, Purpose purpose)
    : name_(file_name(path)), stopped_(std::move(stopped)) {
  start(path, purpose);
}

void HelperProcess::start(const std::string& path, Purpose purpose) {
  ::signal(SIGPIPE, SIG_IGN);  // a program that died is noticed by its output's end
  const Pipe in, out, err;
  const bool versions = purpose == Purpose::versions;
  child_ = ::fork();
  if (child_ < 0) throw HelperFailed(fmt::format("{} cannot be started: {}", name_, reason(errno)));
  if (child_ == 0) {
    ::dup2(in.ends[0], STDIN_FILENO);
    ::dup2(out.ends[1], STDOUT_FILENO);
    ::dup2(err.ends[1], STDERR_FILENO);
    ::signal(SIGPIPE, SIG_DFL);
    if (versions) forget_mpirun();
    ::execl(path.c_str(), path.c_str(), versions ? "--versions" : nullptr, nullptr);
    const char* why = std::strerror(errno);
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, why, std::strlen(why));
    ::_exit(127);
  }
  ::close(in.ends[0]);
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  in_ = in.ends[1];
  out_ = out.ends[0];
  err_ = err.ends[0];
}

HelperProcess::~HelperProcess() {
  for (const int descriptor : {in_, out_, err_})
    if (descriptor >= 0) ::close(descriptor);
  if (child_ >= 0) wait_for_end();
}

int HelperProcess::wait_for_end() {
  const pid_t child = std::exchange(child_, -1);
  int status = 0;
  for (const Seconds begin = steady_now(); steady_now() - begin < kFarewell;) {
    if (::waitpid(child, &status, WNOHANG) != 0) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return status;
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

void HelperProcess::send(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto written = ::write(in_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_at_end();
    done += static_cast<std::size_t>(written);
  }
}

// False at the end of the stream, which is closed then.
bool HelperProcess::read_some(int& descriptor, std::string& into) {
  std::array<char, 4096> buffer;
  const auto count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }
  ::close(std::exchange(descriptor, -1));
  return false;
}

std::string HelperProcess::line(Seconds longest, const std::string& what) {
  const Seconds begin = steady_now();
  for (;;) {
    if (const auto end = said_.find('\n'); end != std::string::npos) {
      const std::string first = said_.substr(0, end);
      said_.erase(0, end + 1);
      return first;
    }
    if (stopped_()) throw Interrupted("stopped");
    if (steady_now() - begin > longest) {
      ::kill(child_, SIGKILL);
      throw HelperTooSlow(
          fmt::format("{} has not answered {} within {:.0f} s and was stopped", name_, what, longest.value));
    }
    std::array<pollfd, 2> streams{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};  // a closed one, -1, is left out
    if (::poll(streams.data(), streams.size(), kPollMs) <= 0) continue;
    if (streams[1].revents != 0) read_some(err_, complained_);
    if (complained_.size() > 2 * kLongestComplaint) complained_.erase(0, complained_.size() - kLongestComplaint);
    if (streams[0].revents != 0 && !read_some(out_, said_)) fail_at_end();
  }
}

void HelperProcess::fail_at_end() {
  if (stopped_()) throw Interrupted("stopped");  // the Ctrl-C that asked us to stop may have ended it, too
  // A grandchild may hold the stream open, so its end is not waited for.
  pollfd stream{err_, POLLIN, 0};
  while (err_ >= 0 && ::poll(&stream, 1, kPollMs) > 0 && read_some(err_, complained_)) {
  }
  const int status = wait_for_end();
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                          : fmt::format("ended with code {}", WEXITSTATUS(status));
  const std::string words = last_words();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMissingCapability && !words.empty()) throw Unavailable(words);
  throw HelperFailed(fmt::format("{} {}{}", name_, how, words.empty() ? "" : ": " + words));
}

std::string HelperProcess::last_words() const {
  const auto end = complained_.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  const auto begin = complained_.rfind('\n', end);
  return complained_.substr(begin + 1, end - begin);
}

// Twenty times what was planned is no slow machine any more; a minute is for the reference of the largest kernels.
Seconds patience(const MeasureOrder& order, Seconds expected) {
  return (order.rule.time_limit + expected * static_cast<double>(order.rule.min_samples)) * 20.0 + Seconds(60);
}

}  // namespace mlsim::calibrate
