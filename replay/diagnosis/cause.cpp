#include "replay/diagnosis/cause.hpp"

#include <fmt/format.h>

#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::replay {
namespace {

std::string seen_text(const Cause& cause) {
  const double times = cause.times_as_long, noise = 100 * cause.noise;
  switch (cause.seen) {
    case SeenIn::compute:
      return fmt::format("computing takes {:.2f} times as long as elsewhere, where it differs by {:.1f} %", times,
                         noise);
    case SeenIn::transfers:
      return fmt::format("sends and receives take {:.2f} times as long as elsewhere, where they differ by {:.1f} %",
                         times, noise);
    case SeenIn::input:
      return fmt::format("waiting for input takes {:.3g} % of the time that a rank computes, give or take {:.1f} %",
                         100 * (times - 1), noise);
    case SeenIn::unsteady_steps:
      return fmt::format(
          "the mean step is {:.2f} times the median one, by some long steps; elsewhere the two differ by "
          "{:.1f} %",
          times, noise);
    case SeenIn::micro_batches:
      return fmt::format("passes differ by {:.0f} % among the micro-batches of a step, where 5 % is usual",
                         100 * (times - 1) + 5);
    case SeenIn::arrivals:
      return fmt::format("collectives are begun later than elsewhere by {:.3g} % of the time between two of them",
                         100 * (times - 1));
    case SeenIn::collective:
      return fmt::format("collectives take {:.2f} times as long as elsewhere, where they differ by {:.1f} %", times,
                         noise);
  }
  return {};
}

}  // namespace

std::string cause_sentence(const Cause& cause) {
  const char* const at = cause.kind == CauseKind::slow_link ? "Over" : "On";
  const char* const what = cause.seen == SeenIn::collective ? "they" : "the step";
  return fmt::format("{} {} {}; without that {} would be {:.3g} % shorter.", at, cause.where, seen_text(cause), what,
                     100 * cause.saving);
}

}  // namespace mlsim::replay
