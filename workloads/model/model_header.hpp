// The header is what a model file says besides its layers: what it is, what goes in, its data set and its source.
#pragma once

#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "workloads/model/file_parameters.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Reads everything but the layers and the name. `files` are the model's file and those that it is like, each before
/// the one it is like; what the first says goes before. Throws InputError with file, line and the nearest word.
Model read_header(const std::vector<Document>& files, const FileParameters& parameters);

/// The sort that the first of the files names; images where none does.
NetworkSort read_sort(const std::vector<Document>& files);

}  // namespace mlsim::workloads
