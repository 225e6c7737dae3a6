#include "workloads/model/changed_network.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

using Layouts = std::set<std::pair<std::string, std::int64_t>>;

Layouts read_layouts(const std::vector<Document>& files, const FileParameters& parameters) {
  const auto with = std::find_if(files.begin(), files.end(), [](const Document& file) { return file.has("layouts"); });
  if (with == files.end()) return {};
  std::vector<std::string> known;
  for (const auto& entry : parameters.values()) known.push_back(entry.first);
  Layouts layouts;
  for (const auto& [name, values] : with->at("layouts").entries()) {
    if (!parameters.values().contains(name)) throw values.error(unknown_word("parameter", name, known));
    for (const Document& value : values.items())
      layouts.emplace(name, parameters.value(value, 0, std::numeric_limits<std::int64_t>::max()));
  }
  return layouts;
}

}  // namespace

std::map<std::string, std::int64_t> changed_network(const std::vector<Document>& files,
                                                    const FileParameters& parameters) {
  const Layouts layouts = read_layouts(files, parameters);
  const auto of = std::find_if(files.begin(), files.end(), [](const Document& file) { return file.has("benchmark"); });
  if (of == files.end()) return {};
  const FileParameters published({of, files.end()}, {}, "");
  std::map<std::string, std::int64_t> changed;
  for (const auto& [name, value] : parameters.values()) {
    const std::int64_t its = published.values().at(name);
    if (value != its && !layouts.contains({name, value})) changed.emplace(name, its);
  }
  return changed;
}

}  // namespace mlsim::workloads
