// What a case comes out at without any simulation: the answers that a model has to beat.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/text/words.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// From the anchor of the case's family: every accelerator keeps its rate; it keeps 97 % of it beside others; or three
/// terms, the time of samples, a fixed time a step, and a ring.
enum class Baseline { linear, constant, three_term };
const Words<Baseline>& words(Baseline);

inline constexpr std::size_t kBaselines = 3;

/// In SI units of the case's metric, by Baseline; empty where one says nothing.
using BaselineAnswers = std::array<std::optional<double>, kBaselines>;

/// Answers for `c`, from the anchors among `cases`; `base` is the case it is relative to, or null. Only the linear one
/// answers ratios. The three terms take the fixed step time of the anchor's stack from `profiles`, and 2(N-1)/N S/B for
/// gradients of the network's parameters over the links of the accelerator, or of the node where there are several.
BaselineAnswers baseline_answers(const Case& c, const Case* base, const std::vector<Case>& cases,
                                 const SharedList<Profile>& profiles);

}  // namespace mlsim::validation
