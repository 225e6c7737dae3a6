#include "command_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace mlsim::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments, const std::string& out,
                         const std::string& err, const std::string& folder) {
  ::setpgid(0, 0);
  if (::chdir(folder.c_str()) != 0) ::_exit(127);
  const int input = ::open("/dev/null", O_RDONLY);
  const int output = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int errors = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  ::_exit(127);
}

}  // namespace

CommandRun CommandRunner::run(const std::vector<std::string>& arguments, double patience_s) const {
  const std::string out = scratch_.path("out"), err = scratch_.path("err");
  const std::string folder = scratch_.path("folder");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const auto begin = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) become(program_, arguments, out, err, folder);
  CommandRun run;
  int status = 0;
  rusage usage{};
  bool killed = false;
  while (::wait4(child, &status, killed ? 0 : WNOHANG, &usage) == 0) {
    if (seconds_since(begin) > patience_s) {
      ::kill(-child, SIGKILL);
      killed = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  run.seconds = seconds_since(begin);
  run.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.out = text_of(out);
  run.err = text_of(err);
  return run;
}

std::string shell_line(const std::vector<std::string>& arguments) {
  std::string line = "mlsim";
  for (const std::string& word : arguments) {
    line += " '";
    for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += "'";
  }
  return line;
}

}  // namespace mlsim::test
