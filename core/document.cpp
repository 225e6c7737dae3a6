#include "core/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "core/code_point.hpp"
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

// The first byte that starts no code point; the size of the text where there is none.
std::size_t first_broken_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = first_code_point(text.substr(i));
    if (point.broken) return i;
    i += point.bytes;
  }
  return text.size();
}

}  // namespace

// Makes the tree from the parser's events. (yaml-cpp's own LoadAll never ends on "[a], b".)
class Document::Builder : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& name) : file_(std::make_shared<const std::string>(name)) {}

  std::shared_ptr<const Node> root() const {
    if (!root_ || (root_->kind == Kind::scalar && root_->scalar.empty()))
      throw InputError(*file_ + ":1", "is empty; expected YAML");
    return root_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw error(mark, "a second document starts here; a file holds one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { OnScalar(mark, {}, anchor, {}); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    auto node = made(mark, Kind::scalar);
    node->scalar = value;
    add(mark, anchor, {std::move(node), 1, 0});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = named_.find(anchor);
    if (found == named_.end()) throw error(mark, "an alias stands inside what it names");
    left_ -= found->second.size;
    add(mark, 0, found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Kind::list);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  using Kind = Node::Kind;

  // A finished node with what hangs below it, aliases unfolded.
  struct Branch {
    std::shared_ptr<const Node> node;
    int size = 1;   // nodes
    int depth = 0;  // levels below
  };
  // A map or list whose end has not come.
  struct Open {
    std::shared_ptr<Node> node;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    int size = 1, depth = 0;
    std::set<std::string> keys;
    std::optional<std::string> key;  // whose value comes next
    bool awaits_key() const { return node->kind == Kind::map && !key; }
  };

  std::shared_ptr<Node> made(const YAML::Mark& mark, Kind kind) {
    --left_;
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->file = file_;
    node->line = mark.line + 1;
    return node;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Kind kind) {
    if (!open_.empty() && open_.back().awaits_key()) throw error(mark, "a key must be a word");
    open_.push_back({made(mark, kind), mark, anchor, 1, 0, {}, {}});
    check_size(mark, 0);
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    add(closed.mark, closed.anchor, {closed.node, closed.size, closed.depth});
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, const Branch& branch) {
    check_size(mark, branch.depth);
    if (anchor != 0) named_[anchor] = branch;
    if (open_.empty()) {
      root_ = branch.node;
      return;
    }
    Open& parent = open_.back();
    if (parent.awaits_key()) {
      take_key(mark, parent, *branch.node);
      return;
    }
    parent.node->children.emplace_back(parent.key.value_or(""), branch.node);
    parent.key.reset();
    parent.size += branch.size;
    parent.depth = std::max(parent.depth, branch.depth + 1);
  }

  void take_key(const YAML::Mark& mark, Open& map, const Node& node) {
    if (node.kind != Kind::scalar || node.scalar.empty()) throw error(mark, "a key must be a word");
    if (!map.keys.insert(node.scalar).second)
      throw error(mark, fmt::format("key \"{}\" stands twice", node.scalar.substr(0, 80)));
    map.key = node.scalar;
    ++left_;  // the limit is on values
  }

  void check_size(const YAML::Mark& mark, int below) const {
    if (left_ < 0 || static_cast<int>(open_.size()) + below > kDeepestTree)
      throw error(mark, "the document is too large or too deep");
  }

  InputError error(const YAML::Mark& mark, const std::string& reason) const {
    return {fmt::format("{}:{}", *file_, mark.line + 1), reason};
  }

  std::shared_ptr<const std::string> file_;
  std::shared_ptr<const Node> root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Branch> named_;
  int documents_ = 0;
  int left_ = kLargestTree;
};

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
  if (const std::size_t broken = first_broken_utf8(text); broken < text.size()) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(broken), '\n');
    throw InputError(fmt::format("{}:{}", name, line), "is not UTF-8 text; save the file in that encoding");
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(name);
    while (parser.HandleNextDocument(builder)) continue;  // the builder refuses a second document
    return Document(builder.root());
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
double Document::not_negative_number() const {
  const double value = number();
  if (!(value >= 0)) throw error(fmt::format("must not be negative, not {}", value));
  return value;
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
