// Names of hardware as they are written in catalogues and profiles.
#pragma once

#include <string>
#include <vector>

namespace mlsim {

/// Letters and digits of `text` in lower case, whatever is between them as single dashes, each of `words` left out.
std::string slug(std::string text, const std::vector<std::string>& words);

/// "cpu-intel-xeon-platinum-8168" of "Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz"; "cpu" where nothing is left.
std::string processor_slug(const std::string& model);

}  // namespace mlsim
