#include "workloads/model/model_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>

#include "core/files/folder.hpp"
#include "core/text/spelling.hpp"
#include "core/text/split.hpp"
#include "core/text/text_file.hpp"
#include "workloads/model/config_json.hpp"
#include "workloads/model/model_reader.hpp"
#include "workloads_files.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::string_view kModelFolder = "models/";
constexpr std::string_view kSuffix = ".yaml";
const std::string kDecoder = "decoder";  // the file that a config.json gives numbers to

// A name with this behind a dash has adapters of MLPerf's rank (mlcommons/training, llama2_70b_lora).
constexpr std::string_view kAdapters = "lora";
constexpr std::int64_t kAdapterRank = 16;

bool ends_with_suffix(std::string_view text) {
  return text.size() > kSuffix.size() && text.substr(text.size() - kSuffix.size()) == kSuffix;
}

bool is_path(const std::string& word) {
  return word.find('/') != std::string::npos || ends_with_suffix(word) || is_config_path(word);
}

// Both "models/resnet50.yaml" and "./resnet50.yaml" are resnet50.
std::string stem(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  if (ends_with_suffix(path)) path.remove_suffix(kSuffix.size());
  return std::string(path);
}

// The head has the text above the layers alone, where aliases are.
EmbeddedFile head(const EmbeddedFile& file) {
  return {file.path, file.text.substr(0, file.text.find("\nlayers:")), file.tree};
}

WorkloadName parse_name(const std::string& name) {
  const auto slash = name.rfind('/');
  const auto colon = name.find(':', slash == std::string::npos ? 0 : slash);
  if (colon == std::string::npos) return {name, {}};
  WorkloadName parsed{name.substr(0, colon), {}};
  for (const auto& item : split(name.substr(colon + 1), ',')) {
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(name, fmt::format("\"{}\" is not PARAMETER=NUMBER", item));
    }
    const std::string key = item.substr(0, equals);
    try {
      if (!parsed.overrides.emplace(key, parse_count(item.substr(equals + 1), 0)).second) {
        throw InputError(fmt::format("the parameter \"{}\" stands twice", key));
      }
    } catch (const InputError& e) {
      throw InputError(name, e.reason());
    }
  }
  return parsed;
}

// Takes off one word with which makers tell the releases of a model apart that have the same layers, "-hf" or "-Instruct"
// behind it and "Meta-" before it; empty where there is none.
std::string without_release(const std::string& word) {
  static const std::vector<std::string> behind{"hf", "instruct", "chat", "it", "base", "pt", "v0.1", "v0.2", "v0.3"};
  const auto dash = word.find_last_of("-_ ");
  if (dash != std::string::npos &&
      std::any_of(behind.begin(), behind.end(),
                  [last = name_key(word.substr(dash))](const std::string& each) { return each == last; }))
    return word.substr(0, dash);
  constexpr std::string_view maker = "meta-";
  return name_key(word).starts_with("meta") && word.size() > maker.size() ? word.substr(maker.size()) : "";
}

// Models of Hugging Face are called ORGANISATION/MODEL; empty for other words, and where there is such a file.
std::string model_of_hub(const std::string& word) {
  const auto slash = word.find('/');
  const bool one = slash != std::string::npos && slash > 0 && word.find('/', slash + 1) == std::string::npos;
  if (!one || word.front() == '.' || ends_with_suffix(word) || is_config_path(word) || std::filesystem::exists(word))
    return {};
  return word.substr(slash + 1);
}

// Papers write the size of patches behind a slash, "ViT-L/16".
std::string without_slash(std::string word) {
  std::replace(word.begin(), word.end(), '/', '-');
  return word;
}

// Returns the name with its overrides in one order.
std::string full_name(const std::string& base, const ParameterOverrides& overrides) {
  std::string text = base;
  for (const auto& [key, value] : overrides) {
    text += fmt::format("{}{}={}", text.size() == base.size() ? ":" : ",", key, value);
  }
  return text;
}

}  // namespace

ModelCatalogue::ModelCatalogue(const std::vector<EmbeddedFile>& files, const std::vector<EmbeddedFile>& own) {
  for (const auto& file : files) {
    if (file.path.substr(0, kModelFolder.size()) == kModelFolder) files_.emplace(stem(file.path), file);
  }
  for (const auto& file : own) {
    const std::string name = stem(file.path);
    if (files_.count(name) > 0 && own_.count(name) == 0)
      throw InputError(std::string(file.path),
                       fmt::format("{} is a workload of mlsim's own; give the file another name", name));
    files_.emplace(name, file);
    own_.insert(name);
  }
}

Model ModelCatalogue::load(const std::string& name) const {
  const auto [base, given] = named(name);
  if (is_config_path(base)) return load_config(base, given, name);
  if (is_path(base)) {
    const std::vector<Document> files = with_likes(Document::load(base), base);
    const ParameterOverrides overrides = own_words(files, given, name);
    try {
      return read_model(files, full_name(stem(base), overrides), overrides);
    } catch (const InputError& e) {  // an override names the file too
      throw e.place() == full_name(stem(base), overrides) ? InputError(name, e.reason()) : e;
    }
  }
  const std::string known = canonical_name(base);
  if (const auto found = read_.find(full_name(known, given)); found != read_.end()) return found->second;
  const std::vector<Document> files = with_likes(file(known), known);
  const ParameterOverrides overrides = own_words(files, given, full_name(known, given));
  const std::string full = full_name(known, overrides);
  return read_.emplace(full, read_model(files, full, overrides)).first->second;
}

// What the file says goes below what the name says; an error of the catalogue's own file names the path.
Model ModelCatalogue::load_config(const std::string& path, const ParameterOverrides& given,
                                  const std::string& name) const {
  const std::string file = config_file(path);
  const ConfigModel config = read_config(Document::load(file));
  const std::vector<Document> files = with_likes(this->file(kDecoder), kDecoder);
  const ParameterOverrides own = own_words(files, given, name);
  ParameterOverrides all = own;
  all.insert(config.parameters.begin(), config.parameters.end());
  try {
    Model model = read_model(files, full_name(config_name(path), own), all, config.pattern);
    model.title = fmt::format("{} ({}), {} tokens", config_name(path), config.model_type, model.tokens);
    if (all.contains("experts")) model.sort = NetworkSort::language_mixture;
    model.source = {Provenance::assumed, file, ""};
    model.dataset.name = "a corpus of " + model.dataset.name;
    return model;
  } catch (const InputError& e) {
    throw InputError(name, e.reason());
  }
}

NetworkSort ModelCatalogue::sort(const std::string& name) const {
  const std::string base = named(name).base;
  if (is_config_path(base)) return read_sort(with_likes(file(kDecoder), kDecoder));
  if (is_path(base)) return read_sort(with_likes(Document::load(base), base));
  const std::string known = canonical_name(base);
  return read_sort(with_likes(file(known), known));
}

std::vector<std::string> ModelCatalogue::names() const {
  std::vector<std::string> names;
  for (const auto& entry : files_) names.push_back(entry.first);
  return names;
}

std::vector<std::string> ModelCatalogue::words(const std::map<std::string, std::string>& aliases) const {
  std::vector<std::string> words = names();
  for (const auto& entry : aliases) words.push_back(entry.first);
  return words;
}

std::optional<std::string> ModelCatalogue::known_name(const std::string& word) const {
  if (files_.count(word) != 0) return word;
  const auto known_aliases = aliases();
  const std::vector<std::string> all = words(known_aliases);
  auto meant = name_among(all, word);
  for (std::string rest = without_release(word); !meant && !rest.empty(); rest = without_release(rest))
    meant = name_among(all, rest);
  if (!meant) return std::nullopt;
  const auto found = known_aliases.find(*meant);
  return found == known_aliases.end() ? *meant : found->second;
}

std::string ModelCatalogue::canonical_name(const std::string& word) const {
  if (const auto known = known_name(word)) return *known;
  const std::string nearest = nearest_word(word, words(aliases()));
  const bool alias = !nearest.empty() && files_.count(nearest) == 0;
  throw InputError(unknown_word("workload", word, alias ? std::vector<std::string>{nearest} : names()));
}

WorkloadName ModelCatalogue::named(const std::string& name) const {
  WorkloadName parsed = parse_name(name);
  const std::string of_hub = model_of_hub(parsed.base);
  for (const std::string& word : {parsed.base, of_hub, of_hub.empty() ? "" : without_slash(parsed.base)}) {
    if (word.empty() || is_path(word)) continue;
    const auto dash = word.find_last_of("-_ ");
    if (known_name(word)) {
      parsed.base = word;
    } else if (dash != std::string::npos && name_key(word.substr(dash)) == kAdapters) {
      const auto frozen = known_name(word.substr(0, dash));
      if (!frozen) continue;
      parsed.base = *frozen;
      parsed.overrides.emplace("lora_rank", kAdapterRank);
    } else {
      continue;
    }
    break;
  }
  return parsed;
}

Document ModelCatalogue::file(const std::string& name) const { return parsed(name, files_.at(name)); }

Document ModelCatalogue::parsed(const std::string& name, const EmbeddedFile& file) const {
  const std::string path(file.path);
  return Document::embedded(file, own_.count(name) > 0 ? path : "workloads/catalogue/" + path);
}

std::vector<Document> ModelCatalogue::with_likes(Document file, const std::string& name) const {
  std::vector<Document> files{std::move(file)};
  std::vector<std::string> chain{name};
  while (files.back().has("like")) {
    const Document word = files.back().at("like");
    std::string next;
    try {
      next = canonical_name(word.text());
    } catch (const InputError& e) {
      throw e.place().empty() ? word.error(e.reason()) : e;
    }
    if (std::find(chain.begin(), chain.end(), next) != chain.end()) {
      throw word.error(fmt::format("{} is like itself ({})", next, fmt::join(chain, " like ")));
    }
    chain.push_back(next);
    files.push_back(this->file(next));
  }
  return files;
}

std::map<std::string, std::string> ModelCatalogue::aliases() const {
  std::map<std::string, std::string> known;
  for (const auto& [name, embedded] : files_) {
    const EmbeddedFile above = head(embedded);
    if (above.text.find("aliases:") == std::string_view::npos) continue;  // most have none, and parsing is slow
    const Document document = parsed(name, above);
    if (!document.has("aliases")) continue;
    for (const auto& alias : document.at("aliases").items()) {
      const std::string word = alias.text();
      const auto [taken, added] = known.emplace(word, name);
      if (!added || files_.count(word) != 0) {
        throw alias.error(
            fmt::format("\"{}\" stands for two models, {} and {}", word, name, added ? word : taken->second));
      }
    }
  }
  return known;
}

namespace {

std::vector<std::string>& own_folders() {
  static std::vector<std::string> folders;
  return folders;
}

// Paths and texts of the user's files are kept here; nothing but views of them is in the catalogue.
std::vector<EmbeddedFile> own_files() {
  static std::deque<std::pair<std::string, std::string>> kept;
  std::vector<EmbeddedFile> files;
  for (const auto& folder : own_folders()) {
    for (const auto& path : yaml_files(folder)) {
      kept.emplace_back(path, read_text_file(path));
      files.push_back({kept.back().first, kept.back().second});
    }
  }
  return files;
}

const ModelCatalogue& catalogue() {
  static const ModelCatalogue all(workloads_files(), own_files());
  return all;
}

}  // namespace

void use_own_models(const std::vector<std::string>& folders) { own_folders() = folders; }

Model load_model(const std::string& name) { return catalogue().load(name); }
NetworkSort network_sort(const std::string& name) { return catalogue().sort(name); }
std::vector<std::string> model_names() { return catalogue().names(); }
bool names_model(const std::string& name) { return catalogue().holds(name.substr(0, name.find(':'))); }

}  // namespace mlsim::workloads
