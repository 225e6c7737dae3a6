#include "cli/command.hpp"
#include "cli/validate/validate_options.hpp"

namespace mlsim::cli {

void add_validate(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("validate", "Predictions against runs that really happened; exit 1 beyond the bound");
  command.require_subcommand(0, 1);  // a file may have the name of another way
  add_validate_published(command, action);
  add_validate_questions(command, action);
  add_validate_convergence(command, action);
  add_validate_transfer(command, action);
  add_validate_anchors(command, action);
  add_validate_rates(command, action);
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
