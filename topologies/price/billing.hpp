// `Billing` says what a provider bills for the time that machines were held.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim::topologies {

/// `second` bills every begun second, a minute at least (Google Cloud and AWS since 2017); `minute` every begun minute,
/// ten at least (Google Cloud before); `hour` every begun hour (AWS before).
enum class Billing { second, minute, hour };

const Words<Billing>& words(Billing);

/// Gives the time that is paid for, at least `held`.
Seconds billed_time(Billing billing, Seconds held);
/// Gives the longest held time that is billed as no more than `paid`; 0 where even the least is more.
Seconds held_time_for(Billing billing, Seconds paid);
Source billing_source(Billing billing);

}  // namespace mlsim::topologies
