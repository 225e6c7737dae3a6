#include "core/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "core/text_file.hpp"

namespace mlsim {

struct Document::Node {
  enum class Kind { map, list, scalar } kind = Kind::scalar;
  std::string scalar;
  std::vector<std::pair<std::string, std::shared_ptr<const Node>>> children;  // keys empty in a list
  std::shared_ptr<const std::string> file;
  int line = 0;
};

namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 20;  // a catalogue file is a few KiB
constexpr int kLargestTree = 200000;                        // stops documents that unfold through aliases
constexpr int kDeepestTree = 64;

}  // namespace

Document Document::load(const std::string& path) {
  const std::string text = read_text_file(path);
  if (text.size() > kLargestFile) throw InputError(path, "is larger than 4 MiB, which no such file is");
  return parse(text, path);
}

Document Document::parse(std::string_view text, const std::string& name) {
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
  });
  if (control != text.end()) {
    const auto line = 1 + std::count(text.begin(), control, '\n');
    throw InputError(fmt::format("{}:{}", name, line), "is not text (a control character); expected YAML");
  }
  const auto file = std::make_shared<const std::string>(name);
  int left = kLargestTree;

  const auto convert = [&](const auto& self, const YAML::Node& yaml, int depth) -> std::shared_ptr<const Node> {
    auto node = std::make_shared<Node>();
    node->file = file;
    node->line = yaml.Mark().line + 1;
    const std::string place = fmt::format("{}:{}", name, node->line);
    if (--left < 0 || depth > kDeepestTree) throw InputError(place, "the document is too large or too deep");
    if (yaml.IsMap()) {
      node->kind = Node::Kind::map;
      for (const auto& entry : yaml) {
        if (!entry.first.IsScalar()) throw InputError(place, "a key must be a word");
        const std::string key = entry.first.Scalar();
        const bool twice =
            std::any_of(node->children.begin(), node->children.end(), [&](const auto& c) { return c.first == key; });
        if (twice)
          throw InputError(fmt::format("{}:{}", name, entry.first.Mark().line + 1),
                           fmt::format("key \"{}\" stands twice", key));
        node->children.emplace_back(key, self(self, entry.second, depth + 1));
      }
    } else if (yaml.IsSequence()) {
      node->kind = Node::Kind::list;
      for (const auto& item : yaml) node->children.emplace_back(std::string(), self(self, item, depth + 1));
    } else if (yaml.IsScalar()) {
      node->scalar = yaml.Scalar();
    }
    return node;
  };

  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (!root.IsDefined() || root.IsNull()) throw InputError(name + ":1", "is empty; expected YAML");
    return Document(convert(convert, root, 0));
  } catch (const YAML::Exception& e) {
    throw InputError(fmt::format("{}:{}", name, e.mark.line + 1), fmt::format("is no valid YAML: {}", e.msg));
  }
}

bool Document::is_map() const { return node_->kind == Node::Kind::map; }
bool Document::is_list() const { return node_->kind == Node::Kind::list; }
bool Document::is_scalar() const { return node_->kind == Node::Kind::scalar; }

void Document::allow_only(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : entries()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) throw value.error(unknown_word("key", key, known));
  }
}

bool Document::has(const std::string& key) const {
  return is_map() &&
         std::any_of(node_->children.begin(), node_->children.end(), [&](const auto& c) { return c.first == key; });
}

Document Document::at(const std::string& key) const {
  if (!is_map()) throw error(fmt::format("expected a map with the key \"{}\"", key));
  for (const auto& [name, child] : node_->children) {
    if (name == key) return Document(child);
  }
  throw error(fmt::format("the key \"{}\" is missing", key));
}

std::vector<std::pair<std::string, Document>> Document::entries() const {
  if (!is_map()) throw error("expected a map (key: value)");
  std::vector<std::pair<std::string, Document>> all;
  for (const auto& [name, child] : node_->children) all.emplace_back(name, Document(child));
  return all;
}

std::vector<Document> Document::items() const {
  if (!is_list()) throw error("expected a list");
  std::vector<Document> all;
  for (const auto& child : node_->children) all.push_back(Document(child.second));
  return all;
}

std::string Document::text() const {
  if (!is_scalar()) throw error("expected one value, not a map or a list");
  if (node_->scalar.empty()) throw error("the value is missing");
  return node_->scalar;
}

double Document::number() const {
  return located([this] { return parse_number(text()); });
}
int Document::count(int lowest) const {
  return located([&] { return parse_count(text(), lowest); });
}

bool Document::flag() const { return word("answer", {"true", "false"}) == "true"; }

std::string Document::word(std::string_view what, const std::vector<std::string>& known) const {
  const std::string value = text();
  if (std::find(known.begin(), known.end(), value) == known.end()) throw error(unknown_word(what, value, known));
  return value;
}

InputError Document::error(const std::string& reason) const { return InputError(place(), reason); }
std::string Document::place() const { return fmt::format("{}:{}", *node_->file, node_->line); }

}  // namespace mlsim
