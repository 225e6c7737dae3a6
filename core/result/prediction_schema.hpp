// prediction_schema() is the JSON schema of a prediction as its describe() gives it, without what the committed schema
// explains.
#pragma once

#include <string>

namespace mlsim {

/// The schema is draft 07, on one line, without "$schema" and descriptions. A test holds
/// core/result/prediction.schema.json against it.
std::string prediction_schema();

}  // namespace mlsim
