#include "replay/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "replay/diagnosis/arrivals.hpp"
#include "replay/diagnosis/hypothesis.hpp"
#include "replay/pipeline/replayed_pipeline.hpp"
#include "workloads/pipeline/schedule.hpp"

namespace mlsim::replay {
namespace {

bool is_kernel(PipelineOp op) {
  return op == PipelineOp::forward_compute || op == PipelineOp::backward_compute ||
         op == PipelineOp::optimizer_clip_main_grad || op == PipelineOp::optimizer;
}

bool is_pass(PipelineOp op) { return op == PipelineOp::forward_compute || op == PipelineOp::backward_compute; }

// Passes of one worker differ by so much, in the logarithm, where micro-batches are alike.
constexpr double kUsualJitter = 0.05;

class PipelineEvidence {
 public:
  explicit PipelineEvidence(const PipelineRecord& record) : record_(record), pipeline_(record.size) {
    for (int w = 0; w < size().workers(); ++w)
      workers_.push_back({fmt::format("data rank {}, stage {}", size().data_rank(w), size().stage(w)),
                          record.hosts.empty() ? "" : record.hosts[static_cast<std::size_t>(w)]});
    for (const PipelineStep& step : record.steps) durations_.push_back(recorded_durations(pipeline_.graph(), step));
    add_compute();
    add_links();
    add_input();
    add_micro_batches();
  }

  TimesEvidence take() { return builder_.take(); }

  // Returns the mean step in seconds. Input that the first stage waits for is not among the operations: what mending
  // saves of it is taken off.
  double mended_time(const std::vector<Mend>& mends) const {
    double sum = 0, input = 0;
    for (const auto& durations : durations_) {
      std::vector<Seconds> mended = durations;
      for (const Mend& mend : mends) {
        if (mend.hypothesis->kind == CauseKind::uneven_micro_batches)
          make_even(mended);
        else if (mend.hypothesis->kind != CauseKind::late_input)
          take_out(mend, mended);
      }
      sum += pipeline_.time(mended).value;
    }
    for (const Mend& mend : mends) {
      if (mend.hypothesis->kind != CauseKind::late_input) continue;
      double longest = 0;
      for (const std::size_t i : mend.hypothesis->affected) longest = std::max(longest, busy_[i - first_input_]);
      input += longest * (mend.times_as_long - 1);
    }
    return sum / static_cast<double>(durations_.size()) - input;
  }

 private:
  const PipelineSize& size() const { return record_.size; }

  // An uneven stage keeps the sum of the work; the others become what their like are.
  void take_out(const Mend& mend, std::vector<Seconds>& durations) const {
    std::vector<bool> affected(first_input_);
    for (const std::size_t i : mend.hypothesis->affected) affected[i] = true;
    const double factor = mend.times_as_long;
    const double even =
        mend.hypothesis->kind == CauseKind::uneven_stage ? (factor + size().stages - 1) / size().stages : 1;
    for (std::size_t v = 0; v < durations.size(); ++v) {
      const PipelineNode& node = pipeline_.graph().nodes[v];
      if (node.what != PipelineNode::What::op) continue;
      if (is_kernel(node.op)) durations[v] *= even / (affected[static_cast<std::size_t>(node.worker)] ? factor : 1);
      const bool forward = node.op == PipelineOp::forward_send;
      if (forward || node.op == PipelineOp::backward_send)
        durations[v] /= affected[link_of(forward ? node.worker : node.worker - 1)] ? factor : 1;
    }
  }

  // Every pass of a worker takes the median of its like in the step.
  void make_even(std::vector<Seconds>& durations) const {
    std::map<std::pair<int, PipelineOp>, std::vector<std::size_t>> alike;
    for (std::size_t v = 0; v < durations.size(); ++v) {
      const PipelineNode& node = pipeline_.graph().nodes[v];
      if (node.what == PipelineNode::What::op && is_pass(node.op)) alike[{node.worker, node.op}].push_back(v);
    }
    for (const auto& [worker, passes] : alike) {
      std::vector<double> seconds;
      for (const std::size_t v : passes) seconds.push_back(durations[v].value);
      const Seconds median(median_value(seconds));
      for (const std::size_t v : passes) durations[v] = median;
    }
  }

  // Returns where the link behind a worker's stage stands among the observations.
  std::size_t link_of(int worker) const {
    return first_link_ +
           static_cast<std::size_t>(size().data_rank(worker) * (size().stages - 1) + size().stage(worker));
  }

  // Returns the logarithms of an operation's times over steps and micro-batches.
  std::vector<double> samples(int worker, PipelineOp op) const {
    std::vector<double> found;
    for (const PipelineStep& step : record_.steps)
      for (int m = 0; m < size().micro_batches; ++m)
        if (const Seconds time = step.workers[static_cast<std::size_t>(worker)].duration(op, m); time > Seconds(0))
          found.push_back(std::log(time.value));
    return found;
  }

  // Returns the time of a micro-batch's forward and backward pass.
  double pass_time(int worker) const {
    double sum = 0;
    for (const PipelineOp op : {PipelineOp::forward_compute, PipelineOp::backward_compute})
      if (const auto logs = samples(worker, op); !logs.empty()) sum += std::exp(median_value(logs));
    return sum;
  }

  void add_compute() {
    std::vector<double> values, noises;
    for (int w = 0; w < size().workers(); ++w) {
      values.push_back(std::log(std::max(pass_time(w), 1e-12)));
      const auto logs = samples(w, PipelineOp::forward_compute);
      noises.push_back(logs.empty() ? 0 : median_noise(logs));
    }
    const std::size_t first = builder_.add_group({SeenIn::compute, false, median_value(noises)}, values);
    builder_.add_each(CauseKind::slow_rank, workers_, first);
    builder_.add_hosts(CauseKind::slow_host, workers_, first);
    for (int s = 0; s < size().stages && size().stages > 1; ++s) {
      std::vector<std::size_t> affected;
      for (int d = 0; d < size().data_ranks; ++d)
        affected.push_back(first + static_cast<std::size_t>(size().worker(d, s)));
      builder_.add(CauseKind::uneven_stage, fmt::format("stage {}", s), affected);
    }
  }

  // Adds one figure for each two neighbouring stages of a data rank, of both ways, where all were recorded.
  void add_links() {
    std::vector<double> values;
    std::vector<MeasuredSubject> links;
    bool whole = true;
    for (int d = 0; d < size().data_ranks; ++d) {
      for (int s = 0; s + 1 < size().stages; ++s) {
        const int worker = size().worker(d, s);
        std::vector<double> logs = samples(worker, PipelineOp::forward_send);
        const auto back = samples(worker + 1, PipelineOp::backward_send);
        logs.insert(logs.end(), back.begin(), back.end());
        whole = whole && !logs.empty();
        values.push_back(logs.empty() ? 0 : median_value(logs));
        links.push_back({fmt::format("data rank {}, stage {} to {}", d, s, s + 1), ""});
      }
    }
    first_link_ = static_cast<std::size_t>(size().workers());
    builder_.add_group({SeenIn::transfers, false, 0}, values);
    if (whole) builder_.add_each(CauseKind::slow_link, links, first_link_);
    first_input_ = first_link_ + values.size();
  }

  // The first stage waits for nobody before it goes forward: only its input, or its launches, lie between.
  double input_wait(const PipelineStep& step, int worker) const {
    const WorkerOps& ops = step.workers[static_cast<std::size_t>(worker)];
    Seconds free = ops.begin(), waited;
    if (const auto& gather = ops.of(PipelineOp::params_all_gather); !gather.empty()) free = gather.front()->end();
    for (const PipelineTask& task :
         pipeline_order({PipelineSchedule::one_f_one_b, size().stages, 1, size().micro_batches}, 0)) {
      const auto& passes = ops.of(task.backward ? PipelineOp::backward_compute : PipelineOp::forward_compute);
      const RecordedOp& pass = *passes[static_cast<std::size_t>(task.micro_batch)];
      if (!task.backward) waited += max(Seconds(0), pass.begin - free);
      free = pass.end();
    }
    return waited.value;
  }

  void add_input() {
    std::vector<double> values;
    std::vector<MeasuredSubject> firsts;
    std::vector<std::size_t> all;
    for (int d = 0; d < size().data_ranks; ++d) {
      const int worker = size().worker(d, 0);
      busy_.push_back(pass_time(worker) * size().micro_batches);
      std::vector<double> waits;
      for (const PipelineStep& step : record_.steps) waits.push_back(input_wait(step, worker));
      values.push_back(std::log1p(median_value(waits) / std::max(busy_.back(), 1e-12)));
      firsts.push_back(workers_[static_cast<std::size_t>(worker)]);
      all.push_back(first_input_ + static_cast<std::size_t>(d));
    }
    builder_.add_group({SeenIn::input, true, 0}, values);
    builder_.add_each(CauseKind::late_input, firsts, first_input_);
    if (size().data_ranks > 1) builder_.add(CauseKind::late_input, "all data ranks", all);
  }

  // Adds by how much each worker's passes differ from their median beyond what is usual: a step's length of texts is
  // drawn anew for each micro-batch, and met by all stages.
  void add_micro_batches() {
    if (size().micro_batches < 2) return;
    std::vector<double> values;
    std::vector<std::size_t> all;
    for (int w = 0; w < size().workers(); ++w) {
      double squares = 0, count = 0;
      for (const PipelineOp op : {PipelineOp::forward_compute, PipelineOp::backward_compute}) {
        const auto logs = samples(w, op);
        if (logs.empty()) continue;
        const double middle = median_value(logs);
        for (const double each : logs) squares += (each - middle) * (each - middle);
        count += static_cast<double>(logs.size());
      }
      all.push_back(static_cast<std::size_t>(w));
      values.push_back(std::max(0.0, std::sqrt(squares / std::max(count, 1.0)) - kUsualJitter));
    }
    const std::size_t first = builder_.add_group({SeenIn::micro_batches, true, 0}, values);
    for (std::size_t& each : all) each += first;
    builder_.add(CauseKind::uneven_micro_batches, "all workers", all);
  }

  const PipelineRecord& record_;
  ReplayedPipeline pipeline_;
  std::vector<MeasuredSubject> workers_;
  std::vector<std::vector<Seconds>> durations_;  // by step
  std::size_t first_link_ = 0, first_input_ = 0;
  std::vector<double> busy_;  // seconds of the first stage's passes, by data rank
  EvidenceBuilder builder_;
};

// Data ranks of a stage meet behind their last backward pass, where gradients are added up.
std::vector<Arrival> arrivals_of(const PipelineRecord& record) {
  Arrivals arrivals;
  const PipelineSize& size = record.size;
  for (const PipelineStep& step : record.steps)
    for (int s = 0; s < size.stages && size.data_ranks > 1; ++s) {
      std::vector<Seconds> ends(static_cast<std::size_t>(size.data_ranks));
      for (int d = 0; d < size.data_ranks; ++d)
        for (const auto& pass :
             step.workers[static_cast<std::size_t>(size.worker(d, s))].of(PipelineOp::backward_compute))
          if (pass) ends[static_cast<std::size_t>(d)] = max(ends[static_cast<std::size_t>(d)], pass->end());
      const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
      arrivals.add(fmt::format("data rank {}, stage {}", last - ends.begin(), s), *last - *first);
    }
  return arrivals.ranked();
}

}  // namespace

Diagnosis diagnosis(const PipelineRecord& record) {
  PipelineEvidence evidence(record);
  const PipelineSize& size = record.size;
  Diagnosis result =
      diagnosis(evidence.take(), [&](const std::vector<Mend>& mends) { return evidence.mended_time(mends); });
  const auto count = [](int figure, const char* what) { return counted(static_cast<std::size_t>(figure), what); };
  result.subject =
      fmt::format("{} of {}, {}, {}", count(size.data_ranks, "data rank"), count(size.stages, "stage"),
                  size.micro_batches == 1 ? "1 micro-batch" : fmt::format("{} micro-batches", size.micro_batches),
                  counted(record.steps.size(), "step"));
  result.last_to_arrive = arrivals_of(record);
  const auto about_worker = [](const Cause& cause) { return cause.kind == CauseKind::slow_rank; };
  if (std::any_of(result.causes.begin(), result.causes.end(), about_worker))
    result.notes.push_back(
        "Where a stage is split over tensor-parallel ranks, these wait for one another in every layer: the record has "
        "one "
        "time for all of them, and cannot tell which is slow.");
  return result;
}

}  // namespace mlsim::replay
