#include "cli/interruption.hpp"

#include <signal.h>

#include <initializer_list>

namespace mlsim::cli {
namespace {

volatile sig_atomic_t noted = 0;

void note(int) { noted = 1; }

// Without SA_RESTART, so that a wait is cut short.
void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int number : {SIGINT, SIGTERM}) ::sigaction(number, &action, nullptr);
}

}  // namespace

Interruption::Interruption() {
  noted = 0;
  handle(note);
}

Interruption::~Interruption() { handle(SIG_DFL); }

bool Interruption::requested() const { return noted != 0; }

}  // namespace mlsim::cli
