// FileParameters are the named integers of a model file, and the counts and expressions that are written with them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/document.hpp"

namespace mlsim::workloads {

/// A NamedInteger returns the value of a parameter; throws InputError where there is none of that name.
using NamedInteger = std::function<std::int64_t(const std::string& name)>;

/// Reads a whole-number expression of parameters: "4 * hidden", "(image + 31) / 32". It has + - * / % and parentheses
/// over whole numbers and names (letters, digits and _, not starting with a digit), and below them < <= > >= == !=,
/// which give 1 or 0; a character in quotes, 'M', is its code. Throws InputError without a place on bad syntax, a
/// division that leaves a rest and a value beyond 64 bits. Names that a factor of 0 stands before are asked of `beside`
/// where it is given: they have no say.
std::int64_t expression_value(std::string_view text, const NamedInteger& value_of, const NamedInteger& beside = {});

/// Says whether `name` can name a parameter.
bool is_parameter_name(std::string_view name);

/// Overrides give parameters values from outside, "sequence" -> 128.
using ParameterOverrides = std::map<std::string, std::int64_t>;

/// Returns the overrides under the file's own names for its parameters: `parameter_aliases` of the last of `files` maps
/// other words to them. Throws InputError at `name` where a parameter is given under two words.
ParameterOverrides own_words(const std::vector<Document>& files, const ParameterOverrides& overrides,
                             const std::string& name);

/// The file's `parameters` define them; then they are asked for every count of the file.
class FileParameters {
 public:
  FileParameters() = default;
  /// `files` are the model's file and those that it is like, each before the one it is like: the last defines the
  /// parameters, the others and then `overrides` replace values. A value may use the parameters above it. `pattern` has
  /// a letter for each repetition; where it is empty, it is that of the first file with one. Throws InputError on an
  /// unknown name, at the place `name` where an override is wrong.
  FileParameters(const std::vector<Document>& files, const ParameterOverrides& overrides, const std::string& name,
                 const std::string& pattern = {});

  /// Returns the value of a whole number or expression, at least `lowest` and at most `highest`. `repetition` is what
  /// the word of that name stands for: the number of the block's repetition, from 0. The word "pattern" is the code of
  /// that repetition's letter, from the front again behind the last one, and 0 where there is no pattern.
  std::int64_t value(const Document& count, std::int64_t lowest, std::int64_t highest, int repetition = -1) const;
  int count(const Document& count, int lowest = 1, int repetition = -1) const;
  /// Returns true or false, or whether the value of an expression is not 0.
  bool flag(const Document& flag, int repetition = -1) const;
  /// Says that what stands in `entry` is left out: its parameters then have no effect where nothing else uses them.
  void leave_out(const Document& entry) const;
  /// Returns the text with the value for each "{parameter}".
  std::string text(const Document& text) const;

  const std::map<std::string, std::int64_t>& values() const { return values_; }
  /// Throws where no count asked for one of the parameters, which would have no effect, unless only a layer that is
  /// left out has it and it stands at the value of the last file, or of any file beside overrides.
  void check_all_used() const;

 private:
  std::int64_t value_in(const std::string& text, int repetition) const;
  std::int64_t value_of(const std::string& name, int repetition, std::set<std::string>& as) const;
  void use_definition(const std::string& name) const;
  std::vector<std::string> names() const;

  std::map<std::string, std::int64_t> values_;
  std::string pattern_;
  std::map<std::string, Document> places_;
  std::map<std::string, std::string> given_;  // what overrides set, or without them an earlier file, and its place
  std::map<std::string, std::set<std::string>> defined_by_;  // the parameters in the value of one
  mutable std::set<std::string> used_, left_out_;
  // Values that are the same in all repetitions, by their text.
  mutable std::unordered_map<std::string, std::int64_t> in_all_;
};

}  // namespace mlsim::workloads
