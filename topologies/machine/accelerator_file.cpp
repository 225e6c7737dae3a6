#include "topologies/machine/accelerator_file.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/text/spelling.hpp"
#include "topologies/machine/bill.hpp"
#include "topologies/machine/likeness.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

void read_grid_link(const Document& link, AcceleratorSpec& spec) {
  link.allow_only({"links", "bandwidth", "latency"});
  spec.grid_links = link.at("links").count();
  if (spec.grid_links != 4 && spec.grid_links != 6)
    throw link.at("links").error("must be 4 (a 2-D torus) or 6 (a 3-D torus)");
  spec.grid_link_bandwidth = read_figure<BytesPerSecond>(link.at("bandwidth"));
  spec.grid_link_latency = read_figure<Seconds>(link.at("latency"));
}

void read_slice_link(const Document& link, AcceleratorSpec& spec) {
  link.allow_only({"bandwidth", "latency"});
  spec.slice_link_bandwidth = read_figure<BytesPerSecond>(link.at("bandwidth"));
  spec.slice_link_latency = read_figure<Seconds>(link.at("latency"));
}

Sourced<double> read_reached(const Document& figure) {
  const auto [value, source] = sourced_value(figure);
  return {read_number(value, 0.01, 1), source};
}

// Goes from a watch to a thousand of the largest boards.
Sourced<double> read_power(const Document& figure) {
  const auto [value, source] = sourced_value(figure);
  return {read_number(value, 0.001, 1e6), source};
}

void read_product_share(const Document& share, AcceleratorSpec& spec) {
  share.allow_only({"narrow", "fp32", "fp8", "fp8-block", "mxfp8", "nvfp4", "int8", "sustained", "tuned"});
  if (share.has("narrow")) spec.narrow_products = read_reached(share.at("narrow"));
  if (share.has("fp32")) spec.fp32_products = read_reached(share.at("fp32"));
  for (const std::string& format : names<Precision>()) {
    const auto precision = parse<Precision>(format);
    if (is_recipe(precision) && share.has(format)) spec.recipe_products[precision] = read_reached(share.at(format));
    if (share.has("sustained") && share.at("sustained").has(format))
      spec.sustained_products[precision] = read_reached(share.at("sustained").at(format));
    if (share.has("tuned") && share.at("tuned").has(format))
      spec.tuned_products[precision] = read_reached(share.at("tuned").at(format));
  }
}

// Makes "tpu-v3", the name in the file too, of "accelerators/tpu-v3.yaml"; empty for other files.
std::string_view name_in(const EmbeddedFile& file) {
  constexpr std::string_view kFolder = "accelerators/", kEnding = ".yaml";
  if (file.path.substr(0, kFolder.size()) != kFolder) return {};
  return file.path.substr(kFolder.size(), file.path.size() - kFolder.size() - kEnding.size());
}

}  // namespace

AcceleratorFile read_accelerator(const Document& own) {
  own.allow_only(
      {"name",          "title",           "like",       "family",       "library",          "chip",  "peak",
       "cores",         "multiprocessors", "clock",      "memory",       "memory_bandwidth", "watts", "kernel_launch",
       "product_share", "grid_link",       "slice_link", "through_host", "host_link",        "host",  "price"});
  const Document document = with_likeness(own, "accelerators");  // its name and price are its own
  AcceleratorFile file;
  AcceleratorSpec& spec = file.spec;
  spec.name = own.at("name").text();
  spec.title = own.has("title") ? own.at("title").text() : spec.name;
  spec.family = document.at("family").word<AcceleratorFamily>();
  if (document.has("library")) spec.library = read_library_name(document.at("library"));
  spec.chip = document.has("chip") ? document.at("chip").text() : spec.name;
  for (const auto& [format, figure] : document.at("peak").entries()) {
    if (std::find(names<Precision>().begin(), names<Precision>().end(), format) == names<Precision>().end())
      throw figure.error(unknown_word("precision", format, names<Precision>()));
    spec.peak[parse<Precision>(format)] = read_figure<FlopPerSecond>(figure);
  }
  if (spec.peak.empty()) throw document.at("peak").error("names no precision; give at least one");
  if (document.has("cores")) spec.cores = read_counted(document.at("cores"));
  if (document.has("multiprocessors")) spec.multiprocessors = read_counted(document.at("multiprocessors"));
  if (document.has("clock")) spec.clock = read_figure<PerSecond>(document.at("clock"));
  spec.memory = read_figure<Bytes>(document.at("memory"));
  spec.memory_bandwidth = read_figure<BytesPerSecond>(document.at("memory_bandwidth"));
  if (document.has("watts")) spec.watts = read_power(document.at("watts"));
  spec.kernel_launch = read_figure<Seconds>(document.at("kernel_launch"));
  if (document.has("product_share")) read_product_share(document.at("product_share"), spec);
  if (document.has("grid_link")) read_grid_link(document.at("grid_link"), spec);
  if (document.has("slice_link")) read_slice_link(document.at("slice_link"), spec);
  if (document.has("through_host")) spec.through_host = read_figure<BytesPerSecond>(document.at("through_host"));
  if (document.has("host_link")) spec.host_link = read_figure<BytesPerSecond>(document.at("host_link"));
  if (document.has("host")) spec.host = read_host(document.at("host"), true);
  if (own.has("price")) file.bill = read_bill(own.at("price"));
  return file;
}

const AcceleratorFile& catalogue_accelerator(const std::string& name) {
  static std::map<std::string, AcceleratorFile> read;
  if (const auto found = read.find(name); found != read.end()) return found->second;
  for (const auto& file : topologies_files()) {
    if (name_in(file) != name || name.empty()) continue;
    return read.emplace(name, read_accelerator(Document::embedded(file, std::string(file.path)))).first->second;
  }
  if (const auto meant = name_among(accelerator_names(), name)) return catalogue_accelerator(*meant);
  throw InputError(unknown_word("accelerator", name, accelerator_names()));
}

AcceleratorSpec load_accelerator(const std::string& name) { return catalogue_accelerator(name).spec; }

std::optional<AcceleratorSpec> find_accelerator(const std::string& name) {
  const auto& files = topologies_files();
  const bool known = std::any_of(files.begin(), files.end(),
                                 [&](const EmbeddedFile& file) { return !name.empty() && name_in(file) == name; });
  return known ? std::optional(load_accelerator(name)) : std::nullopt;
}

std::vector<std::string> accelerator_names() {
  std::vector<std::string> names;
  for (const auto& file : topologies_files())
    if (const auto name = name_in(file); !name.empty()) names.emplace_back(name);
  return names;
}

HostSpec read_host(const Document& host, bool shared) {
  host.allow_only(shared ? std::vector<std::string>{"accelerators", "threads", "memory", "storage"}
                         : std::vector<std::string>{"threads", "memory", "storage"});
  HostSpec spec;
  if (shared) spec.accelerators = host.at("accelerators").count(1, kMostParts);
  const auto [threads, source] = read_counted(host.at("threads"));
  spec.threads = {static_cast<double>(threads), source};
  if (host.has("memory")) spec.memory = read_figure<Bytes>(host.at("memory"));
  if (host.has("storage")) spec.storage = read_figure<BytesPerSecond>(host.at("storage"));
  return spec;
}

}  // namespace mlsim::topologies
