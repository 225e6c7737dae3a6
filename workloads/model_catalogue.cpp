#include <algorithm>

#include "core/document.hpp"
#include "workloads/model.hpp"
#include "workloads/model_reader.hpp"
#include "workloads_files.hpp"

namespace mlsim {
namespace {

constexpr std::string_view kFolder = "models/";
constexpr std::string_view kSuffix = ".yaml";

bool ends_with_suffix(std::string_view text) {
  return text.size() > kSuffix.size() && text.substr(text.size() - kSuffix.size()) == kSuffix;
}

// "models/resnet50.yaml" and "./resnet50.yaml" are resnet50.
std::string stem(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  if (ends_with_suffix(path)) path.remove_suffix(kSuffix.size());
  return std::string(path);
}

bool is_model(const EmbeddedFile& file) { return file.path.substr(0, kFolder.size()) == kFolder; }

}  // namespace

Model load_model(const std::string& name) {
  if (name.find('/') != std::string::npos || ends_with_suffix(name)) {
    return read_model(Document::load(name), stem(name));
  }
  for (const auto& file : workloads_files()) {
    if (!is_model(file) || stem(file.path) != name) continue;
    return read_model(Document::parse(file.text, "workloads/catalogue/" + std::string(file.path)), name);
  }
  throw InputError(unknown_word("workload", name, model_names()));
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& file : workloads_files()) {
    if (is_model(file)) names.push_back(stem(file.path));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mlsim
