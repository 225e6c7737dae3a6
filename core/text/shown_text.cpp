#include "core/text/spelling.hpp"

#include <fmt/format.h>

#include "core/text/code_point.hpp"
#include "core/text/errors.hpp"

namespace mlsim {
namespace {

constexpr std::size_t kShownOfWord = 80;

}  // namespace

std::string shown_text(std::string_view text, std::size_t longest) {
  std::string shown;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == longest) return shown + "...";
    const CodePoint point = first_code_point(text);
    const std::string_view bytes = text.substr(0, point.bytes);
    if (point.broken || is_control(point)) {
      for (const char byte : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      shown += bytes;
    }
    text.remove_prefix(point.bytes);
  }
  return shown;
}

std::string checked_name(const std::string& name) {
  if (shown_text(name, name.size()) != name)
    throw InputError(fmt::format("{} is no name: it holds control characters or broken ones", in_quotes(name)));
  return name;
}

std::string in_quotes(std::string_view word) { return "\"" + shown_text(word, kShownOfWord) + "\""; }

}  // namespace mlsim
