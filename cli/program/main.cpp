// `mlsim` runs one command line, and turns every error into one sentence and an exit code.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>

#include "cli/output/interruption.hpp"
#include "cli/output/progress_line.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/program.hpp"
#include "core/text/errors.hpp"

namespace {

int report(const std::exception& error, int code) {
  mlsim::cli::say(error.what());
  return code;
}

// A file that is opened later does not take the place of a standard stream that is closed, and what is meant for stdout
// still fails there.
void hold_closed_streams() {
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    if (::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

// Memory may end where no error can pass, and where none is left for a sentence.
[[noreturn]] void end_program() {
  constexpr std::string_view kSentence = "mlsim: there is not enough memory\n";
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    if (::write(STDERR_FILENO, kSentence.data(), kSentence.size()) >= 0) ::_exit(mlsim::cli::kMachineCode);
  } catch (...) {
    std::abort();
  }
  std::abort();
}

}  // namespace

// Decides every exit code that is no command's own answer.
int main(int argc, char** argv) {
  using namespace mlsim::cli;
  hold_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is then an error of write()
  std::set_terminate(end_program);
  end_on_signals();
  std::optional<ProgressLine> line;
  try {
    const int code = run_program({argv + 1, argv + argc}, [&](bool quiet) {
      if (!quiet) line.emplace();
    });
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw mlsim::InputError("stdout", "cannot be written; is the disk full?");
    return code;
  } catch (const mlsim::InputError& e) {
    return report(e, kBadInputCode);
  } catch (const std::filesystem::filesystem_error& e) {
    return report(mlsim::InputError(e.path1().string(), e.code().message()), kBadInputCode);
  } catch (const mlsim::Infeasible& e) {
    return report(e, kNegativeCode);
  } catch (const mlsim::Unavailable& e) {
    return report(e, kMachineCode);
  } catch (const std::bad_alloc&) {
    return report(mlsim::MachineFailed("there is not enough memory"), kMachineCode);
  } catch (const std::exception& e) {
    // This is MachineFailed, ProcessCrashed, a program beside mlsim that died, or a fault of our own.
    return report(e, kMachineCode);
  }
}
