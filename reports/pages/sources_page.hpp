// A page shows what the documents that mlsim starts from say, and what mlsim says when it is asked the same.
#pragma once

#include <vector>

#include "core/profile/profile.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "studies/sources/source_score.hpp"

namespace mlsim::reports {

/// The page counts verdicts by document and way of asking, beside them the figures that are inputs and the constants of
/// `profiles` and other catalogues that they set, then shows each item; `docs/sources.md` is written of it.
Page sources_page(const std::vector<ItemScore>& items, const std::vector<Profile>& profiles);

}  // namespace mlsim::reports
