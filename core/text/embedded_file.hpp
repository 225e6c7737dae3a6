// An EmbeddedFile is a catalogue file that the build put into the program.
#pragma once

#include <string_view>

namespace mlsim {

struct EmbeddedFile {
  std::string_view path;  // inside its catalogue folder, "machines/dgx2.yaml"
  std::string_view text;
  std::string_view tree = {};  // of YAML: what core/text/document_tree.hpp makes of the text
};

}  // namespace mlsim
