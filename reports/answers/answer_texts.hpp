// These texts are what a terminal says of an answer: one of them is the whole page, the others its parts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result/layout_choice.hpp"
#include "core/result/next_measurement.hpp"
#include "core/result/prediction.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// Answer parts are what a step's time and an accelerator's memory add up from; every text and page lists them so.
template <class Whole, class Q>
struct AnswerPart {
  const char* name;
  Q Whole::*part;
};

inline constexpr AnswerPart<StepBreakdown, Seconds> kStepParts[] = {
    {"compute", &StepBreakdown::compute},
    {"exposed communication", &StepBreakdown::exposed_communication},
    {"optimizer", &StepBreakdown::optimizer},
    {"input wait", &StepBreakdown::input_wait},
    {"straggler wait", &StepBreakdown::straggler_wait},
    {"bubble", &StepBreakdown::bubble},
    {"overhead", &StepBreakdown::overhead}};

inline constexpr AnswerPart<Prediction::MemoryParts, Bytes> kMemoryParts[] = {
    {"activations", &Prediction::MemoryParts::activations},
    {"optimizer state", &Prediction::MemoryParts::optimizer_state},
    {"weights", &Prediction::MemoryParts::weights},
    {"gradients", &Prediction::MemoryParts::gradients},
    {"workspace", &Prediction::MemoryParts::workspace},
    {"communication buffers", &Prediction::MemoryParts::buffers}};

/// These texts are what a terminal says of an answer: one of them is the whole page, the others its parts.
struct AnswerStyle {
  bool color = false;
  std::size_t width = 80;  // columns, at least 40
  bool sources = false;    // with what the answer rests on
};

/// The answer's text is the page of a prediction that a planner reads first. It says what was asked; time, cost and
/// throughput with their ranges; the nearest published run, the word of trust; step and memory as bars; what limits;
/// warnings; where to go on. It has no trailing spaces and ends with a newline.
std::string answer_text(const Prediction& prediction, const AnswerStyle& style);

/// At most `width` columns, no trailing spaces, ends with a newline; `color` adds ANSI colours, which take no columns.
std::string prediction_text(const Prediction& prediction, std::size_t width, bool color);

/// Writes "all-reduce of 910 KiB on 2 x n1-cpu (gke-cpu): 2.43 ms by mpi". `prediction` is of a collective.
std::string collective_headline(const Prediction& prediction);

/// The page has the headline, bandwidths, parts of the time and the word of trust.
std::string collective_text(const Prediction& prediction, const AnswerStyle& style);

/// Writes "resnet50 on 4096 x tpu-v3: 17.2 ms a step, 3.81 M samples/s; 30.4 s (21.6 .. 42.8 s) to 75.9 % top-1; 1 431
/// USD", in lines of at most `width` columns.
std::vector<std::string> headline_lines(const Prediction& prediction, std::size_t width);

/// Writes the same as one text; `color` makes it bold.
std::string headline_text(const Prediction& prediction, std::size_t width, bool color);

/// Writes "Mostly start-up: 95 % of the bill is initialisation.": the largest share of what is billed of a job, the
/// largest part of a step alone.
std::string limit_text(const Prediction& prediction);

/// Writes "48 %"; beyond 1000 % with an exponent.
std::string whole_percent(double share);

/// Writes what was published: "28.8 s", "2 450/s".
std::string published_figure_text(const PublishedRun& run);

/// Writes "Kumar 2021, this system: we say +6 %".
std::string published_run_text(const PublishedRun& run);

/// Energy, power and carbon of a job read "12.3 kWh", "5.60 kW", "4.74 kg CO2e".
std::string joules_text(double joules);
std::string watts_text(double watts);
std::string carbon_text(double kilograms);

/// Writes "4.74 kg CO2e; 5.60 kW of accelerators x PUE 1.1, 0.385 kg a kWh".
std::string energy_note(const Prediction::Energy& energy);

/// Writes "owning it is cheaper than 98.32 USD/h of rent above 11.6 % of 3 years in use".
std::string purchase_note(const Prediction::Purchase& purchase);

/// Writes "your own" of a price that the user gave, with where it stands in a file: "your own, mine.yaml:2"; empty of
/// any other.
std::string own_price_text(const Prediction& prediction);

/// Writes "tensor=8,pipeline=4,micro_batch=1: 5.20 s a step, 61.3 GiB, 8 % bubble, limited by kernels", the quickest
/// first.
std::vector<std::string> layout_items(const std::vector<LayoutChoice>& layouts);

/// Writes "the matrix units (38.0 % of the step): mlsim calibrate ...". A command that is the last one's again is not
/// repeated.
std::vector<std::string> measure_next_items(const std::vector<NextMeasurement>& measurements);

/// Writes an empty line, a heading and an item each, at most `width` columns; nothing where there is nothing to
/// measure.
std::string measure_next_text(const std::vector<NextMeasurement>& measurements, std::size_t width);

/// Writes "normal: longer than 41 of 100 steps expected here; twice the NIC bandwidth would save 12.0 %, ...".
std::string measured_step_text(const Prediction::MeasuredStep& measured);

/// Writes an empty line, a heading and an item for each figure, in lines of at most `width` columns; nothing where
/// nothing is said.
std::string sources_text(const Prediction& prediction, std::size_t width);

}  // namespace mlsim::reports
