// `mlsim export` writes a simulated step in a form that other programs read.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/options/prediction_options.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "interop/chakra/execution_trace.hpp"
#include "interop/chakra/step_export.hpp"
#include "reports/pages/pages.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/expert/settled_question.hpp"
#include "sim/explain/explain.hpp"
#include "sim/step/step.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kExportExample =
    "mlsim export chakra --topology dgx-a100:nodes=2 --workload bert-large --output bert\n\n"
    "chakra writes an execution trace for each rank, PREFIX.0.et, PREFIX.1.et, ..., as ASTRA-sim reads them:\n"
    "--workload-configuration=PREFIX, and where there are groups --comm-group-configuration=PREFIX.groups.json.";

struct ExportOptions : PredictionOptions {
  std::string form;
};

std::vector<OutputFile> chakra_files(const interop::EtExport& exported, const std::string& prefix) {
  std::vector<OutputFile> files;
  for (std::size_t rank = 0; rank < exported.ranks.size(); ++rank)
    files.push_back({fmt::format("{}.{}.et", prefix, rank), interop::et_bytes(exported.ranks[rank])});
  if (exported.groups.empty()) return files;
  const std::string path = prefix + ".groups.json";
  if (path.find("empty") != std::string::npos)
    throw InputError("--output", "holds the word \"empty\", and ASTRA-sim reads no file of groups whose path does");
  files.push_back({path, interop::groups_json(exported.groups)});
  return files;
}

int run_export(const ExportOptions& options) {
  if (options.form.empty()) throw InputError("FORM", "is needed: chakra");
  check_word("FORM", options.form, {"chakra"});
  check_word("--format", options.format, {"text"});
  if (options.output.empty() || options.output == "-")
    throw InputError("--output", "is needed: what the names of the files begin with");
  const PredictRequest request = step_request_of(options, "export");
  sim::check_of_one_step(request);
  const sim::SettledQuestion question = sim::settled(request);
  const auto step = sim::costed_step(question.request);
  const auto exported = interop::exported_step(step);
  write_files(chakra_files(exported, options.output));
  const auto outcome = sim::simulate_step(step.inputs(request.fidelity));
  write_result(
      {}, terminal_text(reports::export_page(exported, options.output, outcome.time, step.cost().framework_time())));
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Writes a simulated step as other programs read it: Chakra execution traces");
  command->add_option("FORM", options->form, "chakra")->type_name("FORM");
  add_prediction_options(*command, *options, Scope::step, kExportExample);
  command->get_option("--output")->description("What the names of the files begin with")->type_name("PREFIX");
  command->get_option("--format")->group("");
  command->callback([options, &action] { action = [options] { return run_export(*options); }; });
}

}  // namespace mlsim::cli
