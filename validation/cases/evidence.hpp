// `CaseEvidence` is what the answer to a case may lean on, where a question hides some of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/evidence/run_traits.hpp"
#include "validation/cases/asking.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Reads all but its settings, which settings_texts() tells.
RunTraits case_traits(const Case& c, TraitsReader& reader);

/// Evidence has anchors, as cases and as what a prediction leans on, and constants.
struct CaseEvidence {
  std::vector<Case> cases;
  Evidence anchors;
  SharedList<Profile> profiles;
};

/// A shelf has the evidence of each case. Neighbours from which the same is hidden share it; only the last is kept, as
/// each is megabytes.
class EvidenceShelf {
 public:
  /// `cases` has all anchors; it must outlive the shelf.
  EvidenceShelf(const Asking& asking, const std::vector<Case>& cases, const SharedList<Profile>& profiles);

  /// Keys are equal for cases from which the same is hidden: asked in its order, evidence is put together once for
  /// each.
  std::string key_of(const Case& c) const;

  /// The plain question's evidence has all anchors and profiles. Constants go with the anchors that they stem from:
  /// where a publisher's tables are hidden, curves and times of stacks that were fitted on them; where a chip is, its
  /// curves; where rounds are, their stacks. The result is good until the next call.
  const CaseEvidence& of(const Case& c);

  /// Says whether an anchor stays in sight of `c`.
  bool sees(const Case& c, const Case& anchor) const;

 private:
  CaseEvidence left_for(const Case& c) const;
  SharedList<Profile> profiles_left(const Case& c) const;
  bool hides(const Case& c, const Case& anchor) const;
  bool same_chip(const std::string& topology, const std::string& other) const;
  Profile profile_left(const Case& c, const Profile& profile) const;

  Asking asking_;
  const std::vector<Case>& cases_;
  SharedList<Profile> profiles_;
  Evidence anchors_;                // all of cases_
  std::optional<std::string> key_;  // of the evidence that is kept
  CaseEvidence kept_;
  mutable TraitsReader traits_;  // looks each system up once
  mutable NodeCounts nodes_;
};

}  // namespace mlsim::validation
