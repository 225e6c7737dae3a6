// A `CollectiveSubject` is what an order of a collective names, out of its text; its pattern is what ranks then send.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

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

/// A `CollectiveCase` is a collective as rank `rank` of `ranks` sees it; `count` is as element_count() gives it.
struct CollectiveCase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Precision precision = Precision::fp32;
  std::size_t count = 0;
  int rank = 0, ranks = 1;
};

/// Returns element `index` of the data that `rank` sends: every rank knows what to send and what must arrive without
/// asking another. Numbers are whole and below 61, so that sums are exact in fp32, and in fp16 up to 34 ranks
/// (2048 / 60). 61 is prime: data that lands a power of two away from its place does not go unnoticed.
double pattern(int rank, std::size_t index);

/// Returns what this rank sends, as bytes of the precision (fp32 or fp16).
std::vector<std::byte> sent_bytes(const CollectiveCase& collective);

/// Returns the error of what this rank got against the pattern, in float64: the largest absolute difference over the
/// largest absolute element; infinite where something is no number or the size is wrong. 0 on a rank that gets nothing
/// (between the two of a point to point).
double received_error(const CollectiveCase& collective, std::span<const std::byte> received);

}  // namespace mlsim::calibrate
