// These pages show the results of commands, a function each; a terminal gets a page, and what is called a report has
// charts and sliders besides.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/measure_plan.hpp"
#include "core/profile/profile.hpp"
#include "core/result/explanation.hpp"
#include "core/result/replay_run.hpp"
#include "core/units.hpp"
#include "interop/chakra/chakra_replay.hpp"
#include "interop/chakra/step_export.hpp"
#include "interop/logs/slurm_jobs.hpp"
#include "replay/diagnosis/cause.hpp"
#include "replay/trace/recorded_run.hpp"
#include "replay/validation/published_traces.hpp"
#include "replay/validation/replay_error.hpp"
#include "replay/validation/trace_validation.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/sections.hpp"
#include "reports/saved_result.hpp"
#include "studies/compare/comparison.hpp"
#include "studies/compare/job_study.hpp"
#include "studies/plan/plan.hpp"
#include "studies/sources/source_score.hpp"
#include "validation/questions/questions.hpp"
#include "validation/scores/convergence_errors.hpp"
#include "validation/scores/transfer.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// The page of one job shows its answer, how it scales, what it costs, why it takes as long, and what it rests on.
Page prediction_page(const JobStudy& study, const PageOrigin& origin);

/// The page of a saved answer is without what only a new prediction gives.
Page prediction_page(const Prediction& answer, const PageOrigin& origin);

/// The page has the critical path, what it is made of, and what would shorten it.
Page explanation_page(const Explanation& explanation);

/// A terminal gets this page: the answers side by side, what they have in common, who was refused and why, and
/// warnings.
Page comparison_page(const Comparison& comparison);

/// A report is the same with charts and sliders.
Page comparison_report(const Comparison& comparison, const PageOrigin& origin);

/// A terminal gets this page: the choice, the front, what would change it, what is left out.
Page plan_page(const CapacityPlan& plan);

/// A report is the same with charts, sliders and all candidates. `chosen` is the study of the chosen candidate's job;
/// empty where nothing is chosen.
Page plan_report(const CapacityPlan& plan, const std::optional<JobStudy>& chosen, const PageOrigin& origin);

/// The page has rows of so many points; the store, and its CSV, have all.
inline constexpr std::size_t kPagePoints = 2000;

/// A terminal gets this page: how many points were answered and why others were not, and the first of those that no
/// other point beats in both time to target and cost, or `all`; what is left out is said.
Page sweep_page(const std::string& store, bool all = false);

/// A report has all points with charts and sliders; the quickest stand first, without times to a target those of the
/// highest throughput.
Page sweep_report(const std::string& store, const PageOrigin& origin);

/// There must be at least one result. Throws InputError where several are validations: they would be one page twice.
Page saved_page(std::vector<SavedResult> results, const PageOrigin& origin);

/// The table has a row for each group: its errors, those of the linear baseline, its bounds and whether it keeps them.
Table groups_table(const ValidationReport& report);

/// A terminal gets this page: a row per case under its group, refused cases with the reason, then the groups and what
/// they miss.
Page validation_page(const ValidationReport& report);

/// These are sections of docs/accuracy.md: how to read it, the groups, the words of trust.
std::vector<PageSection> published_sections(const ValidationReport& report);

/// A report has charts of all cases and groups.
Page validation_report(const ValidationReport& report, const PageOrigin& origin);

/// A terminal gets this page: the questions, and what is to be reached.
Page questions_page(const std::vector<QuestionScore>& scores);

/// docs/accuracy.md is this page: the questions, runs of ours, real traces, then the groups of the plain one.
Page accuracy_page(const std::vector<QuestionScore>& scores, const PublishedTraceResults& traces,
                   const ValidationReport& plain);

/// The page has a row for each benchmark and way of leaving out.
Page convergence_page(const ConvergenceErrors& errors);

/// The page has a row for each pair of runs, then the errors of each pair of generations and of all.
Page transfer_page(const TransferErrors& errors);

/// The page counts verdicts by document and way of asking, beside them the figures that are inputs and the constants of
/// `profiles` and other catalogues that they set, then shows each item; `docs/sources.md` is written of it.
Page sources_page(const std::vector<ItemScore>& items, const std::vector<Profile>& profiles);

/// Shows what was recorded, each rank's median step, the collectives with their bus bandwidth, and warnings.
Page trace_page(const RecordedRun& run);

/// This page sets a recorded step against the same step replayed.
Page trace_validation_page(const TraceValidation& validation);

/// A terminal gets this page.
Page traces_page(const PublishedTraceResults& results);
/// This is a section of docs/accuracy.md.
PageSection traces_section(const PublishedTraceResults& results);

/// `mlsim validate replay` prints this page; `bound` is the largest relative error that passes.
Page replay_error_page(const ReplayRun& run, const ReplayError& error, double bound);

Page replay_page(const ReplayRun& run);

/// Writes "resnet20-cifar, 32 samples a rank, all-reduce by gloo, 4 ranks on 2 hosts".
std::string replay_title(const ReplayRun& run);

/// The page has the causes by likelihood, the evidence for each in a sentence, and the test that tells the two
/// likeliest apart.
Page diagnosis_page(const Diagnosis& diagnosis);

/// This page shows a step of Chakra execution traces on a machine.
Page chakra_page(const ChakraReplay& replay);

/// `time` is that of the simulated step; `framework` is what passes before its first kernel, which no node stands for.
Page export_page(const EtExport& exported, const std::string& prefix, Seconds time, Seconds framework);

/// This page says how often a cluster's machines fail or are taken away, and what `mlsim predict` takes of it.
Page slurm_page(const SlurmJobs& jobs);

/// The page has a row a measurement in the order in which they run, and the total.
Page measure_plan_page(const MeasurePlan& plan, std::optional<Seconds> time_limit);

/// The page has a row a measurement: what steps run by share, then the rest by name; what was unavailable is left out,
/// and below how many ran in a library's reference implementation. Then a row a law: what it covers, its constants, how
/// well it fits and how well it foretells the largest kernels.
Page calibration_page(const MeasurePlan& plan, const std::vector<MeasureReply>& replies,
                      const std::vector<KernelLaw>& laws);

/// Writes a sentence a law that the profile does not get.
std::string refused_laws_text(const std::vector<KernelLaw>& laws);

/// Writes "3.1 / 12.7 %", median and 90th percentile; "-" where nothing was compared.
std::string error_text(const FitError& error);
/// Names the operators of a law; many are named by the first.
std::string ops_text(const std::vector<KernelOp>& ops);

/// Says what was not measured, by reason; empty where all was.
std::string unavailable_text(const std::vector<MeasureReply>& replies);

/// Writes a sentence on measurements whose quartiles lie more than a quarter of their median apart; empty where none
/// do.
std::string noise_text(const std::vector<MeasureReply>& replies);

/// Says in how many measurements the GPU's clock was held down, and why the last time; empty where in none.
std::string throttled_text(const std::vector<MeasureReply>& replies);

/// A curve that was measured is shown as the table of nccl-tests, with `hosts` by rank where they are known, and how
/// well the fit is; one that NCCL's structure completes by its course from size to size, next to what was measured.
Page curves_page(const std::vector<CollectiveCurve>& curves, const std::vector<std::string>& hosts = {});

/// Counts the constants of one name in column "sets" of sources.csv. "law LIBRARY DEVICE PRECISION MACHINE" is an
/// all-reduce's law in the profiles: its fixed time, two constants a segment, and where segments meet. Any other name
/// is one constant. Throws InputError where no profile has the law.
int constants_in(const std::string& name, const std::vector<Profile>& profiles);

/// `SourceConstants` are what the inputs of a document set.
struct SourceConstants {
  int inputs = 0;               // figures, however often and whichever way they are asked
  std::set<std::string> names;  // of the constants
  int constants = 0;
  SourceConstants& operator+=(const SourceConstants& more);
};
SourceConstants source_constants(const std::vector<ItemScore>& items, const std::string& document,
                                 const std::vector<Profile>& profiles);

}  // namespace mlsim::reports
