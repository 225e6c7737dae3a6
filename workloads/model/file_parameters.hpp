// FileParameters are the named integers of a model file, and the counts and expressions that are written with them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.hpp"

namespace mlsim::workloads {

/// A NamedInteger returns the value of a parameter; throws InputError where there is none of that name.
using NamedInteger = std::function<std::int64_t(const std::string& name)>;

/// Reads a whole-number expression of parameters: "4 * hidden", "(image + 31) / 32". It has + - * / and parentheses
/// over whole numbers and names (letters, digits and _, not starting with a digit). Throws InputError without a place
/// on bad syntax, a division that leaves a rest and a value beyond 64 bits.
std::int64_t expression_value(std::string_view text, const NamedInteger& value_of);

/// Says whether `name` can name a parameter.
bool is_parameter_name(std::string_view name);

/// Overrides give parameters values from outside, "sequence" -> 128.
using ParameterOverrides = std::map<std::string, std::int64_t>;

/// The file's `parameters` define them; then they are asked for every count of the file.
class FileParameters {
 public:
  FileParameters() = default;
  /// `files` are the model's file and those that it is like, each before the one it is like: the last defines the
  /// parameters, the others and then `overrides` replace values. A value may use the parameters above it. Throws
  /// InputError on an unknown name, at the place `name` where an override is wrong.
  FileParameters(const std::vector<Document>& files, const ParameterOverrides& overrides, const std::string& name);

  /// Returns the value of a whole number or expression, at least `lowest` and at most `highest`.
  std::int64_t value(const Document& count, std::int64_t lowest, std::int64_t highest) const;
  int count(const Document& count, int lowest = 1) const;
  /// Returns the text with the value for each "{parameter}".
  std::string text(const Document& text) const;

  const std::map<std::string, std::int64_t>& values() const { return values_; }
  /// Throws where no count asked for one of the parameters: it would have no effect.
  void check_all_used() const;

 private:
  std::int64_t value_of(const std::string& name) const;
  std::vector<std::string> names() const;

  std::map<std::string, std::int64_t> values_;
  std::map<std::string, Document> places_;
  mutable std::set<std::string> used_;
};

}  // namespace mlsim::workloads
