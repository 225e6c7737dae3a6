// changed_network() says which parameters make a model another network than the one that its benchmark has epochs of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "workloads/model/file_parameters.hpp"

namespace mlsim::workloads {

/// Returns the parameters that differ, with the published network's values: "layers" -> 24. The first of `files` (the
/// model's own, then those that it is like) that names a benchmark says what is published; values under the first
/// `layouts` are the same network laid out otherwise: a padded vocabulary, sequences without padding. The map is empty
/// where no file names a benchmark. Throws InputError for an unknown parameter among the layouts.
std::map<std::string, std::int64_t> changed_network(const std::vector<Document>& files,
                                                    const FileParameters& parameters);

}  // namespace mlsim::workloads
