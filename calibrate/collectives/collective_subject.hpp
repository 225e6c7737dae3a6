// A `CollectiveSubject` is what an order of a collective names, out of its text.
#pragma once

#include <cstddef>
#include <string>

#include "calibrate/namespace.hpp"
#include "core/kernel/precision.hpp"
#include "core/profile/collective.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

struct CollectiveSubject {
  CollectiveKind kind = CollectiveKind::all_reduce;  // send_receive: point to point
  std::string communicator = "mpi";                  // "mpi", "gloo", "nccl"
  std::string device = "cpu";                        // or "cuda"
  Precision precision = Precision::fp32;
  Bytes payload;  // the larger of one rank's send and receive buffers, as nccl-tests counts its size
  bool operator==(const CollectiveSubject&) const = default;
};

/// The text is "collective KIND LIBRARY DEVICE PRECISION BYTES" or "point-to-point LIBRARY DEVICE PRECISION BYTES",
/// words apart by one space. Throws InputError with what is wrong and the nearest word.
CollectiveSubject parse_collective_subject(const std::string& text);
std::string to_text(const CollectiveSubject& subject);

/// Returns the elements of the payload: whole ones, and a multiple of `ranks` where each rank has a part of it
/// (reduce-scatter, all-gather, all-to-all), rounded down as nccl-tests does. Throws Unavailable where none is left.
std::size_t element_count(const CollectiveSubject& subject, int ranks);

/// Return the elements that one rank brings and gets, of a payload of `count`.
std::size_t sent_elements(CollectiveKind kind, std::size_t count, int ranks);
std::size_t received_elements(CollectiveKind kind, std::size_t count, int ranks);

}  // namespace mlsim::calibrate
