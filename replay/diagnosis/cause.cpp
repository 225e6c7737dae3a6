#include "replay/diagnosis/cause.hpp"

namespace mlsim::replay {

const Words<CauseKind>& words(CauseKind) {
  static const Words<CauseKind> table{
      "cause", {"slow rank", "slow host", "slow link", "uneven stage", "late input", "uneven micro-batches"}};
  return table;
}

const Words<SeenIn>& words(SeenIn) {
  static const Words<SeenIn> table{
      "evidence", {"compute", "transfers", "input", "unsteady steps", "collective", "micro-batches", "arrivals"}};
  return table;
}

}  // namespace mlsim::replay
