#include "interop/logs/slurm_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::interop {
namespace {

constexpr double kTail = 0.05;  // each end of a 90 % interval

// slurm/slurm.h names the states of jobs so (Slurm 23.02, "JOB STATE CODES" of sacct's manual page).
const std::vector<std::string>& job_states() {
  static const std::vector<std::string> all{"BOOT_FAIL",  "CANCELLED",   "COMPLETED",    "DEADLINE",    "FAILED",
                                            "NODE_FAIL",  "PENDING",     "PREEMPTED",    "RUNNING",     "REQUEUED",
                                            "RESIZING",   "REVOKED",     "SUSPENDED",    "TIMEOUT",     "OUT_OF_MEMORY",
                                            "COMPLETING", "CONFIGURING", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"};
  return all;
}

class JobTable {
 public:
  JobTable(const std::string& header, std::string file) : file_(std::move(file)), names_(split(header, '|')) {
    for (const std::string needed : {"JobID", "State", "NNodes", "AllocTRES", "ElapsedRaw"})
      if (std::find(names_.begin(), names_.end(), needed) == names_.end())
        throw InputError(file_ + ":1", fmt::format("there is no column {}; sacct -P -D -o JobID,State,NNodes,AllocTRES,"
                                                   "ElapsedRaw,Start,End,ExitCode writes it",
                                                   needed));
  }

  void add(SlurmJobs& jobs, const std::string& line, std::size_t number) const {
    const std::string place = fmt::format("{}:{}", file_, number);
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() != names_.size())
      throw InputError(place, fmt::format("has {} fields, and the first line {}", fields.size(), names_.size()));
    if (field(fields, "JobID").find('.') != std::string::npos) return;
    const std::string words = field(fields, "State"), state = words.substr(0, words.find(' '));
    if (std::find(job_states().begin(), job_states().end(), state) == job_states().end())
      throw InputError(place, unknown_word("state", state, job_states()));
    const double hours = count(fields, "ElapsedRaw", place) / 3600.0;
    if (hours <= 0) return;
    ++jobs.jobs;
    const int accelerators = accelerators_of(field(fields, "AllocTRES"), place);
    if (accelerators == 0) {
      ++jobs.without_accelerators;
      return;
    }
    jobs.failures.hours += hours * accelerators;
    jobs.preemptions.hours += hours * count(fields, "NNodes", place);
    jobs.failures.events += state == "NODE_FAIL" ? 1 : 0;
    jobs.preemptions.events += state == "PREEMPTED" ? 1 : 0;
  }

 private:
  const std::string& field(const std::vector<std::string>& fields, const char* name) const {
    return fields[static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin())];
  }

  int count(const std::vector<std::string>& fields, const char* name, const std::string& place) const {
    try {
      return parse_count(field(fields, name), 0);
    } catch (const InputError& e) {
      throw InputError(place, fmt::format("column {}: {}", name, e.reason()));
    }
  }

  // The first of "gres/gpu=8,gres/gpu:a100=8" counts all of them; those with a type stand for it where it is missing.
  static int accelerators_of(const std::string& resources, const std::string& place) {
    int all = 0, typed = 0;
    for (const std::string& item : split(resources, ',')) {
      if (!item.starts_with("gres/gpu")) continue;
      try {
        const int number = parse_count(item.substr(std::min(item.find('=') + 1, item.size())), 0);
        (item.starts_with("gres/gpu=") ? all : typed) += number;
      } catch (const InputError& e) {
        throw InputError(place, fmt::format("column AllocTRES: \"{}\": {}", item, e.reason()));
      }
    }
    return all > 0 ? all : typed;
  }

  std::string file_;
  std::vector<std::string> names_;
};

}  // namespace

double EventRate::lower() const {
  return events == 0 ? 0 : boost::math::gamma_p_inv(static_cast<double>(events), kTail) / hours;
}

double EventRate::upper() const { return boost::math::gamma_q_inv(static_cast<double>(events) + 1, kTail) / hours; }

SlurmJobs slurm_jobs(const std::string& text, const std::string& file) {
  const std::vector<std::string> lines = split(text, '\n');
  const JobTable table(lines.front(), file);
  SlurmJobs jobs;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty()) table.add(jobs, lines[i], i + 1);
  if (jobs.jobs == jobs.without_accelerators)
    throw InputError(file, "has no job that ran on accelerators: none has gres/gpu in AllocTRES");
  return jobs;
}

}  // namespace mlsim::interop
