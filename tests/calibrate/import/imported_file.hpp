// A text as import_file() takes it from a file "run.txt", or what it says against it.
#pragma once

#include <string>
#include <vector>

#include "calibrate/import/import_file.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

namespace mlsim::test {

inline std::vector<calibrate::CollectiveSweep> imported(const std::string& text,
                                                        const calibrate::ImportHints& hints = {}) {
  const ScratchFolder folder;
  return calibrate::import_file(folder.file("run.txt", text), hints);
}

inline std::string import_error(const std::string& text, const calibrate::ImportHints& hints = {}) {
  try {
    imported(text, hints);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace mlsim::test
