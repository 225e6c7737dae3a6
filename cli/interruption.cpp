#include "cli/interruption.hpp"

#include <unistd.h>

#include "cli/activity_text.hpp"
#include "cli/progress_line.hpp"
#include "core/transient_file.hpp"

namespace mlsim::cli {
namespace {

volatile sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

pid_t whole_program = 0;

// A forked child is ended by the end of its parent.
void end_now(int signal) {
  if (::getpid() != whole_program) return;
  wipe_progress_line();
  SignalText text;
  text.add("mlsim: interrupted after ");
  text.add_elapsed();
  SignalText where;
  where.add_activity();
  if (!where.view().empty()) {
    text.add(" while ");
    text.add(where.view());
    if (where.view().find(',') != std::string_view::npos) text.add(" done");
  }
  text.add("\n");
  text.write();
  remove_transient_files();
  ::_exit(128 + signal);
}

struct sigaction acting(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int signal : {SIGINT, SIGTERM, SIGALRM}) ::sigaddset(&action.sa_mask, signal);
  return action;
}

}  // namespace

void end_on_signals() {
  whole_program = ::getpid();
  begin_elapsed();
  const struct sigaction end = acting(end_now);
  struct sigaction before {};
  if (::sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) ::sigaction(SIGINT, &end, nullptr);
  ::sigaction(SIGTERM, &end, nullptr);
}

// Without SA_RESTART, so that a wait is cut short.
Interruption::Interruption() {
  noted = 0;
  const struct sigaction action = acting(note);
  ::sigaction(SIGINT, &action, &on_interrupt_);
  ::sigaction(SIGTERM, &action, &on_terminate_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &on_interrupt_, nullptr);
  ::sigaction(SIGTERM, &on_terminate_, nullptr);
}

bool Interruption::requested() const { return noted != 0; }

int Interruption::code() { return 128 + noted; }

}  // namespace mlsim::cli
