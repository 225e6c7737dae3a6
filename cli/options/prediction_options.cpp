#include "cli/options/prediction_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/project.hpp"
#include "core/text/errors.hpp"
#include "reports/wrapped_text.hpp"
#include "sim/answer/profile_use.hpp"
#include "sim/options/option.hpp"
#include "studies/compare/published_run.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::cli {
namespace {

// Writes "on | off" as it is typed: on|off.
std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

// Writes a word of --parallelism as help lists it: tensor (tp).
std::string word_and_alias(const workloads::ParallelismWord& word) {
  return word.alias.empty() ? word.name : fmt::format("{} ({})", word.name, word.alias);
}

std::string parallelism_summary() {
  std::vector<std::string> all;
  for (const workloads::ParallelismWord& word : workloads::parallelism_words()) all.push_back(word_and_alias(word));
  return fmt::format("{}, or of {}, see below: \"tensor=8,pipeline=4,micro_batches=16\"",
                     workloads::kAutomaticParallelism, fmt::join(all, ", "));
}

// Lists what may stand in --parallelism, each with its meaning.
std::string parallelism_help() {
  constexpr std::size_t kIndent = 24;
  std::string text = "Parallelism, --parallelism WORD=N,...:\n";
  for (const workloads::ParallelismWord& word : workloads::parallelism_words())
    text += labelled_text(padded("   " + word_and_alias(word), kIndent), word.meaning, kIndent);
  return text;
}

// Lists every setting by theme: key=values, and what it means behind or, where there is no room, below.
std::string settings_help(Scope scope) {
  constexpr std::size_t kIndent = 36, kWidest = 76;  // beyond which a line has to break somewhere
  std::string text = "Settings, each --set KEY=VALUE, or several behind one --set:\n", theme;
  for (const Option& option : option_table()) {
    if (option.subject == OptionSubject::job && scope == Scope::step) continue;
    if (option.theme != theme) text += "\n " + option.theme + "\n";
    theme = option.theme;
    std::string head = "   " + option.key + "=" + without_spaces(option.values);
    if (text_width(head) > kWidest) head = "   " + option.key + "=" + option.values;
    if (text_width(head) + 2 > kIndent) {
      text += head + "\n";
      head.clear();
    }
    text += labelled_text(padded(head, kIndent), option.meaning, kIndent);
  }
  return text;
}

}  // namespace

std::string words_help(Scope scope) { return parallelism_help() + "\n" + settings_help(scope); }

void add_prediction_options(CLI::App& command, PredictionOptions& options, Scope scope, const std::string& example) {
  command.add_option("--topology", options.topology, "System: a name (mlsim list topologies) or a YAML file")
      ->type_name("NAME|FILE");
  command
      .add_option("--workload", options.workload,
                  "Model: a name (mlsim list workloads) or a YAML file; or one collective by itself: "
                  "\"all-reduce:payload=1MiB\"")
      ->type_name("NAME|FILE");
  command.add_option("--accelerators", options.accelerators, "Use only this many accelerators of the system")
      ->type_name("N");
  command.add_option("--global-batch", options.global_batch, "Samples per step over all accelerators")->type_name("N");
  command.add_option("--batch-per-accelerator", options.batch_per_accelerator, "Samples per step on each accelerator")
      ->type_name("N");
  command.add_option("--parallelism", options.parallelism, parallelism_summary())->type_name("WORD=N,...|auto");
  command
      .add_option("--precision", options.precision,
                  "fp32, tf32, fp16, bf16, or a recipe: fp8, fp8-block, mxfp8, nvfp4, int8; mixed is fp16")
      ->type_name("FORMAT");
  command.add_flag_callback(
      "--as-is", [&options] { options.as_is = "on"; },
      "Choose nothing for the question: the plain defaults of precision and batch, no split");
  command.add_option("--fidelity", options.fidelity, "closed, folded (default), fluid or message")->type_name("NAME");
  command
      .add_option("--profile", options.profiles, "Measured profile, JSON; may be given several times, the first wins")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--set", options.settings,
                  "Settings key=value, as many as you like, see below; --set may be given several times")
      ->type_name("KEY=VALUE ...")
      ->allow_extra_args(false);
  CLI::Option* date =
      command.add_option("--price-date", options.price_date, "Pay the price of that time, as --set price_date= does")
          ->type_name("YYYY-MM[-DD]");
  CLI::Option* price =
      command
          .add_option("--price", options.own_prices,
                      "Pay your own price: \"p5=98USD/h\", \"h100=2.5USD/h\"; may be given several times")
          ->type_name("NAME=PRICE")
          ->allow_extra_args(false);
  CLI::Option* price_list = command
                                .add_option("--prices", options.price_lists,
                                            "Your own price list, YAML; may be given several times, the first wins")
                                ->type_name("FILE")
                                ->allow_extra_args(false);
  command.add_option("--format", options.format, "text (default) or json")->type_name("NAME");
  command.add_option("--output", options.output, "Write the answer to this file instead of stdout")->type_name("FILE");
  CLI::Option* seed =
      command.add_option("--seed", options.seed, "Seed of everything random in the answer (0)")->type_name("N");
  if (scope == Scope::step) {
    for (CLI::Option* hidden : {date, price, price_list, seed}) hidden->group("");
  }
  command.add_flag("--quiet", options.quiet, "No progress on stderr");
  command.footer([scope] { return words_help(scope); });  // wrapped where it is printed
  command.footer("Example:\n  " + example);
}

void add_like(CLI::App& command, PredictionOptions& options) {
  command
      .add_option("--like", options.like,
                  "Ask as a published run was made: its id, as `mlsim validate published` and answers print it")
      ->type_name("ID");
}

KnownFigures known_figures(const PredictionOptions& options) {
  std::vector<Profile> own;
  for (const auto& path : own_profile_paths(options.profiles)) own.push_back(load_profile(path));
  return {std::move(own), builtin_profiles(), published_anchors(), own_price_lists(options.price_lists)};
}

void read_builtin_figures() {
  builtin_profiles();
  published_anchors().runs();
}

void require_job(const QuestionText& question, const std::string& command) {
  if (question.topology.empty())
    throw InputError(command + " needs --topology; `mlsim list topologies` shows what there is");
  if (question.workload.empty())
    throw InputError(command + " needs --workload; `mlsim list workloads` shows what there is");
}

PredictRequest request_of(const PredictionOptions& options, const std::string& command) {
  if (!options.like.empty()) return published_question(options.like, options, known_figures(options));
  require_job(options, command);
  return studies::request_of(options, known_figures(options));
}

PredictRequest step_request_of(const PredictionOptions& options, const std::string& command) {
  if (!options.price_lists.empty())
    throw InputError("--prices", "is about what a job costs, and changes nothing of a step; `mlsim predict` takes it");
  return request_of(options, command);
}

void check_own_prices(const std::vector<PredictRequest>& requests) {
  const auto billed = [](const OwnPrice& price, const PredictRequest& request) {
    try {
      return applies(price, build_cluster(request.topology, request.accelerators));
    } catch (const Infeasible&) {
      return true;  // the answer will say so
    }
  };
  for (const PredictRequest& request : requests) {
    for (const OwnPrice& price : request.options.price.own) {
      if (std::any_of(requests.begin(), requests.end(), [&](const auto& other) { return billed(price, other); }))
        continue;
      throw InputError("--price", fmt::format("{} is not in the bill of {}, so its price changes nothing", price.name,
                                              request.topology));
    }
  }
}

void warn_of_unused_profiles(const PredictionOptions& options, const std::vector<PredictRequest>& requests) {
  constexpr std::size_t kMostAsked = 32;
  const std::size_t step = 1 + requests.size() / kMostAsked;
  std::vector<PredictRequest> asked;
  for (std::size_t i = 0; i < requests.size(); i += step) asked.push_back(requests[i]);
  const std::string where = step > 1 ? fmt::format(" in the {} answers looked at", asked.size()) : "";
  for (const auto& [place, reason] : unused_profiles(asked, options.profiles.size()))
    say(fmt::format("--profile: {} changed nothing{}: {}", options.profiles[place], where, reason));
}

void announce_messages(const PredictRequest& request, bool quiet) {
  constexpr int kManyRanks = 1000;
  if (quiet || request.fidelity != Fidelity::message) return;
  const int ranks = build_cluster(request.topology, request.accelerators).ranks();
  if (ranks <= kManyRanks) return;
  say(fmt::format(
      "simulating every message of {} ranks, which takes seconds for 4 000 and minutes for 20 000; --fidelity folded "
      "takes far less",
      count_text(ranks)));
}

bool in_color(const PredictionOptions& options) {
  return options.output.empty() && isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace mlsim::cli
