#include "topologies/import/xml_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "core/text/spelling.hpp"
#include "core/text/text_file.hpp"

namespace mlsim::topologies {
namespace {

// Says why `text` cannot be parsed: it is empty, ends without </root>, or `what` at `offset`, a parser's own words.
InputError xml_error(const std::string& path, const std::string& text, const std::string& root, std::ptrdiff_t offset,
                     const std::string& what) {
  const auto last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return {path, "is empty"};
  const bool begins = text.find("<" + root) != std::string::npos, ends = text.find("</" + root) != std::string::npos;
  if (begins && !ends)
    return {xml_place(path, text, static_cast<std::ptrdiff_t>(last)),
            fmt::format("ends without </{}>: the file was cut off", root)};
  return {xml_place(path, text, offset), fmt::format("is no XML: {}", what)};
}

}  // namespace

std::string xml_place(const std::string& path, const std::string& text, std::ptrdiff_t offset) {
  const auto end = text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text.size()));
  return fmt::format("{}:{}", path, 1 + std::count(text.begin(), end, '\n'));
}

std::string checked_xml(const std::string& path, const std::string& root, const std::string& meaning) {
  std::string text = read_text_file(path);
  pugi::xml_document document;
  if (const auto result = document.load_buffer(text.data(), text.size()); !result)
    throw xml_error(path, text, root, result.offset, result.description());
  const pugi::xml_node first = document.document_element();
  if (first.name() != root)
    throw InputError(xml_place(path, text, first.offset_debug()),
                     fmt::format("begins with <{}>; {} begins with <{}>", shown_text(first.name(), 80), meaning, root));
  return text;
}

}  // namespace mlsim::topologies
