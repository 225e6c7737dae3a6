// A slug is a name of hardware as it is written in catalogues and profiles.
#pragma once

#include <string>
#include <vector>

namespace mlsim {

/// Returns `text` in lower case with single dashes for what is no letter or digit, each of `words` left out.
std::string slug(std::string text, const std::vector<std::string>& words);

/// Returns "cpu-intel-xeon-platinum-8168" for "Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz", "cpu" for an empty rest.
std::string processor_slug(const std::string& model);

}  // namespace mlsim
