#include "cli/output/interruption.hpp"

#include <unistd.h>

#include <utility>

#include "cli/output/activity_text.hpp"
#include "cli/output/progress_line.hpp"
#include "core/files/transient_file.hpp"

namespace mlsim::cli {
namespace {

volatile sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

std::function<bool()>& other_asked() {
  static std::function<bool()> asked = [] { return false; };
  return asked;
}

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
    const char last = where.view().back();  // of "3 of 12" and "40 %"
    if (last == '%' || (last >= '0' && last <= '9')) text.add(" done");
  }
  text.add("\n");
  text.write();
  remove_transient_files();
  ::_exit(128 + signal);
}

struct sigaction acting(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int signal : kEndingSignals) ::sigaddset(&action.sa_mask, signal);
  ::sigaddset(&action.sa_mask, SIGALRM);
  return action;
}

}  // namespace

void end_on_signals() {
  whole_program = ::getpid();
  begin_elapsed();
  const struct sigaction end = acting(end_now);
  for (const int signal : kEndingSignals) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) ::sigaction(signal, &end, nullptr);
  }
}

// The action has no SA_RESTART, so that a wait is cut short.
Interruption::Interruption() {
  noted = 0;
  const struct sigaction action = acting(note);
  for (std::size_t i = 0; i < before_.size(); ++i) ::sigaction(kEndingSignals[i], &action, &before_[i]);
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < before_.size(); ++i) ::sigaction(kEndingSignals[i], &before_[i], nullptr);
}

bool Interruption::requested() const { return noted != 0 || other_asked()(); }

void Interruption::also_ask(std::function<bool()> asks) { other_asked() = std::move(asks); }

int Interruption::code() { return 128 + noted; }

}  // namespace mlsim::cli
