// Checks JSON against the schemas of the project, with valijson where it is installed.
#pragma once

#include <optional>
#include <string>

#include "tests/namespace.hpp"

namespace mlsim::test {

/// What is wrong with `json` under the draft-07 schema in file `schema` (inside the source tree), one complaint a
/// line; "" where nothing is; empty where valijson is not installed.
std::optional<std::string> schema_errors(const std::string& schema, const std::string& json);

/// The JSON patch (RFC 6902) that makes what json_schema() gave of the schema in file `schema` as describe() can say
/// it: no title, no descriptions, definitions and other files where they are used, truth as any boolean. "[]": none is
/// needed.
std::string schema_difference(const std::string& schema, const std::string& generated);

}  // namespace mlsim::test
