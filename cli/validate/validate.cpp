#include "cli/program/command.hpp"
#include "cli/validate/validate_options.hpp"

namespace mlsim::cli {

void add_validate(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("validate", "Predictions against runs that really happened; exit 1 beyond the bound");
  command.require_subcommand(0, 1);  // a file may have the name of another way
  add_validate_published(command, action);
  const char *const text = "text (default)", *const text_json = "text (default) or json",
                    *const text_json_markdown = "text (default), json or markdown";
  add_way(command, action,
          {"questions", "The same runs, asked twelve ways: from as people type to as the tables state it",
           text_json_markdown, Uses::simulation, validate_questions});
  add_way(command, action,
          {"convergence", "Epochs to target, each result left out and predicted from the others", text_json,
           Uses::nothing, validate_convergence});
  add_way(command, action,
          {"transfer", "Runs on one accelerator from runs on another", text_json, Uses::cases, validate_transfer});
  add_way(command, action,
          {"anchors", "The speed of kernels that each anchor gives, as a factor on the efficiency curve; CSV", text,
           Uses::cases, validate_anchors});
  add_way(command, action,
          {"speeds", "What chip, network and software have each to do with the anchors' speeds; CSV", text, Uses::cases,
           validate_speeds});
  add_way(command, action,
          {"rates", "The throughput that each time to a target gives; CSV", text, Uses::cases, validate_rates});
  add_way(command, action,
          {"unseen", "What is said of each run without its own rows, as stands beside answers; CSV", text, Uses::cases,
           validate_unseen});
  add_way(command, action,
          {"sources", "What the documents say that mlsim starts from, asked as they say it and as people type",
           text_json_markdown, Uses::nothing, validate_sources});
  add_validate_trace(command, action);
  add_validate_replay(command, action);
  command.footer(
      "Columns of a CSV file of cases: id, source, topology, accelerators, workload, precision, global_batch,\n"
      "options, metric, value, unit, relative_uncertainty, role (anchor or check), citation.\n\n"
      "Examples:\n  mlsim validate questions --format markdown --output docs/accuracy.md --board docs/board.csv\n"
      "  mlsim validate trace rank*.json.gz --topology dgx-a100:nodes=2\n"
      "  mlsim validate replay run.json --profile profile.json --topology machine.yaml");
}

}  // namespace mlsim::cli
