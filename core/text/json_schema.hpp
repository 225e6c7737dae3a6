// json_schema() is the JSON schema of what a describe() writes, without what a committed schema explains.
#pragma once

#include <string>

namespace mlsim {

/// The schema is draft 07, on one line, without "$schema" and descriptions. The source that has the describe() of
/// `Value` instantiates it, and a test holds the committed *.schema.json against it.
template <class Value>
std::string json_schema();

}  // namespace mlsim
