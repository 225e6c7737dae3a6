// An `Environment` is what stands around a measurement: machine, software, clocks. It is stored with every profile.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"

namespace mlsim::calibrate {

using Environment = std::map<std::string, std::string>;

/// Reads "host", "os", "processor", and what hardware_environment() finds. Entries that cannot be read are left out.
Environment host_environment();

/// Finds "sockets", "cores", "threads", "caches", "memory" and, where it was found, "hwloc" with its version.
Environment hardware_environment();

/// The text is "2026-11-23T07:00:00Z": the moment in UTC, as profiles and run files have it.
std::string time_text(std::time_t moment);

/// Names the machine by the processor's "model name" in /proc/cpuinfo; "processor" where that says nothing.
std::string processor_model(const std::string& cpuinfo);

/// Turns "NVIDIA A100-SXM4-80GB" into "a100-sxm4-80gb", as the catalogue names accelerators.
std::string gpu_slug(const std::string& model);

/// These count the logical processors that this process may run on, and those of the machine.
int available_threads();
int machine_threads();

/// Returns what stands behind the reply's clock: "throttled: power cap" of "1.41 GHz; throttled: power cap".
std::string clock_remark(const MeasureReply& reply);

/// Sums up "clock" and "throttling" from the clocks of the replies ("1.41 GHz; throttled: power cap"): smallest, median
/// and largest, and each reason with how often it was given. Empty where no reply has a clock.
Environment clock_environment(const std::vector<MeasureReply>& replies);

}  // namespace mlsim::calibrate
