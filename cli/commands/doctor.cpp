#include <fmt/format.h>

#include "calibrate/builtin_profiles.hpp"
#include "calibrate/helper_process.hpp"
#include "calibrate/profile/calibration.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/project.hpp"
#include "cli/program/version.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "reports/renderers/renderers.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/engine/simgrid_module.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

// The engine is compared with its closed form on a small torus.
std::string engine_check() {
  const Cluster cluster = build_cluster("torus4x4");
  const auto plan = plan_collective(cluster, CollectiveKind::all_reduce, mebibytes(1), ideal_links());
  const auto simulated = simulate_collective(plan.schedule, cluster, ideal_links(), mebibytes(1), Fidelity::fluid);
  const double error = simulated.time / plan.closed_form - 1;
  return fmt::format("16-rank all-reduce {}, closed form {} ({:+.1e})", to_text(simulated.time),
                     to_text(plan.closed_form), error);
}

// Writes "found: oneDNN 2.6.0, OpenBLAS 0.3.21", or what is missing.
std::string program_state(const ProgramName& program) {
  try {
    std::string text = "found";
    for (const auto& [name, version] : helper_versions(helper_path(program.name, program.install)))
      text += fmt::format("{}{} {}", text == "found" ? ": " : ", ", name, version);
    return text;
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

void add_own(PageItems& facts, const char* what, const std::vector<OwnPath>& list) {
  for (const auto& own : list) facts.items.push_back({what, fmt::format("{} ({})", own.path, own.origin)});
}

// Says what counts besides the catalogue, and that it can be read.
void add_project(PageItems& facts) {
  const Project& own = project();
  facts.items.push_back({"project", own.file.empty() ? "no mlsim.yaml here, and no MLSIM_CONFIG" : own.file});
  for (const auto& path : own_profile_paths({})) load_profile(path);
  own_price_lists({});
  add_own(facts, "own prices", own.prices);
  add_own(facts, "own topologies", own.topologies);
  add_own(facts, "own workloads", own.workloads);
  add_own(facts, "own profiles", own.profiles);
}

std::string chart_library_state() {
  try {
    return chart_library_version();
  } catch (const Unavailable& e) {
    return e.what();
  }
}

int run_doctor() {
  PageItems facts{
      {{"mlsim", to_text(program_version())},
       {"SimGrid", engine_version()},
       {"Chart.js", chart_library_state()},
       {"engine check", engine_check()},
       {"catalogue", fmt::format("{} systems, {} accelerators, {} workloads, {} profiles, {} published cases",
                                 topology_entries().size(), accelerator_names().size(), model_names().size(),
                                 builtin_profiles().size(), published_cases().size())}}};
  add_project(facts);
  for (const auto& program : measuring_programs())
    facts.items.push_back({std::string(program.name), program_state(program)});
  Page page;
  page.add({std::move(facts)});
  write_result({}, terminal_text(page));
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("doctor", "What is installed, what was found, what is missing and how to get it");
  command->footer("Example:\n  mlsim doctor");
  command->callback([&action] { action = run_doctor; });
}

}  // namespace mlsim::cli
