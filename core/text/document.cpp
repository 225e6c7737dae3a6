#include "core/text/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/text_file.hpp"
#include "core/text/unknown_key.hpp"

namespace mlsim {
namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 20;  // a catalogue file is a few KiB

}  // namespace

Document Document::load(const std::string& path) {
  const std::string text = read_text_file(path);
  if (text.size() > kLargestFile) throw InputError(path, "is larger than 4 MiB, which no such file is");
  return parse(text, path);
}

Document Document::parse(std::string_view text, const std::string& name) {
  const auto source = std::make_shared<const Source>(name, yaml_tree(text, name));
  std::string_view tree = source->tree;
  return {source, take_node(tree)};
}

Document Document::embedded(const EmbeddedFile& file, const std::string& name) {
  if (file.tree.empty()) return parse(file.text, name);
  std::string_view tree = file.tree;
  return {std::make_shared<const Source>(name, std::string()), take_node(tree)};
}

bool Document::is_map() const { return node_.kind == TreeKind::map; }
bool Document::is_list() const { return node_.kind == TreeKind::list; }
bool Document::is_scalar() const { return node_.kind == TreeKind::scalar; }

void Document::allow_only(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : entries()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) throw value.error(unknown_key(key, known));
  }
}

Document Document::over(Document base) const {
  Document both = *this;
  both.base_ = std::make_shared<const Document>(std::move(base));
  return both;
}

bool Document::has(const std::string& key) const {
  return is_map() && (value_of(key).has_value() || (base_ && base_->has(key)));
}

Document Document::at(const std::string& key) const {
  if (!is_map()) throw error(fmt::format("expected a map with the key \"{}\"", key));
  const auto value = value_of(key);
  if (!value && base_ && base_->has(key)) return base_->at(key);
  if (!value) throw error(fmt::format("the key \"{}\" is missing", key));
  const Document own{source_, *value};
  const bool merges = own.is_map() && !own.has("value") && base_ && base_->has(key) && base_->at(key).is_map();
  return merges ? own.over(base_->at(key)) : own;
}

std::optional<TreeNode> Document::value_of(const std::string& key) const {
  for (std::string_view left = node_.content; !left.empty();) {
    const std::string_view name = take_text(left);
    const TreeNode value = take_node(left);
    if (name == key) return value;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, Document>> Document::entries() const {
  if (!is_map()) throw error("expected a map (key: value)");
  std::vector<std::pair<std::string, Document>> all;
  for (std::string_view left = node_.content; !left.empty();) {
    const std::string_view name = take_text(left);
    all.emplace_back(std::string(name), Document(source_, take_node(left)));
  }
  if (base_)
    for (auto& entry : base_->entries())
      if (!value_of(entry.first)) all.push_back(std::move(entry));
  return all;
}

std::vector<Document> Document::items() const {
  if (!is_list()) throw error("expected a list");
  std::vector<Document> all;
  for (std::string_view left = node_.content; !left.empty();) all.push_back({source_, take_node(left)});
  return all;
}

std::string Document::text() const {
  if (!is_scalar()) throw error("expected one value, not a map or a list");
  if (node_.content.empty()) throw error("the value is missing");
  return std::string(node_.content);
}

double Document::number() const {
  return located([this] { return parse_number(text()); });
}
double Document::not_negative_number() const {
  const double value = number();
  if (!(value >= 0)) throw error(fmt::format("must not be negative, not {}", value));
  return value;
}
int Document::count(int lowest, int highest) const {
  return located([&] { return parse_count(text(), lowest, highest); });
}

bool Document::flag() const { return word("answer", {"true", "false"}) == "true"; }

std::string Document::word(std::string_view what, const std::vector<std::string>& known) const {
  const std::string value = text();
  if (std::find(known.begin(), known.end(), value) == known.end()) throw error(unknown_word(what, value, known));
  return value;
}

InputError Document::error(const std::string& reason) const { return InputError(place(), reason); }
std::string Document::place() const { return fmt::format("{}:{}", source_->name, node_.line); }

}  // namespace mlsim
