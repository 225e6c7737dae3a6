#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "cli/command.hpp"
#include "cli/list_tables.hpp"
#include "core/errors.hpp"

namespace mlsim {
namespace {

using List = std::pair<std::string, std::string (*)()>;

const std::vector<List>& lists() {
  static const std::vector<List> all{{"workloads", workloads_text},    {"recipes", recipes_text},
                                     {"topologies", topologies_text},  {"accelerators", accelerators_text},
                                     {"profiles", profiles_text},      {"prices", prices_text},
                                     {"collectives", collectives_text}};
  return all;
}

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const auto& list : lists()) names.push_back(list.first);
  return names;
}

int run_list(const std::string& what) {
  if (what.empty()) throw InputError(fmt::format("list needs to know what: {}", fmt::join(list_names(), ", ")));
  for (const auto& [name, text] : lists()) {
    if (name != what) continue;
    write_result({}, text());
    return 0;
  }
  throw InputError(unknown_word("list", what, list_names()));
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto what = std::make_shared<std::string>();
  const std::string names = fmt::format("{}", fmt::join(list_names(), ", "));
  CLI::App* command = app.add_subcommand("list", "What there is: " + names);
  command->add_option("what", *what, "One of " + names);
  command->footer("Example:\n  mlsim list workloads");
  command->callback([what, &action] { action = [what] { return run_list(*what); }; });
}

}  // namespace mlsim
