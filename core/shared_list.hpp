// Many values share a SharedList without copies: thousands of questions lean on the same anchors and profiles.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace mlsim {

/// A list never changes once made, so a copy costs a pointer whatever it holds. Vectors make it and it reads as one.
template <class T>
class SharedList {
 public:
  SharedList() : SharedList(std::vector<T>()) {}
  SharedList(std::vector<T> items) : items_(std::make_shared<const std::vector<T>>(std::move(items))) {}
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  operator const std::vector<T>&() const { return *items_; }
  auto begin() const { return items_->begin(); }
  auto end() const { return items_->end(); }
  std::size_t size() const { return items_->size(); }
  bool empty() const { return items_->empty(); }
  const T& front() const { return items_->front(); }
  const T& operator[](std::size_t place) const { return (*items_)[place]; }
  /// Says whether `other` is the same list, not only an equal one.
  bool is(const SharedList& other) const { return items_ == other.items_; }

 private:
  std::shared_ptr<const std::vector<T>> items_;
};

}  // namespace mlsim
