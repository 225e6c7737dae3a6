// Trust says how far to trust an answer: one word, from its distance to what was measured.
#pragma once

#include <cstddef>

#include "core/text/statement.hpp"
#include "core/text/words.hpp"

namespace mlsim {

/// The nearest level comes first. Published runs count what each is worth: docs/trust.md, "The word of trust".
enum class TrustLevel { measured, good, fair, weak };
inline Words<TrustLevel> words(TrustLevel) { return {"level of trust", {"measured", "good", "fair", "weak"}}; }

/// A footing is what a step's speed stands on: a run of the same software; such a run on one accelerator, where several
/// exchange over PCIe and none of their runs is on record; a run of another release, code base or precision; runs of
/// several stacks between which the question does not choose, some of them with fused operators and some without (open
/// fusion), or not; no run at all. Of a language model, whose kernels are costed one by one, it is a run of one like it,
/// or what operators reach by themselves, with the software or the layout named or with both chosen; where they are
/// named, a mixture of experts has a footing of its own.
enum class Footing {
  same_software,
  over_pcie,
  other_software,
  open_software,
  open_fusion,
  no_run,
  like_model,
  operators,
  open_operators,
  mixture_operators
};
inline Words<Footing> words(Footing) {
  return {"footing",
          {"same-software", "over-pcie", "other-software", "open-software", "open-fusion", "no-run", "like-model",
           "operators", "open-operators", "mixture-operators"}};
}
inline constexpr std::size_t kFootings = 10;

struct Trust {
  TrustLevel level = TrustLevel::weak;
  Statement why = {};  // "off a measured step by 8 doublings, batch x0.0625"
  Footing footing = Footing::no_run;
  double log_difficulty = 1;  // what the width of the answer's interval is proportional to, on its footing
  bool operator==(const Trust&) const = default;
};

}  // namespace mlsim
