#include <algorithm>

#include "topologies/catalogue.hpp"
#include "topologies/machine_file.hpp"
#include "topologies/sourced_figure.hpp"
#include "topologies_files.hpp"

namespace mlsim {
namespace {

void read_grid_link(const Document& link, AcceleratorSpec& spec) {
  link.allow_only({"links", "bandwidth", "latency"});
  spec.grid_links = link.at("links").count();
  if (spec.grid_links != 4 && spec.grid_links != 6)
    throw link.at("links").error("must be 4 (a 2-D torus) or 6 (a 3-D torus)");
  spec.grid_link_bandwidth = read_figure<BytesPerSecond>(link.at("bandwidth"));
  spec.grid_link_latency = read_figure<Seconds>(link.at("latency"), true);
}

}  // namespace

AcceleratorFile read_accelerator(const Document& document) {
  document.allow_only(
      {"name", "title", "family", "peak", "memory", "memory_bandwidth", "kernel_launch", "grid_link", "price"});
  AcceleratorFile file;
  AcceleratorSpec& spec = file.spec;
  spec.name = document.at("name").text();
  spec.title = document.has("title") ? document.at("title").text() : spec.name;
  spec.family = document.at("family").word("family", {"tpu", "gpu", "cpu"});
  for (const auto& [format, figure] : document.at("peak").entries()) {
    if (std::find(precision_names().begin(), precision_names().end(), format) == precision_names().end())
      throw figure.error(unknown_word("precision", format, precision_names()));
    spec.peak[parse_precision(format)] = read_figure<FlopPerSecond>(figure);
  }
  if (spec.peak.empty()) throw document.at("peak").error("names no precision; give at least one");
  spec.memory = read_figure<Bytes>(document.at("memory"));
  spec.memory_bandwidth = read_figure<BytesPerSecond>(document.at("memory_bandwidth"));
  spec.kernel_launch = read_figure<Seconds>(document.at("kernel_launch"), true);
  if (document.has("grid_link")) read_grid_link(document.at("grid_link"), spec);
  if (document.has("price")) file.bill = read_bill(document.at("price"));
  return file;
}

const std::vector<AcceleratorFile>& catalogue_accelerators() {
  static const std::vector<AcceleratorFile> all = [] {
    std::vector<AcceleratorFile> files;
    for (const auto& file : topologies_files()) {
      if (file.path.substr(0, 13) == "accelerators/")
        files.push_back(read_accelerator(Document::parse(file.text, std::string(file.path))));
    }
    return files;
  }();
  return all;
}

const AcceleratorFile& catalogue_accelerator(const std::string& name) {
  for (const auto& file : catalogue_accelerators()) {
    if (file.spec.name == name) return file;
  }
  throw InputError(unknown_word("accelerator", name, accelerator_names()));
}

AcceleratorSpec load_accelerator(const std::string& name) { return catalogue_accelerator(name).spec; }

std::vector<std::string> accelerator_names() {
  std::vector<std::string> names;
  for (const auto& file : catalogue_accelerators()) names.push_back(file.spec.name);
  return names;
}

}  // namespace mlsim
