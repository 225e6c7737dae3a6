#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/prediction_options.hpp"
#include "cli/options/report_file.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/units_text.hpp"
#include "reports/answers/answer_texts.hpp"
#include "reports/pages/pages.hpp"
#include "sim/answer/predict.hpp"
#include "sim/step/timeline.hpp"
#include "studies/compare/job_study.hpp"
#include "studies/compare/published_run.hpp"

namespace mlsim::cli {
namespace {

struct PredictOptions : PredictionOptions {
  std::string trace, report, measured;
  PageOrigin origin;
  bool timings = false, sources = false, verbose = false;
};

Page page_of(const PredictRequest& request, const PredictOptions& options, const Prediction& prediction,
             const Timeline& timeline) {
  if (prediction.collective) return prediction_page(prediction, options.origin);
  return prediction_page(job_study(request, prediction, timeline, {{}, 0, say}), options.origin);
}

void check_page_options(const PredictOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  for (const auto& [name, given] : {std::pair("--sources", options.sources), std::pair("--verbose", options.verbose)}) {
    if (given && options.format == "json") throw InputError(name, "is of the text; JSON holds everything");
    if (given && options.quiet) throw InputError(name, "asks for more, --quiet for the headline alone");
  }
}

std::string result_text(const Prediction& prediction, const PredictOptions& options) {
  const bool color = in_color(options);
  if (options.format == "json") return to_json(prediction);
  if (options.verbose) return prediction_text(prediction, page_columns(), color);
  if (options.quiet) return headline_text(prediction, page_columns(), color);
  return answer_text(prediction, {color, page_columns(), options.sources});
}

Seconds measured_time(const std::string& text, const PredictRequest& request) {
  const Seconds time = parsed("--measured", text, parse_quantity<Seconds>);
  if (!(time > Seconds(0))) throw InputError("--measured", "must be more than no time");
  if (names_collective(request.workload))
    throw InputError("--measured", "is the time of a step; `mlsim diagnose` reads measured collectives");
  return time;
}

int run_predict(const PredictOptions& options) {
  check_page_options(options);
  const PredictRequest request = request_of(options, "predict");
  std::optional<Seconds> measured;
  if (!options.measured.empty()) measured = measured_time(options.measured, request);
  check_own_prices({request});
  check_report_path("--report", options.report);
  announce_messages(request, options.quiet);
  Timeline timeline;
  const auto started = std::chrono::steady_clock::now();
  Prediction prediction = predict(request, &timeline);
  const bool headline_alone = options.quiet && options.format == "text";
  if (!headline_alone) add_published_run(prediction, request);
  if (measured) prediction.measured = measured_step(request, prediction, *measured);
  if (options.timings)
    prediction.simulation.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::vector<OutputFile> files;
  if (!options.trace.empty() && prediction.collective)
    throw InputError("--trace", "has no meaning for a collective by itself");
  if (!options.trace.empty()) files.push_back({options.trace, trace_json(timeline)});
  if (!options.report.empty())
    files.push_back(report_file(page_of(request, options, prediction, timeline), options.report));
  write_result(options.output, result_text(prediction, options), std::move(files));
  warn_of_unused_profiles(options, {request});
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command =
      app.add_subcommand("predict", "Step time, throughput, time to target and cost of one training job");
  add_prediction_options(*command, *options, Scope::job,
                         "mlsim predict --topology dgx-a100:nodes=2 --workload resnet50 --global-batch 3264 "
                         "--format json");
  add_like(*command, *options);
  command->add_option("--measured", options->measured, "A step that you timed, \"340ms\": is that normal here?")
      ->type_name("TIME");
  command->add_option("--trace", options->trace, "Write the simulated step as a Perfetto trace to this file")
      ->type_name("FILE");
  command->add_flag("--sources", options->sources, "With the source of every figure that the answer rests on");
  command->add_flag("--verbose", options->verbose, "The whole answer: every part of step, memory and job, and sources");
  command->get_option("--quiet")->description("The headline alone, and no progress on stderr");
  add_report_option(*command, options->report);
  command->add_flag("--timings", options->timings, "Say how long the answer took, which differs from run to run");
  command->callback([options, command, &action] {
    options->origin = page_origin(*command);
    action = [options] { return run_predict(*options); };
  });
}

}  // namespace mlsim::cli
