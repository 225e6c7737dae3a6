#include "cli/output/progress_line.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

#include "cli/output/activity_text.hpp"
#include "core/files/held_signals.hpp"

namespace mlsim::cli {
namespace {

constexpr timespec kFirst{1, 0}, kBetween{0, 200'000'000};
constexpr std::string_view kToStartAndClear = "\r\033[K";

volatile sig_atomic_t drawn = 0, words_on_their_way = 0;
timer_t drawing_timer{};
volatile bool timer_runs = false;

std::size_t columns_for_progress() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (known ? size.ws_col : 80) - 1;
}

void draw(int) {
  if (words_on_their_way != 0 || !timer_runs) return;
  const int error = errno;
  SignalText where, line;
  where.add_activity();
  line.add("mlsim: ");
  line.add(where.view().empty() ? "at work" : where.view());
  line.add(" (");
  line.add_elapsed();
  line.add(")");
  line.cut(columns_for_progress());
  SignalText text;
  text.add(kToStartAndClear);
  text.add(line.view());
  text.write();
  drawn = 1;
  errno = error;
}

}  // namespace

// A timer of POSIX is neither a child's nor a program's that this process becomes.
ProgressLine::ProgressLine() {
  if (::isatty(STDERR_FILENO) == 0) return;
  struct sigaction action {};
  action.sa_handler = draw;
  action.sa_flags = SA_RESTART;
  // A signal that ends the program must find the line drawn or not begun.
  for (const int signal : kEndingSignals) ::sigaddset(&action.sa_mask, signal);
  ::sigaction(SIGALRM, &action, nullptr);
  sigevent alarm{};
  alarm.sigev_notify = SIGEV_SIGNAL;
  alarm.sigev_signo = SIGALRM;
  timer_runs = ::timer_create(CLOCK_MONOTONIC, &alarm, &drawing_timer) == 0;
  const itimerspec times{kBetween, kFirst};
  if (timer_runs) ::timer_settime(drawing_timer, 0, &times, nullptr);
}

ProgressLine::~ProgressLine() {
  if (!timer_runs) return;
  words_on_their_way = 1;
  ::timer_delete(drawing_timer);
  timer_runs = false;
  wipe_progress_line();
  words_on_their_way = 0;
}

WipedLine::WipedLine() {
  words_on_their_way = words_on_their_way + 1;
  wipe_progress_line();
}

WipedLine::~WipedLine() { words_on_their_way = words_on_their_way - 1; }

void wipe_progress_line() {
  if (drawn == 0) return;
  SignalText text;
  text.add(kToStartAndClear);
  text.write();
  drawn = 0;
}

}  // namespace mlsim::cli
