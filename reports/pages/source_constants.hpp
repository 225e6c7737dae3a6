// Source constants are the free constants of mlsim that figures of its source documents set.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "reports/namespace.hpp"
#include "studies/sources/source_score.hpp"

namespace mlsim::reports {

/// Counts the constants of one name in column "sets" of sources.csv. "law LIBRARY DEVICE PRECISION MACHINE" is an
/// all-reduce's law in the profiles: its fixed time, two constants a segment, and where segments meet. Any other name
/// is one constant. Throws InputError where no profile has the law.
int constants_in(const std::string& name, const std::vector<Profile>& profiles);

/// `SourceConstants` are what the inputs of a document set.
struct SourceConstants {
  int inputs = 0;               // figures, however often and whichever way they are asked
  std::set<std::string> names;  // of the constants
  int constants = 0;
  SourceConstants& operator+=(const SourceConstants& more);
};
SourceConstants source_constants(const std::vector<ItemScore>& items, const std::string& document,
                                 const std::vector<Profile>& profiles);

}  // namespace mlsim::reports
