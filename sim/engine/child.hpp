// Each simulation runs in a forked child: SimGrid keeps state in statics, so the parent never creates an engine.
#pragma once

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A `Packer` makes bytes of plain values and an `Unpacker` reads them back, for results that cross from a forked child
/// to its parent.
class Packer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const auto& value : values) put(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// An Unpacker reads in the order in which a Packer wrote; it throws std::runtime_error where bytes are missing.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value;
    if (at_ + sizeof value > bytes_.size()) throw std::runtime_error("a simulation returned too few bytes");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  template <class T>
  std::vector<T> get_vector() {
    std::vector<T> values(get<std::size_t>());
    for (auto& value : values) value = get<T>();
    return values;
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// Runs `work` in a forked child and returns the bytes it returned, as core/process/forked.hpp. An error that `work`
/// throws is thrown again here; a crash of the child is a ProcessCrashed, a child that is killed a MachineFailed.
std::string in_child(const std::function<std::string()>& work);

}  // namespace mlsim::sim
