// Reads the `layers:` of a model file: repeats unrolled, references resolved, shapes inferred.
#pragma once

#include "core/document.hpp"
#include "workloads/file_parameters.hpp"
#include "workloads/model.hpp"

namespace mlsim {

/// Fills `model.layers`; `model.inputs` are set. Throws InputError with file, line and the nearest word.
void read_layers(const Document& list, const FileParameters& parameters, Model& model);

}  // namespace mlsim
