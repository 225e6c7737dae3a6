// What stands around a measurement: machine, software, clocks. Stored with every profile.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"

namespace mlsim::calibrate {

using Environment = std::map<std::string, std::string>;

/// "host", "os", "processor", and what hardware_environment() finds. What cannot be read is left out.
Environment host_environment();

/// "sockets", "cores", "threads", "caches", "memory" and, where it was found, "hwloc" with its version.
Environment hardware_environment();

/// "2026-11-23T07:00:00Z": the moment in UTC, as profiles and run files have it.
std::string time_text(std::time_t moment);

/// The machine's name from the processor's "model name", as /proc/cpuinfo has it; "processor" where that says nothing.
std::string processor_model(const std::string& cpuinfo);

/// "a100-sxm4-80gb" of "NVIDIA A100-SXM4-80GB": as the catalogue names accelerators.
std::string gpu_slug(const std::string& model);

/// Logical processors that this process may run on, and those of the machine.
int available_threads();
int machine_threads();

/// "clock" and "throttling" from the clocks of the replies ("1.41 GHz; throttled: power cap"): smallest, median and
/// largest, and each reason with how often it was given. Empty where no reply has a clock.
Environment clock_environment(const std::vector<MeasureReply>& replies);

}  // namespace mlsim::calibrate
