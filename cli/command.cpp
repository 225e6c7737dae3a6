#include "cli/command.hpp"

#include <algorithm>
#include <cstdio>

#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim::cli {

void check_word(const std::string& place, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw InputError(place, unknown_word("word", word, known));
}

Seconds parsed_time_limit(const std::string& text) {
  const Seconds limit = parsed("--time-limit", text, parse_quantity<Seconds>);
  if (!(limit > Seconds(0))) throw InputError("--time-limit", "must be more than no time");
  return limit;
}

void write_result(const std::string& path, const std::string& text, std::vector<OutputFile> besides) {
  const bool to_stdout = path.empty() || path == "-";
  if (!to_stdout) besides.push_back({path, text});
  write_files(besides);
  if (to_stdout) std::fputs(text.c_str(), stdout);
}

}  // namespace mlsim::cli
