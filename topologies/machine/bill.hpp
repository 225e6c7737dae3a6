// The bill of a cluster says which entries of the price list it takes, how many of each, and for what time.
#pragma once

#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Reads the rules of a machine or accelerator file. Throws InputError with file and line.
std::vector<BillRule> read_bill(const Document& rules);

/// Lists the lines for so many accelerators on so many nodes; none where no rule applies.
std::vector<BillLine> bill_for(const std::vector<BillRule>& rules, int accelerators, int nodes);

/// Billing says what a provider bills for the time that machines were held: `second` bills every begun second, a minute
/// at least (Google Cloud and AWS since 2017); `minute` every begun minute, ten at least (Google Cloud before); `hour`
/// every begun hour (AWS before).
enum class Billing { second, minute, hour };

inline Words<Billing> words(Billing) { return {"billing unit", {"second", "minute", "hour"}}; }

/// Gives the time that is paid for, at least `held`.
Seconds billed_time(Billing billing, Seconds held);
/// Gives the longest held time that is billed as no more than `paid`; 0 where even the least is more.
Seconds held_time_for(Billing billing, Seconds paid);
Source billing_source(Billing billing);

}  // namespace mlsim::topologies
