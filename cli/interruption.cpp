#include "cli/interruption.hpp"

namespace mlsim::cli {
namespace {

volatile sig_atomic_t noted = 0;

void note(int) { noted = 1; }

}  // namespace

// Without SA_RESTART, so that a wait is cut short.
Interruption::Interruption() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  ::sigaction(SIGINT, &action, &on_interrupt_);
  ::sigaction(SIGTERM, &action, &on_terminate_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &on_interrupt_, nullptr);
  ::sigaction(SIGTERM, &on_terminate_, nullptr);
}

bool Interruption::requested() const { return noted != 0; }

}  // namespace mlsim::cli
