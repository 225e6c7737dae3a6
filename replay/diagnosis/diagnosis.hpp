// A diagnosis goes from evidence to causes: hypotheses are held against recorded times, links or a pipeline.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/import/benchmark_run.hpp"
#include "replay/diagnosis/cause.hpp"
#include "replay/diagnosis/hypothesis.hpp"
#include "replay/namespace.hpp"
#include "replay/pipeline/pipeline_record.hpp"

namespace mlsim::replay {

/// A cause is not told from chance where the step without it saves less than this: recorded steps are simulated within
/// 2 % (docs/models.md, "Recorded runs").
inline constexpr double kLeastSaving = 0.02;

/// A mend takes a cause out: the affected figures of a hypothesis are divided by `times_as_long`.
struct Mend {
  const Hypothesis* hypothesis = nullptr;
  double times_as_long = 1;
};

/// A MendedTime returns the time of a step with some causes taken out.
using MendedTime = std::function<double(const std::vector<Mend>& mends)>;

/// Returns the causes that are likelier than 1 %, the likeliest first, where all together are ten times as likely as
/// nothing; none else. Causes that are seen once the likeliest is taken out stand besides.
Diagnosis diagnosis(const TimesEvidence& evidence, const MendedTime& time);

/// Returns the sentence that says which test tells the two likeliest causes apart, or confirms the only one.
std::string telling_test(const std::vector<Cause>& causes);

/// A LinkTest is one run of nccl-tests.
struct LinkTest {
  std::string file;
  calibrate::BenchmarkRun run;
};

/// Reads all runs of these files, text or JSON of nccl-tests. Throws InputError as calibrate::import_file does, where a
/// file lists no hosts, for fewer than three runs, and where they differ in collective, type or number of ranks.
std::vector<LinkTest> load_link_tests(const std::vector<std::string>& paths);

/// Finds slow hosts and slow links between them, by the payloads of 1 MiB and more that all runs have; by all of them
/// where they are smaller. Throws InputError where the runs have no payload in common.
Diagnosis diagnosis(const std::vector<LinkTest>& tests);

/// Finds slow ranks, slow hosts where the record names them, slow links between stages, uneven stages, uneven
/// micro-batches and late input of the first stage; the cost of each is simulated.
Diagnosis diagnosis(const PipelineRecord& record);

/// This sentence gives the evidence for a cause.
std::string cause_sentence(const Cause& cause);

}  // namespace mlsim::replay
