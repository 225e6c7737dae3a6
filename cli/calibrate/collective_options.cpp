#include "cli/calibrate/collective_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::cli {
namespace {

CollectiveKind measured_kind(const std::string& word) {
  std::vector<std::string> names;
  for (const auto kind : measured_kinds())
    names.emplace_back(kind == CollectiveKind::send_receive ? "point-to-point" : name(kind));
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("collective", word, names));
  return measured_kinds()[found - names.begin()];
}

double step_factor(const std::string& text) {
  const double factor = parse_number(text);
  if (!(factor > 1)) throw InputError(fmt::format("{:g} is not above 1, so payloads would not rise", factor));
  return factor;
}

// Payloads are on nccl-tests' grid; a list that is asked for by name is cut to what lies between the two ends.
void choose_payloads(CollectiveChoices& choices, const CalibrateOptions& options) {
  choices.sizes = options.sizes;
  choices.grid = options.quick ? kQuickGrid : PayloadGrid{};
  if (!options.min_bytes.empty())
    choices.smallest = choices.grid.begin = parsed("--min-bytes", options.min_bytes, parse_payload);
  if (!options.max_bytes.empty())
    choices.largest = choices.grid.end = parsed("--max-bytes", options.max_bytes, parse_payload);
  if (!options.step_factor.empty()) choices.grid.factor = parsed("--step-factor", options.step_factor, step_factor);
  if (!options.sizes.empty()) {
    check_word("--sizes", options.sizes, payload_size_names());
    if (!options.step_factor.empty())
      throw InputError("--step-factor", fmt::format("has no meaning beside --sizes {}, whose payloads are given; "
                                                    "leave out one of them",
                                                    options.sizes));
  }
  const bool grid = options.sizes.empty();
  const Bytes least = grid ? choices.grid.begin : choices.smallest, most = grid ? choices.grid.end : choices.largest;
  if (least > most)
    throw InputError(options.min_bytes.empty() ? "--max-bytes" : "--min-bytes",
                     fmt::format("the smallest payload, {}, is above the largest, {}", to_text(least), to_text(most)));
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path == nullptr ? "" : path, ':'))
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

void add_collective_options(CLI::App& command, CalibrateOptions& options) {
  const auto add = [&](const char* name, std::string& value, const char* meaning, const char* type) {
    command.add_option(name, value, meaning)->type_name(type)->group("Of collectives, under mpirun");
  };
  add("--collectives", options.collectives,
      "all (default), or of all-reduce, reduce-scatter, all-gather, broadcast, all-to-all, point-to-point", "KIND,...");
  add("--library", options.communicator, "mpi (default), gloo, nccl", "NAME,...");
  add("-b,--min-bytes", options.min_bytes, "Smallest payload (8): 8, 1K, 128M as in nccl-tests, or 16 MiB", "SIZE");
  add("-e,--max-bytes", options.max_bytes, "Largest payload (128M)", "SIZE");
  add("-f,--step-factor", options.step_factor, "From one payload to the next (2)", "FACTOR");
  add("--sizes", options.sizes,
      "A list of payloads instead, of which -b and -e keep what lies between: task0 (MLBench's), nccl-tests or quick",
      "NAME");
}

CollectiveChoices collective_choices(const CalibrateOptions& options) {
  CollectiveChoices choices;
  choices.kinds = options.collectives.empty() || options.collectives == "all"
                      ? measured_kinds()
                      : parsed_list("--collectives", options.collectives, measured_kind);
  choices.libraries = split(options.communicator.empty() ? "mpi" : options.communicator, ',');
  for (const auto& library : choices.libraries) check_word("--library", library, {"mpi", "gloo", "nccl"});
  choices.precisions =
      parsed_list("--precision", options.precision.empty() ? "fp32,fp16" : options.precision, parse<Precision>);
  for (const auto precision : choices.precisions)
    check_word("--precision", std::string(name(precision)), {"fp32", "fp16"});
  choose_payloads(choices, options);
  choices.rule = stopping_rule(options);
  choices.seed = seed_of(options);
  return choices;
}

void refuse_collective_options(const CalibrateOptions& options) {
  const std::vector<std::pair<const char*, const std::string*>> given{{"--collectives", &options.collectives},
                                                                      {"--library", &options.communicator},
                                                                      {"--sizes", &options.sizes},
                                                                      {"--min-bytes", &options.min_bytes},
                                                                      {"--max-bytes", &options.max_bytes},
                                                                      {"--step-factor", &options.step_factor}};
  for (const auto& [option, value] : given) {
    if (value->empty()) continue;
    if (!is_installed("mpirun"))
      throw Unavailable(
          fmt::format("{}: collectives are measured between ranks that mpirun starts, and there is no "
                      "mpirun; it needs Open MPI (apt-get install openmpi-bin)",
                      option));
    throw InputError(option,
                     "collectives are measured between ranks, which mpirun starts: mpirun -n 2 mlsim calibrate");
  }
}

}  // namespace mlsim::cli
