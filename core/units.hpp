// A Quantity carries its dimension in the type: a wrong product does not compile.
//
// A Quantity holds a double in SI base units (second, byte, FLOP, US dollar). Only core/text/units_text.hpp reads and
// writes text in people's units ("50 GB/s", "5 us").
#pragma once

#include <compare>

namespace mlsim {

/// The value is in `value` seconds^S * bytes^B * FLOP^F * USD^D, always in these base units.
template <int S, int B, int F, int D>
struct Quantity {
  double value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double v) : value(v) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-value); }
  constexpr Quantity& operator+=(Quantity o) {
    value += o.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value -= o.value;
    return *this;
  }
  constexpr Quantity& operator*=(double k) {
    value *= k;
    return *this;
  }
  constexpr Quantity& operator/=(double k) {
    value /= k;
    return *this;
  }
};

namespace detail {
// A product whose dimensions cancel is a plain number.
template <int S, int B, int F, int D>
constexpr auto make_quantity(double v) {
  if constexpr (S == 0 && B == 0 && F == 0 && D == 0)
    return v;
  else
    return Quantity<S, B, F, D>(v);
}
}  // namespace detail

template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> operator+(Quantity<S, B, F, D> a, Quantity<S, B, F, D> b) {
  return a += b;
}
template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> operator-(Quantity<S, B, F, D> a, Quantity<S, B, F, D> b) {
  return a -= b;
}
template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> operator*(Quantity<S, B, F, D> a, double k) {
  return a *= k;
}
template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> operator*(double k, Quantity<S, B, F, D> a) {
  return a *= k;
}
template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> operator/(Quantity<S, B, F, D> a, double k) {
  return a /= k;
}

template <int S, int B, int F, int D, int S2, int B2, int F2, int D2>
constexpr auto operator*(Quantity<S, B, F, D> a, Quantity<S2, B2, F2, D2> b) {
  return detail::make_quantity<S + S2, B + B2, F + F2, D + D2>(a.value * b.value);
}
template <int S, int B, int F, int D, int S2, int B2, int F2, int D2>
constexpr auto operator/(Quantity<S, B, F, D> a, Quantity<S2, B2, F2, D2> b) {
  return detail::make_quantity<S - S2, B - B2, F - F2, D - D2>(a.value / b.value);
}
template <int S, int B, int F, int D>
constexpr auto operator/(double k, Quantity<S, B, F, D> a) {
  return detail::make_quantity<-S, -B, -F, -D>(k / a.value);
}

using Seconds = Quantity<1, 0, 0, 0>;
using Bytes = Quantity<0, 1, 0, 0>;
using Flop = Quantity<0, 0, 1, 0>;
using Usd = Quantity<0, 0, 0, 1>;
using PerSecond = Quantity<-1, 0, 0, 0>;  // samples per second, events per second
using BytesPerSecond = Quantity<-1, 1, 0, 0>;
using FlopPerSecond = Quantity<-1, 0, 1, 0>;
using UsdPerSecond = Quantity<-1, 0, 0, 1>;

constexpr Seconds microseconds(double v) { return Seconds(v * 1e-6); }
constexpr Seconds milliseconds(double v) { return Seconds(v * 1e-3); }
constexpr Seconds hours(double v) { return Seconds(v * 3600.0); }
constexpr BytesPerSecond gigabytes_per_second(double v) { return BytesPerSecond(v * 1e9); }
constexpr Bytes mebibytes(double v) { return Bytes(v * 1048576.0); }
constexpr UsdPerSecond usd_per_hour(double v) { return UsdPerSecond(v / 3600.0); }

template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> max(Quantity<S, B, F, D> a, Quantity<S, B, F, D> b) {
  return a < b ? b : a;
}
template <int S, int B, int F, int D>
constexpr Quantity<S, B, F, D> min(Quantity<S, B, F, D> a, Quantity<S, B, F, D> b) {
  return b < a ? b : a;
}

}  // namespace mlsim
