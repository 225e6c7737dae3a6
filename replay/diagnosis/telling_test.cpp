// This file says which test tells two causes apart.
#include <fmt/format.h>

#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::replay {
namespace {

std::string confirming_test(const Cause& cause) {
  switch (cause.kind) {
    case CauseKind::slow_rank:
      return fmt::format(
          "let {} change places with another rank: a slow device makes its new rank slow, while a rank that has more "
          "to do "
          "stays slow",
          cause.where);
    case CauseKind::slow_host:
      if (cause.seen == SeenIn::collective)
        return fmt::format("repeat the test between {} and hosts that it was not tested with, and on it alone",
                           cause.where);
      return fmt::format("run a benchmark of computing alone on every device of {}, and on one of another host",
                         cause.where);
    case CauseKind::slow_link:
      return fmt::format("run nccl-tests (sendrecv_perf) over {} alone, and over another of its kind", cause.where);
    case CauseKind::uneven_stage:
      return fmt::format("move a layer out of {}: its time falls by that layer's share if the split is uneven",
                         cause.where);
    case CauseKind::late_input: return "run some steps with synthetic input, which is never late";
  }
  return {};
}

const Cause* of_kind(CauseKind kind, const Cause& a, const Cause& b) {
  return a.kind == kind ? &a : b.kind == kind ? &b : nullptr;
}

}  // namespace

std::string telling_test(const std::vector<Cause>& causes) {
  if (causes.empty()) return {};
  if (causes.size() == 1) return confirming_test(causes.front());
  const Cause &a = causes[0], &b = causes[1];
  if (a.kind == b.kind) return confirming_test(a) + fmt::format("; then the same of {}", b.where);
  if (of_kind(CauseKind::late_input, a, b)) return confirming_test(*of_kind(CauseKind::late_input, a, b));
  if (const Cause* stage = of_kind(CauseKind::uneven_stage, a, b)) {
    const Cause& other = stage == &a ? b : a;
    return fmt::format("run {} on other devices: an uneven stage stays slow there, and {} stays behind, as a {}",
                       stage->where, other.where, name(other.kind));
  }
  if (of_kind(CauseKind::slow_link, a, b)) {
    const Cause& other = a.kind == CauseKind::slow_link ? b : a;
    if (other.seen == SeenIn::collective)
      return fmt::format(
          "repeat the test between {} and hosts that it was not tested with: a slow link does not show there",
          other.where);
    return fmt::format("run a benchmark of computing alone on {}: a slow link does not show in it", other.where);
  }
  return confirming_test(*of_kind(CauseKind::slow_host, a, b)) + ": a slow rank is slow alone";
}

}  // namespace mlsim::replay
