#include "sim/answer/answer_parts.hpp"

#include <fmt/format.h>

namespace mlsim::sim {
namespace {

constexpr double kSaid = 1.0005;  // what "100.0 %" is not printed of

bool rests_on_timed_kernels(const CostedStep& step) {
  const auto shares = step.cost().basis_shares();
  const auto share = [&](CostBasis basis) { return shares[static_cast<std::size_t>(basis)].share; };
  return share(CostBasis::measured) + share(CostBasis::law) > 0.5;
}

std::string mfu_note(const CostedStep& step, double mfu) {
  const std::string head = fmt::format("an MFU of {:.0f} % is against the data sheet's peak: ", 100 * mfu);
  if (rests_on_timed_kernels(step)) return head + "kernels timed on the machine itself ran beyond it";
  return head + "it counts multiplications that Winograd's algorithm spares, 20 of 36 in convolutions of 3x3 in fp32";
}

// Says what one accelerator does that none of many has to.
std::string efficiency_note(const CostedStep& step, double efficiency) {
  const StepPlan& plan = step.plan().step;
  const std::string head =
      fmt::format("{:.0f} % of linear is against one accelerator with the same batch, ", 100 * efficiency);
  if (plan.parallelism.ranks() != plan.parallelism.batch_ranks())
    return head + "which computes the whole model by itself";
  if (plan.shards(StateSharding::optimizer))
    return head + "which updates all weights where each of these updates its share";
  if (step.cost().pace().contention < 0) return head + "whose run on record was slower than its share of a run of many";
  return head + "whose step has other host work";
}

}  // namespace

std::vector<std::string> notes_above_one(const CostedStep& step, double mfu, double efficiency) {
  std::vector<std::string> notes;
  if (mfu >= kSaid) notes.push_back(mfu_note(step, mfu));
  if (efficiency >= kSaid) notes.push_back(efficiency_note(step, efficiency));
  return notes;
}

}  // namespace mlsim::sim
