// Random command lines, most of them nearly right.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "command_words.hpp"

namespace mlsim::test {

class CommandGrammar {
 public:
  CommandGrammar(CommandWords words, unsigned seed) : words_(std::move(words)), random_(seed) {}

  /// The arguments of the next command.
  std::vector<std::string> next();

 private:
  using Texts = std::vector<std::string>;

  bool chance(double share) { return std::uniform_real_distribution<double>(0, 1)(random_) < share; }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  const std::string& one_of(const Texts& texts) { return texts[below(texts.size())]; }
  std::string number(double usual);
  std::string quantity(const Texts& units);
  std::string grid();
  std::string topology();
  std::string parallelism();
  std::string filled(const std::string& form, const std::string& key);
  std::string placeholder(const std::string& word, const std::string& key);
  std::string setting();
  std::string slip(std::string word);
  Texts small_systems(std::size_t most);
  std::string file_of(const Texts& readers);
  void add(Texts& arguments, double share, const std::string& option, const std::string& value);
  void add_job(Texts& arguments, const std::string& system);
  Texts job(const std::string& command);
  Texts list();
  Texts sweep();
  Texts plan();
  Texts compare();
  Texts diagnose();
  Texts import();
  Texts exported();
  Texts validate();
  Texts calibrate();
  Texts machine();

  CommandWords words_;
  std::mt19937 random_;
};

}  // namespace mlsim::test
