// mlsim_embed NAME ROOT OUT [FILE...]: writes OUT.cpp and OUT.hpp with the text of every file under ROOT and of each
// FILE, and the tree of those that are YAML or JSON; see MlsimEmbed.cmake.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "core/text/document_tree.hpp"
#include "core/text/json_tree.hpp"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fs::filesystem_error("cannot be read", path, std::error_code());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Left as it is where it says the same, so that what is made of it is not made again.
void write(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read(path) == text) return;
  std::ofstream(path, std::ios::binary) << text;
}

bool is_catalogue_file(const fs::path& path) {
  for (const char* ending : {".yaml", ".json", ".csv", ".css", ".js"})
    if (path.extension() == ending) return true;
  return false;
}

// Maps the names under which files are found to where they lie.
std::map<std::string, fs::path> files_under(const fs::path& root) {
  std::map<std::string, fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file() && is_catalogue_file(entry.path()))
      files.emplace(entry.path().lexically_relative(root).generic_string(), entry.path());
  return files;
}

// Three octal digits each, but for what is plain; lines as the source has them.
std::string literal(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      text += "\\n\"\n\"";
    else if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\' || c == '?')
      text += fmt::format("\\{:03o}", byte);
    else
      text += c;
  }
  return text + "\"";
}

std::string view(std::string_view bytes) {
  return bytes.empty() ? std::string("{}") : fmt::format("{{\n{},\n{}}}", literal(bytes), bytes.size());
}

std::string tree_of(const fs::path& file, const std::string& text) {
  if (file.extension() == ".yaml") return mlsim::yaml_tree(text, file.string());
  return file.extension() == ".json" ? mlsim::json_tree(text, file.string()) : std::string();
}

void embed(const std::string& name, const fs::path& out, const std::map<std::string, fs::path>& files) {
  std::string entries;
  for (const auto& [path, file] : files) {
    const std::string text = read(file);
    entries += fmt::format("      {{\"{}\", {}, {}}},\n", path, view(text), view(tree_of(file, text)));
  }
  const std::string function = fmt::format("const std::vector<EmbeddedFile>& {}_files()", name);
  write(out.string() + ".hpp", fmt::format("// Generated.\n#pragma once\n\n#include <vector>\n\n#include "
                                           "\"core/text/embedded_file.hpp\"\n\nnamespace mlsim::{} {{\n{};\n}}\n",
                                           name, function));
  write(out.string() + ".cpp",
        fmt::format("// Generated.\n#include \"{0}_files.hpp\"\n\nnamespace mlsim::{0} {{\n\n{1} "
                    "{{\n  static const std::vector<EmbeddedFile> files{{\n{2}  }};\n  return "
                    "files;\n}}\n\n}}  // namespace mlsim::{0}\n",
                    name, function, entries));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: mlsim_embed NAME ROOT OUT [FILE...]\n");
    return 2;
  }
  try {
    auto files = files_under(argv[2]);
    for (int i = 4; i < argc; ++i) files.emplace(fs::path(argv[i]).filename().string(), argv[i]);
    embed(argv[1], argv[3], files);
  } catch (const std::exception& e) {
    fmt::print(stderr, "mlsim_embed: {}\n", e.what());
    return 1;
  }
}
