#include "core/kernel/kernel_shape.hpp"

#include <fmt/format.h>

#include <array>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

// A field is one number of a shape. A text that leaves it out, or has 0, means the number `as`, else `usual`.
template <class Shape>
struct Field {
  std::string_view name;
  std::int64_t Shape::*number;
  bool needed = true;
  std::int64_t usual = 0;
  std::int64_t Shape::*as = nullptr;

  std::int64_t usual_in(const Shape& shape) const { return as != nullptr ? shape.*as : usual; }
};

template <class Shape>
constexpr Field<Shape> usually(std::string_view name, std::int64_t Shape::*number, std::int64_t usual) {
  return {name, number, false, usual};
}
template <class Shape>
constexpr Field<Shape> usually_as(std::string_view name, std::int64_t Shape::*number, std::int64_t Shape::*as) {
  return {name, number, false, 0, as};
}

template <class Shape>
struct Fields;

template <>
struct Fields<ConvolutionShape> {
  using S = ConvolutionShape;
  static constexpr std::array<Field<S>, 11> all{{{"batch", &S::batch},
                                                 {"channels", &S::channels},
                                                 {"height", &S::height},
                                                 {"width", &S::width},
                                                 {"outputs", &S::outputs},
                                                 {"kernel height", &S::kernel_h},
                                                 {"stride height", &S::stride_h},
                                                 usually_as("kernel width", &S::kernel_w, &S::kernel_h),
                                                 usually_as("stride width", &S::stride_w, &S::stride_h),
                                                 usually("groups", &S::groups, 1),
                                                 usually("merged elements", &S::merged, 0)}};
};

template <>
struct Fields<DenseShape> {
  using S = DenseShape;
  static constexpr std::array<Field<S>, 5> all{{{"rows", &S::rows},
                                                {"inputs", &S::inputs},
                                                {"outputs", &S::outputs},
                                                usually("products", &S::products, 1),
                                                usually("merged elements", &S::merged, 0)}};
};

template <>
struct Fields<ProductShape> {
  using S = ProductShape;
  static constexpr std::array<Field<S>, 5> all{{{"m", &S::m},
                                                {"n", &S::n},
                                                {"k", &S::k},
                                                usually("products", &S::products, 1),
                                                usually("merged elements", &S::merged, 0)}};
};

template <>
struct Fields<AttentionShape> {
  using S = AttentionShape;
  static constexpr std::array<Field<S>, 9> all{{{"heads", &S::heads},
                                                {"queries", &S::queries},
                                                {"keys", &S::keys},
                                                {"channels", &S::channels},
                                                usually_as("channels of values", &S::values, &S::channels),
                                                usually("causal mask", &S::causal, 0),
                                                usually_as("heads of keys and values", &S::kv_heads, &S::heads),
                                                usually("window", &S::window, 0),
                                                usually("merged elements", &S::merged, 0)}};
};

template <>
struct Fields<LstmShape> {
  using S = LstmShape;
  static constexpr std::array<Field<S>, 3> all{{{"batch", &S::batch}, {"hidden", &S::hidden}, {"steps", &S::steps}}};
};

template <>
struct Fields<LookUpShape> {
  using S = LookUpShape;
  static constexpr std::array<Field<S>, 3> all{
      {{"rows", &S::rows}, {"width", &S::width}, usually("rows of the table", &S::table_rows, 0)}};
};

template <>
struct Fields<RegionShape> {
  using S = RegionShape;
  static constexpr std::array<Field<S>, 4> all{
      {{"batch", &S::batch}, {"bins", &S::bins}, {"channels", &S::channels}, {"positions", &S::positions}}};
};

template <>
struct Fields<RowsShape> {
  using S = RowsShape;
  static constexpr std::array<Field<S>, 3> all{
      {{"rows", &S::rows}, {"channels", &S::channels}, usually("merged elements", &S::merged, 0)}};
};

template <>
struct Fields<PoolShape> {
  using S = PoolShape;
  static constexpr std::array<Field<S>, 9> all{{{"batch", &S::batch},
                                                {"channels", &S::channels},
                                                {"height", &S::height},
                                                {"width", &S::width},
                                                {"kernel height", &S::kernel_h},
                                                {"stride height", &S::stride_h},
                                                usually_as("kernel width", &S::kernel_w, &S::kernel_h),
                                                usually_as("stride width", &S::stride_w, &S::stride_h),
                                                usually("merged elements", &S::merged, 0)}};
};

template <>
struct Fields<LossShape> {
  using S = LossShape;
  static constexpr std::array<Field<S>, 2> all{{{"rows", &S::rows}, usually("classes", &S::classes, 1)}};
};

template <>
struct Fields<ElementwiseShape> {
  using S = ElementwiseShape;
  static constexpr std::array<Field<S>, 3> all{{usually("elements read", &S::read, 0),
                                                usually("elements written", &S::written, 0),
                                                usually("launches", &S::launches, 1)}};
};

template <>
struct Fields<OptimizerShape> {
  using S = OptimizerShape;
  static constexpr std::array<Field<S>, 4> all{{{"parameters", &S::parameters},
                                                {"tensors", &S::tensors},
                                                {"bytes per parameter", &S::bytes_per_parameter},
                                                usually("launches", &S::launches, 1)}};
};

template <class Shape>
void set_numbers(Shape& shape, std::span<const std::int64_t> numbers) {
  const auto& fields = Fields<Shape>::all;
  if (numbers.size() > fields.size()) throw InputError(fmt::format("there are at most {} numbers", fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& field = fields[i];
    if (i >= numbers.size() && field.needed)
      throw InputError(fmt::format("the number of its {} is missing", field.name));
    const std::int64_t number = i < numbers.size() ? numbers[i] : 0;
    if (number < 0) throw InputError(fmt::format("the number of its {} is negative", field.name));
    shape.*field.number = number == 0 && !field.needed ? field.usual_in(shape) : number;
  }
}

}  // namespace

std::vector<std::int64_t> numbers(const KernelShape& shape) {
  return std::visit(
      []<class Shape>(const Shape& s) {
        std::vector<std::int64_t> all;
        std::size_t end = 0;
        for (const auto& field : Fields<Shape>::all) {
          const std::int64_t number = s.*field.number;
          const bool usual = !field.needed && number == field.usual_in(s);
          all.push_back(usual ? 0 : number);
          if (!usual) end = all.size();
        }
        all.resize(end);
        return all;
      },
      shape);
}

KernelShape with_numbers(KernelShape family, std::span<const std::int64_t> numbers) {
  std::visit([&](auto& shape) { set_numbers(shape, numbers); }, family);
  return family;
}

std::optional<std::string_view> missing_extent(const KernelShape& shape) {
  return std::visit(
      []<class Shape>(const Shape& s) -> std::optional<std::string_view> {
        for (const auto& field : Fields<Shape>::all)
          if (field.needed && s.*field.number < 1) return field.name;
        return std::nullopt;
      },
      shape);
}

std::int64_t* merged_field(KernelShape& shape) {
  return std::visit(
      []<class Shape>(Shape& s) -> std::int64_t* {
        if constexpr (requires { s.merged; }) {
          return &s.merged;
        } else {
          return nullptr;
        }
      },
      shape);
}

std::int64_t merged_elements(const KernelShape& shape) {
  KernelShape copy = shape;
  const std::int64_t* merged = merged_field(copy);
  return merged == nullptr ? 0 : *merged;
}

}  // namespace mlsim
