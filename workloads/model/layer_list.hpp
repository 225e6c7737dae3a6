// read_layers() reads the `layers:` of a model file: repeats unrolled, references resolved, shapes inferred.
#pragma once

#include "core/text/document.hpp"
#include "workloads/model/file_parameters.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Fills `model.layers`; `model.inputs` are set. Throws InputError with file, line and the nearest word.
void read_layers(const Document& list, const FileParameters& parameters, Model& model);

}  // namespace mlsim::workloads
