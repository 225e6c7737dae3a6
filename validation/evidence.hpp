// What the answer to a case may lean on, where a question hides some of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/profile.hpp"
#include "core/shared_list.hpp"
#include "sim/options/parsed_anchor.hpp"
#include "validation/asking.hpp"
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

/// The evidence of each case. Cases from which the same is hidden share it.
class EvidenceShelf {
 public:
  /// `cases` has all anchors; it must outlive the shelf.
  EvidenceShelf(const Asking& asking, const std::vector<Case>& cases, const SharedList<Profile>& profiles);

  /// The plain question's has all anchors and profiles. Constants go with the anchors that they stem from: where a
  /// publisher's tables are hidden, curves and times of stacks whose source names them; where a chip is, its curves;
  /// where rounds are, their stacks.
  const Evidence& of(const Case& c);

 private:
  std::string key_of(const Case& c) const;
  Evidence left_for(const Case& c) const;

  Asking asking_;
  const std::vector<Case>& cases_;
  SharedList<Profile> profiles_;
  std::map<std::string, Evidence> by_key_;
};

}  // namespace mlsim::validation
