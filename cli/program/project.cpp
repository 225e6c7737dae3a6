#include "cli/program/project.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/files/folder.hpp"
#include "core/text/document.hpp"
#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "topologies/machine/machine_file.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

namespace fs = std::filesystem;

struct ProjectKey {
  std::string key, variable;
  std::vector<OwnPath> Project::*list;
  bool folders;
};

const std::vector<ProjectKey>& project_keys() {
  static const std::vector<ProjectKey> keys{{"prices", "MLSIM_PRICES", &Project::prices, false},
                                            {"topologies", "MLSIM_TOPOLOGIES", &Project::topologies, true},
                                            {"workloads", "MLSIM_WORKLOADS", &Project::workloads, true},
                                            {"profiles", "MLSIM_PROFILES", &Project::profiles, false}};
  return keys;
}

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

OwnPath checked(const std::string& path, const std::string& origin, bool folder) {
  std::error_code error;
  const bool there = folder ? fs::is_directory(path, error) : fs::is_regular_file(path, error);
  if (!there) throw InputError(origin, fmt::format("\"{}\" is no {}", path, folder ? "folder" : "file"));
  return {path, origin};
}

void add_variable(Project& project, const ProjectKey& key) {
  const std::string paths = variable(key.variable);
  if (paths.empty()) return;
  for (const auto& path : split(paths, ':'))
    if (!path.empty()) (project.*key.list).push_back(checked(path, key.variable, key.folders));
}

// Adds one path or a list of them.
void add_paths(Project& project, const ProjectKey& key, const Document& value) {
  const fs::path folder = fs::path(project.file).parent_path();
  for (const auto& item : value.is_list() ? value.items() : std::vector{value})
    (project.*key.list).push_back(checked((folder / item.text()).string(), item.place(), key.folders));
}

std::string project_file() {
  const std::string named = variable("MLSIM_CONFIG");
  if (!named.empty()) return checked(named, "MLSIM_CONFIG", false).path;
  std::error_code error;
  return fs::exists("mlsim.yaml", error) ? "mlsim.yaml" : "";
}

Project& current() {
  static Project project;
  return project;
}

std::vector<std::string> with_project(std::vector<std::string> paths, const std::vector<OwnPath>& list) {
  for (const auto& own : list) paths.push_back(own.path);
  return paths;
}

}  // namespace

Project read_project() {
  Project project;
  for (const auto& key : project_keys()) add_variable(project, key);
  project.file = project_file();
  if (project.file.empty()) return project;
  const Document document = Document::load(project.file);
  std::vector<std::string> known;
  for (const auto& key : project_keys()) known.push_back(key.key);
  document.allow_only(known);
  for (const auto& key : project_keys())
    if (document.has(key.key)) add_paths(project, key, document.at(key.key));
  return project;
}

const Project& project() { return current(); }

void use_project() {
  current() = read_project();
  use_own_machines(with_project({}, current().topologies));
  use_own_models(with_project({}, current().workloads));
}

std::vector<OwnPrice> own_price_lists(const std::vector<std::string>& files) {
  std::vector<OwnPrice> prices;
  for (const auto& path : with_project(files, project().prices))
    for (auto& price : read_own_prices(path)) prices.push_back(std::move(price));
  return prices;
}

std::vector<std::string> own_profile_paths(const std::vector<std::string>& files) {
  return with_project(files, project().profiles);
}

std::vector<std::string> own_files(const std::vector<std::string>& profiles, const std::vector<std::string>& prices) {
  std::vector<std::string> files = own_profile_paths(profiles);
  const auto add = [&](const std::vector<std::string>& more) { files.insert(files.end(), more.begin(), more.end()); };
  add(with_project(prices, project().prices));
  for (const auto& list : {project().topologies, project().workloads})
    for (const auto& folder : list) add(yaml_files(folder.path));
  return files;
}

}  // namespace mlsim::cli
