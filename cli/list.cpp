#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/list_tables.hpp"
#include "core/errors.hpp"

namespace mlsim::cli {
namespace {

struct ListOptions {
  std::string what;
  std::vector<std::string> profiles;
};

using List = std::pair<std::string, std::function<std::string(const ListOptions&)>>;

// What takes no options.
template <std::string (*text)()>
std::string plain(const ListOptions& options) {
  if (!options.profiles.empty())
    throw InputError("--profile", fmt::format("is of no use to list {}; list profiles takes it", options.what));
  return text();
}

const std::vector<List>& lists() {
  static const std::vector<List> all{
      {"workloads", plain<workloads_text>},
      {"recipes", plain<recipes_text>},
      {"topologies", plain<topologies_text>},
      {"accelerators", plain<accelerators_text>},
      {"profiles", [](const ListOptions& options) { return profiles_text(options.profiles); }},
      {"prices", plain<prices_text>},
      {"collectives", plain<collectives_text>}};
  return all;
}

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const auto& list : lists()) names.push_back(list.first);
  return names;
}

int run_list(const ListOptions& options) {
  if (options.what.empty()) throw InputError(fmt::format("list needs to know what: {}", fmt::join(list_names(), ", ")));
  for (const auto& [name, text] : lists()) {
    if (name != options.what) continue;
    write_result({}, text(options));
    return 0;
  }
  throw InputError(unknown_word("list", options.what, list_names()));
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  const std::string names = fmt::format("{}", fmt::join(list_names(), ", "));
  CLI::App* command = app.add_subcommand("list", "What there is: " + names);
  command->add_option("what", options->what, "One of " + names);
  command->add_option("--profile", options->profiles, "Of profiles: show this one too; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->footer("Example:\n  mlsim list workloads");
  command->callback([options, &action] { action = [options] { return run_list(*options); }; });
}

}  // namespace mlsim::cli
