// The rule that a header opens with a sentence is checked by the words of its first clause.
#pragma once

#include <string>
#include <vector>

#include "tests/namespace.hpp"
#include "tree_file.hpp"

namespace mlsim::test {

/// Whether the first clause has a finite verb outside of relative clauses: "Rank 0 leads the others.", "Reads a
/// trace.", and not "The ranks that were started.", "What a step takes." or "Steps: they are run." It goes by lists of
/// words, by plurals and by what follows a word in -s ("plans a step", "plans of a step"), so a rare verb may be
/// missed.
bool is_sentence(const std::string& comment);

/// The comment at the top of a file up to its first empty line, in one line.
std::string opening_comment(const TreeFile& file);

/// The headers of the product (tests excluded), and among them those that do not open with a sentence.
struct OpeningSentences {
  std::size_t headers = 0;
  std::vector<std::string> missing;  // "core/units.hpp: Quantities with ..."

  double share() const { return 1 - static_cast<double>(missing.size()) / static_cast<double>(headers); }
};
OpeningSentences opening_sentences(const std::vector<TreeFile>& files);

}  // namespace mlsim::test
