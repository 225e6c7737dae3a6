#include "cli/command.hpp"

#include <algorithm>
#include <cstdio>

#include "core/errors.hpp"
#include "core/output_file.hpp"
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

void write_result(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::fputs(text.c_str(), stdout);
  } else {
    write_file(path, text);
  }
}

}  // namespace mlsim::cli
