#include "topologies/machine/machine_file.hpp"

#include <algorithm>

#include "topologies/machine/sourced_figure.hpp"

namespace mlsim::topologies {
namespace {

// Reads {value: 0.6, provenance: ..., source: ...} or a bare 0.6, which counts as assumed.
Sourced<double> read_share(const Document& share) {
  const auto [value, source] = sourced_value(share);
  const double part = value.number();
  if (!(part >= kLeastShare && part <= 1)) throw value.error("is a share: from 0.000001 to 1");
  return {part, source};
}

void check_library(const Document& place, const std::string& name) {
  const auto& known = library_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw place.error(unknown_word("communication library", name, known));
}

LibraryNetwork read_library(const Document& library) {
  library.allow_only({"share", "message", "call", "sum_16"});
  LibraryNetwork spec;
  spec.share = read_share(library.at("share"));
  spec.message = read_figure<Seconds>(library.at("message"));
  if (library.has("call")) spec.call = read_figure<Seconds>(library.at("call"));
  if (library.has("sum_16")) spec.sum_16 = read_figure<Seconds>(library.at("sum_16"));
  return spec;
}

}  // namespace

const std::vector<std::string>& library_names() {
  static const std::vector<std::string> names{"nccl", "mpi", "gloo", "rccl"};
  return names;
}

std::string read_library_name(const Document& document) {
  check_library(document, document.text());
  return document.text();
}

NetworkSpec read_network(const Document& network) {
  NetworkSpec spec;
  for (const auto& [library, entry] : network.entries()) {
    check_library(entry, library);
    spec.emplace(library, read_library(entry));
  }
  if (spec.empty()) throw network.error("names no communication library");
  return spec;
}

}  // namespace mlsim::topologies
