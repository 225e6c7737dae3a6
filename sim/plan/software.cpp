#include "sim/plan/software.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "sim/evidence/software_class.hpp"
#include "sim/evidence/stack_year.hpp"
#include "sim/parameter_server/server_options.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/initialisation/initialisation.hpp"

namespace mlsim::sim {
namespace {

using Terms = std::vector<const StackTerm*>;

// Lists the terms that suit the family, of one accelerator or of all ("") in the order of the profiles.
Terms suitable(const ProfileRefs& profiles, const std::string& accelerator, const std::string& family) {
  Terms terms;
  for (const Profile& profile : profiles) {
    if (!accelerator.empty() && profile.accelerator != accelerator) continue;
    for (const auto& term : profile.stacks) {
      if (term.family.empty() || term.family == family) terms.push_back(&term);
    }
  }
  return terms;
}

// Returns the first term of stack `name`, one of the family's own before one of any; null where there is none.
const StackTerm* of_name(const Terms& terms, const std::string& name) {
  const StackTerm* found = nullptr;
  for (const auto* term : terms) {
    if (term->stack == name && (found == nullptr || (found->family.empty() && !term->family.empty()))) found = term;
  }
  return found;
}

// Returns the stack with the longest name that `asked` goes on from; null where there is none.
const StackTerm* stem_of(const Terms& terms, const std::string& asked) {
  const StackTerm* longest = nullptr;
  for (const auto* term : terms) {
    if (goes_on_from(asked, term->stack) && (longest == nullptr || term->stack.size() > longest->stack.size()))
      longest = term;
  }
  return longest == nullptr ? nullptr : of_name(terms, longest->stack);
}

bool is_gpu(const std::string& accelerator) {
  const auto spec = topologies::find_accelerator(accelerator);
  return spec && spec->family == AcceleratorFamily::gpu;
}

// Returns a stack of which no time is known on the accelerator. GPUs run the same code, so it lays out a step as the
// first stack of another GPU does.
StackTerm without_times(const ProfileRefs& profiles, const std::string& accelerator, const std::string& family,
                        const std::string& asked) {
  StackTerm none;
  if (is_gpu(accelerator)) {
    for (const Profile& profile : profiles) {
      const Terms terms = is_gpu(profile.accelerator) ? suitable(profiles, profile.accelerator, family) : Terms();
      if (terms.empty()) continue;
      none.overlap = of_name(terms, terms.front()->stack)->overlap;
      break;
    }
  }
  none.stack = asked;
  none.source = {Provenance::assumed, fmt::format("no stack is known for {}; no fixed step time assumed", accelerator),
                 ""};
  return none;
}

// Throws InputError where `asked` is no stack of profiles, anchors or frameworks, and none of the `classes`.
void check_known(const ProfileRefs& profiles, const Evidence& anchors, const std::string& asked,
                 const std::vector<std::string>& classes = names<SoftwareClass>()) {
  std::vector<std::string> known = classes;
  for (const Profile& profile : profiles) {
    for (const auto& term : profile.stacks) known.push_back(term.stack);
  }
  for (const FrameworkStart& framework : initialisation_catalogue().frameworks)
    known.insert(known.end(), framework.stacks.begin(), framework.stacks.end());
  if (std::find(known.begin(), known.end(), asked) != known.end() || anchors.knows_stack(asked)) return;
  for (const ParsedAnchor& anchor : anchors) {
    if (const auto& stack = anchor.options.software.stack; !stack.empty()) known.push_back(stack);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw InputError(fmt::format("--set stack={}", asked), unknown_word("stack", asked, known));
}

// Returns the round of the stack asked for; without one, the newest of the profiles' stacks for the accelerator, up to
// the year asked for.
std::optional<double> round_of(const PredictRequest& request, const std::string& accelerator) {
  if (const std::string& stack = request.options.software.stack; !stack.empty()) return mlperf_round(stack);
  std::optional<double> newest;
  for (const Profile& profile : profiles_of(request)) {
    if (profile.accelerator != accelerator) continue;
    for (const StackTerm& term : profile.stacks)
      if (!later_than(request.options.software.year, term.stack)) newest = std::max(newest, mlperf_round(term.stack));
  }
  return newest;
}

// Throws InputError for settings of a recipe where there is none.
void check_no_recipe(const JobOptions& job, const Model& model) {
  const auto check = [&](bool asked, const std::string& setting) {
    if (asked)
      throw InputError("--set " + setting, fmt::format("nothing is known of the convergence of {}; `mlsim list "
                                                       "recipes` shows the benchmarks with recipes",
                                                       model.name));
  };
  check(!job.recipe.empty(), "recipe=" + job.recipe);
  check(job.target.has_value(), "target=");
  check(job.target_loss.has_value(), "target_loss=");
  check(job.learning_rate.has_value(), "learning_rate=");
}

std::string named_or_usual_recipe(const PredictRequest& request, const Model& model,
                                  const AcceleratorSpec& accelerator) {
  const std::string& asked = request.options.job.recipe;
  std::vector<std::string> known;
  for (const auto& recipe : recipes(model.benchmark)) known.push_back(recipe.name);
  if (asked.empty()) {
    if (const auto usual = recipe_of(model.benchmark, accelerator.name);
        usual && request.options.software.stack.empty())
      return *usual;
    const std::string family(name(accelerator.family));
    const auto round = round_of(request, accelerator.name);
    return round ? recipe_of_round(model.benchmark, family, *round) : default_recipe(model.benchmark, family);
  }
  if (std::find(known.begin(), known.end(), asked) == known.end()) {
    throw InputError(fmt::format("--set recipe={}", asked), unknown_word("recipe", asked, known));
  }
  return asked;
}

// A recipe is the one that is named, or the usual one, or another that reaches the target that is asked for.
std::string choose_recipe(const PredictRequest& request, const Model& model, const Cluster& cluster) {
  const JobOptions& job = request.options.job;
  if (model.benchmark.empty()) {
    check_no_recipe(job, model);
    return {};
  }
  const ConvergenceTable& table = convergence_table(model.benchmark);
  const Recipe* recipe = &table.recipe(named_or_usual_recipe(request, model, cluster.accelerator));
  if (const auto asked = asked_target(job)) {
    const Recipe& reaching = recipe_to_target(table, *recipe, *asked);
    if (&reaching != recipe && !job.recipe.empty())
      throw InputError(fmt::format("--set recipe={}", job.recipe),
                       fmt::format("does not go to the {} {:g}; {} does", asked->loss ? "loss" : "target", asked->value,
                                   reaching.name));
    recipe = &reaching;
  }
  if (job.learning_rate) check_learning_rate(*recipe, *job.learning_rate, cluster.ranks());
  return recipe->name;
}

// Returns the terms of `stack` with servers, which a profile has under its name and "-servers"; else the stack's own.
StackTerm with_servers(StackTerm stack, const std::string& accelerator, const ProfileRefs& profiles) {
  const std::string name = stack.stack + "-servers";
  for (const Profile& profile : profiles) {
    if (profile.accelerator != accelerator) continue;
    for (const StackTerm& term : profile.stacks)
      if (term.stack == name) stack = term;
  }
  return stack;
}

// A language model's stack is a class of software: the one that is named, that of a stack that is named, or the usual.
StackTerm class_stack(const ProfileRefs& profiles, const Evidence& anchors, const AcceleratorSpec& accelerator,
                      const SoftwareOptions& asked) {
  const auto of_name = class_of_stack(asked.stack, accelerator.family);
  if (!asked.stack.empty() && !of_name) {
    check_known(profiles, anchors, asked.stack, software_stems());
    throw InputError("--set stack=" + asked.stack,
                     fmt::format("is no software of language models; these are {}", fmt::join(software_stems(), ", ")));
  }
  return class_terms(of_name.value_or(usual_class(accelerator.family)), accelerator, asked.launch,
                     is_run_by_xla(asked.stack));
}

// Returns the user's own terms of stack `asked` on the accelerator; null where there are none.
const StackTerm* find_terms(const std::vector<Profile>& own, const std::string& accelerator, const std::string& asked) {
  for (const Profile& profile : own) {
    if (profile.accelerator != accelerator) continue;
    for (const StackTerm& term : profile.stacks)
      if (!asked.empty() && term.stack == asked) return &term;
  }
  return nullptr;
}

// Says by which way software of a class that is named launches kernels; empty of tuned software and of a stack without a
// class, whose own times have it.
std::optional<LaunchMode> launch_of(const std::string& stack, const AcceleratorSpec& accelerator) {
  const auto software = class_of_stack(stack, accelerator.family);
  if (!software || *software == SoftwareClass::tuned) return std::nullopt;
  return usual_launch(*software);
}

// Says whether other software than PyTorch's own is known to have run the network on the chip.
bool ran_otherwise(const Evidence& anchors, const Model& model, const AcceleratorSpec& accelerator) {
  const auto runs = anchors.of_network(std::string(network_name(model.name)));
  return std::any_of(runs.begin(), runs.end(), [&](const Evidence::Run& each) {
    return each.traits.chip.kind == accelerator.chip && !launch_of(each.run.options.software.stack, accelerator);
  });
}

// Says how the kernels of a network that is no language model reach a GPU: as asked, or as software of the class does
// that is named. Where none is named and the network is no benchmark's, for which it would be tuned, it is PyTorch's, but
// on chips that have terms of the user's own or are known to have run it otherwise. Empty: the stack's own times have it.
std::optional<LaunchMode> way_to_launch(const PredictRequest& request, const Model& model,
                                        const AcceleratorSpec& accelerator) {
  const SoftwareOptions& asked = request.options.software;
  if (asked.launch) return asked.launch;
  const auto& own = request.own_profiles;
  const auto measured = [&](const Profile& profile) { return profile.accelerator == accelerator.name; };
  if (accelerator.family != AcceleratorFamily::gpu || std::any_of(own.begin(), own.end(), measured))
    return std::nullopt;
  if (!asked.stack.empty()) return launch_of(asked.stack, accelerator);
  if (!model.benchmark.empty() || ran_otherwise(request.anchors, model, accelerator)) return std::nullopt;
  return LaunchMode::eager;
}

// Chooses whose terms hold: of a language model a class of software, but where the user has terms of the stack.
StackTerm stack_of(const PredictRequest& request, const Model& model, const AcceleratorSpec& accelerator) {
  const SoftwareOptions& asked = request.options.software;
  if (is_language_model(model.sort) && accelerator.family != AcceleratorFamily::cpu &&
      find_terms(request.own_profiles, accelerator.name, asked.stack) == nullptr)
    return class_stack(profiles_of(request), request.anchors, accelerator, asked);
  if (asked.launch && accelerator.family != AcceleratorFamily::gpu)
    throw InputError(
        fmt::format("--set launch={}", name(*asked.launch)),
        fmt::format("is of kernels that a host launches on a GPU; what {} takes for {} is a constant of its "
                    "software",
                    accelerator.title, model.name));
  StackTerm term = choose_stack(profiles_of(request), request.anchors, accelerator.name,
                                std::string(name(model.family)), asked.stack, asked.year);
  if (const auto launch = way_to_launch(request, model, accelerator)) {
    term.dispatch = term.per_kernel = Seconds(0);
    term.host_per_kernel = host_time(*launch);
  }
  return term;
}

}  // namespace

std::optional<AskedTarget> asked_target(const JobOptions& job) {
  if (job.target) return AskedTarget{*job.target, false};
  if (job.target_loss) return AskedTarget{*job.target_loss, true};
  return std::nullopt;
}

StackTerm choose_stack(const ProfileRefs& profiles, const Evidence& anchors, const std::string& accelerator,
                       const std::string& family, const std::string& asked, std::optional<int> last_year) {
  if (!asked.empty()) check_known(profiles, anchors, asked);
  Terms terms = suitable(profiles, accelerator, family);
  const auto later = [&](const StackTerm* term) { return later_than(last_year, term->stack); };
  if (asked.empty() && !std::all_of(terms.begin(), terms.end(), later)) std::erase_if(terms, later);
  if (terms.empty()) {
    if (const auto* elsewhere = of_name(suitable(profiles, "", family), asked)) return *elsewhere;
    return without_times(profiles, accelerator, family, asked);
  }
  if (asked.empty()) return *of_name(terms, terms.front()->stack);
  if (const auto* same = of_name(terms, asked)) return *same;
  const StackTerm* near = stem_of(terms, asked);
  if (near == nullptr) near = of_name(terms, terms.front()->stack);
  StackTerm term = *near;
  term.source = {Provenance::assumed, fmt::format("terms of {}, the nearest known stack", near->stack), ""};
  term.stack = asked;
  return term;
}

Software choose_software(const PredictRequest& request, const Model& model, const Cluster& cluster) {
  const ProfileRefs profiles = profiles_of(request);
  const AcceleratorSpec& accelerator = cluster.accelerator;
  std::string recipe = choose_recipe(request, model, cluster);
  StackTerm stack = stack_of(request, model, accelerator);
  std::optional<ServerPlan> servers = choose_servers(request.options.software.servers, model, cluster);
  if (servers) stack = with_servers(std::move(stack), accelerator.name, profiles);
  const bool to_target = !recipe.empty() && (model.changed.empty() || !request.options.job.recipe.empty());
  return {std::move(recipe), to_target, std::move(servers), std::move(stack)};
}

}  // namespace mlsim::sim
