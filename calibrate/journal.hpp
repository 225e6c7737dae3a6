// A `Journal` keeps on disk what was measured so far, so that an interrupted calibration goes on where it stopped.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"

namespace mlsim::calibrate {

/// A journal belongs to these; another plan or machine cannot go on with it.
struct JournalIdentity {
  std::string plan;     // MeasurePlan::identity
  std::string machine;  // host and processor
  std::string version;  // versions of mlsim and the measuring program
};

/// It is lines of JSON: the identity, then a reply each. Every line is written before the next measurement.
class Journal {
 public:
  /// Goes on with the journal at `path`, or begins it anew; a last line that was cut off is dropped. Throws InputError
  /// with `path` where it belongs to another plan, machine or version, is damaged or a link, or cannot be written.
  Journal(std::string path, const JournalIdentity& identity, bool restart);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Returns the replies found at the beginning.
  const std::vector<MeasureReply>& replies() const { return replies_; }
  /// Throws InputError where the journal cannot be written, as on a full disk.
  void append(const MeasureReply& reply);
  /// Removes the journal once its replies are safe elsewhere.
  void remove();

 private:
  void take_up(const JournalIdentity& identity, const std::string& text);
  void write_line(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
  std::vector<MeasureReply> replies_;
};

}  // namespace mlsim::calibrate
