#include <chrono>
#include <memory>

#include "cli/command.hpp"
#include "cli/prediction_options.hpp"
#include "core/output_file.hpp"
#include "reports/answers/prediction_text.hpp"
#include "sim/answer/predict.hpp"
#include "sim/step/trace.hpp"

namespace mlsim::cli {
namespace {

struct PredictOptions : PredictionOptions {
  std::string trace;
  bool timings = false;
};

int run_predict(const PredictOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const PredictRequest request = request_of(options, "predict");
  check_own_prices({request});
  announce_slow_fidelity(request, options.quiet);
  Timeline timeline;
  const auto started = std::chrono::steady_clock::now();
  Prediction prediction = predict(request, &timeline);
  if (options.timings)
    prediction.simulation.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  // All text is made before the first file is touched.
  const std::string result =
      options.format == "json" ? to_json(prediction) : prediction_text(prediction, in_color(options));
  std::vector<OutputFile> files;
  if (!options.trace.empty()) files.push_back({options.trace, trace_json(timeline)});
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (!to_stdout) files.push_back({options.output, result});
  write_files(files);
  if (to_stdout) write_result({}, result);
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
  command->add_option("--trace", options->trace, "Write the simulated step as a Perfetto trace to this file")
      ->type_name("FILE");
  command->add_flag("--timings", options->timings, "Say how long the answer took, which differs from run to run");
  command->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace mlsim::cli
