// What the answer to a case may lean on, where a question hides some of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "sim/options/parsed_anchor.hpp"
#include "validation/cases/asking.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Anchors, as cases and as what a prediction leans on, and constants.
struct Evidence {
  std::vector<Case> cases;
  SharedList<ParsedAnchor> anchors;  // hidden ones are runs of no workload: what their stacks are called stays known
  SharedList<Profile> profiles;
};

/// Whether the anchor `other` stays in sight of `c`.
bool visible(const Asking& asking, const Case& c, const Case& other);

/// The evidence of each case. Neighbours from which the same is hidden share it; only the last is kept, as each is
/// megabytes.
class EvidenceShelf {
 public:
  /// `cases` has all anchors; it must outlive the shelf.
  EvidenceShelf(const Asking& asking, const std::vector<Case>& cases, const SharedList<Profile>& profiles);

  /// Equal for cases from which the same is hidden: asked in its order, evidence is put together once for each.
  std::string key_of(const Case& c) const;

  /// The plain question's has all anchors and profiles. Constants go with the anchors that they stem from: where a
  /// publisher's tables are hidden, curves and times of stacks whose source names them; where a chip is, its curves;
  /// where rounds are, their stacks. Good until the next call.
  const Evidence& of(const Case& c);

 private:
  Evidence left_for(const Case& c) const;
  SharedList<Profile> profiles_left(const Case& c) const;

  Asking asking_;
  const std::vector<Case>& cases_;
  SharedList<Profile> profiles_;
  SharedList<ParsedAnchor> anchors_;  // all of cases_
  std::optional<std::string> key_;    // of the evidence that is kept
  Evidence kept_;
};

}  // namespace mlsim::validation
