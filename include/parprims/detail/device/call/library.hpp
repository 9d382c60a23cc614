/// @file
/// @brief  Calls in plain C++: which of them the compiled library has, and the call of it. Without CUDA they throw.
///
/// lib/instances makes the calls for which `in_library` here is `listed`. Such a call has values of one type. If a call would be listed but
/// for the type of an argument, the error message says so.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/check.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>
#include <parprims/sized_on_device.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims {

template <class T>
class regular_axis;

namespace detail {

struct weighted_call;
template <class Iterator, class Output>
struct checked_lines;

namespace device {

/// Whether the library has a call, or would have it if all types were that of the elements.
enum class listing { none, other_types, listed };

/// The prebuilt value types.
template <class T>
concept prebuilt_value =
    std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, float> || std::same_as<T, double>;

/// A call that is in the list for values of type T if each of Ts is the same type.
template <class T, class... Ts>
inline constexpr listing listed_for = !prebuilt_value<T>             ? listing::none
                                      : (std::same_as<T, Ts> && ...) ? listing::listed
                                                                     : listing::other_types;

// The algorithms. Their classes are in the backend.hpp of each, for nvcc.

struct reduce_call;
struct exact_sum_call;
struct exact_segments_call;
struct exact_lines_call;
struct exact_by_key_call;
template <extreme Which>
struct extremes_call;
template <extreme Which>
struct segmented_extremes_call;
template <scan_kind Kind>
struct scan_call;
template <scan_kind Kind>
struct scan_by_key_call;
struct reduce_by_key_call;
template <scan_kind Kind>
struct segmented_scan_call;
struct segmented_reduce_call;
struct reduce_along_call;
template <scan_kind Kind>
struct scan_along_call;
template <extreme Which>
struct extremes_along_call;
struct histogram_call;
struct segmented_histogram_call;
struct histogram_along_call;
struct channel_histograms_call;
struct weighted_histogram_call;
struct segmented_weighted_histogram_call;
struct weighted_histogram_along_call;
struct copy_if_call;
struct transform_call;

// The list. Arguments have the types that `prebuilt_form` makes of them.

template <class Type>
concept unsigned_key = std::same_as<Type, std::uint32_t> || std::same_as<Type, std::uint64_t>;
template <class Size>
concept call_size = std::same_as<Size, std::size_t> || std::same_as<Size, device_size>;
template <class Segments>
concept prebuilt_segments =
    std::same_as<Segments, fixed_segments> || std::same_as<Segments, offset_segments<const std::uint32_t*>> ||
    std::same_as<Segments, offset_segments<const std::uint64_t*>> ||
    std::same_as<Segments, late_segments<const std::uint32_t*>> ||
    std::same_as<Segments, late_segments<const std::uint64_t*>>;

template <class Algorithm, class... Arguments>
inline constexpr listing in_library = listing::none;

template <call_size Size, class Value, class T, basic_operator Op, class... Output>
inline constexpr listing in_library<reduce_call, Value*, Size, T, Op, identity, Output*...> =
    listed_for<Value, T, Output...>;

template <call_size Size, std::floating_point Value, class T, class ExactPlus, class... Output>
inline constexpr listing in_library<exact_sum_call, Value*, Size, T, ExactPlus, identity, Output*...> =
    listed_for<Value, T, Output...>;
template <call_size Size, std::floating_point Value, class T, class ExactPlus>
inline constexpr listing
    in_library<exact_sum_call, zip_iterator<Value*, Value*>, Size, T, ExactPlus, of_pair<multiplies>> =
        listed_for<Value, T>;

template <prebuilt_segments Segments, std::floating_point Value, class Output, class T, class ExactPlus>
inline constexpr listing in_library<exact_segments_call, Segments, Value*, Output*, T, ExactPlus> =
    listed_for<Value, T, Output>;
template <call_size Size, unsigned_key Key, std::floating_point Value, class Output, class ExactPlus>
inline constexpr listing in_library<exact_by_key_call, Key*, Size, Value*, Key*, Output*, equal_to, ExactPlus> =
    listed_for<Value, Output>;

template <call_size Size, extreme Which, class Value, std::same_as<positions_output<std::uint64_t*>>... To>
inline constexpr listing in_library<extremes_call<Which>, Value*, Size, less, To...> = listed_for<Value>;

template <call_size Size, scan_kind Kind, class Value, class Output, class T, basic_operator Op>
inline constexpr listing in_library<scan_call<Kind>, Value*, Size, Output*, scan_init<T>, Op, identity> =
    listed_for<Value, T, Output>;

template <call_size Size, scan_kind Kind, unsigned_key Key, class Value, class Output, class T>
inline constexpr listing in_library<scan_by_key_call<Kind>, Key*, Size, Value*, Output*, scan_init<T>, equal_to, plus> =
    listed_for<Value, T, Output>;
template <call_size Size, unsigned_key Key, class Value, class Output, unsigned_key... Count>
inline constexpr listing in_library<reduce_by_key_call, Key*, Size, Value*, Key*, Output*, equal_to, plus, Count*...> =
    listed_for<Value, Output>;

template <call_size Size, class Value, class Output, unsigned_key... Count>
inline constexpr listing
    in_library<copy_if_call, Value*, Size, kept_outputs<Output*>, starts_run<equal_to>, Count*...> =
        listed_for<Value, Output>;
template <call_size Size, class Value, class Output, unsigned_key... Count>
inline constexpr listing in_library<copy_if_call, Value*, Size, kept_outputs<Output*, run_lengths, std::uint32_t*>,
                                    starts_run<equal_to>, Count*...> = listed_for<Value, Output>;

template <scan_kind Kind, prebuilt_segments Segments, class Value, class Output, class T>
inline constexpr listing in_library<segmented_scan_call<Kind>, Segments, Value*, Output*, scan_init<T>, plus> =
    listed_for<Value, T, Output>;
template <prebuilt_segments Segments, class Value, class Output, class T>
inline constexpr listing in_library<segmented_reduce_call, Segments, Value*, Output*, T, plus> =
    listed_for<Value, T, Output>;

template <std::floating_point Value, class Output, class T>
inline constexpr listing in_library<reduce_along_call, checked_lines<Value*, Output*>, T, plus, identity> =
    listed_for<Value, T, Output>;
template <std::floating_point Value, class Output, class T>
inline constexpr listing
    in_library<scan_along_call<scan_kind::inclusive>, checked_lines<Value*, Output*>, scan_init<T>, plus> =
        listed_for<Value, T, Output>;

template <call_size Size, class Value, unsigned_key Counter>
inline constexpr listing in_library<histogram_call, Value*, Size, regular_axis<Value>, Counter*> = listed_for<Value>;

/// Samples that have weights of their own type. profile_bin is a sum.
template <call_size Size, std::floating_point Value, class Sum>
inline constexpr listing
    in_library<weighted_histogram_call, weighted_call, Value*, Size, Value*, regular_axis<Value>, Sum*> =
        listed_for<Value>;

/// An argument in the form that the library has calls for. Integers are those of fixed width; if the call `Adds`, they are unsigned,
/// because sums and equality have the same bits with and without a sign.
template <class T, bool Adds>
struct prebuilt_form {
    using type = T;
    static const auto& convert(const auto& argument) { return argument; }
};
template <std::integral T, bool Adds>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
struct prebuilt_form<T, Adds> {
    using without_sign = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using type = std::conditional_t<Adds, without_sign, fixed_width_t<T>>;
    static type convert(T argument) { return static_cast<type>(argument); }
};
/// The cast is valid because the host does not access what a pointer points to.
template <class T, bool Adds>
struct prebuilt_form<T*, Adds> {
    using type = typename prebuilt_form<std::remove_const_t<T>, Adds>::type*;
    static type convert(T* argument) { return reinterpret_cast<type>(const_cast<std::remove_const_t<T>*>(argument)); }
};
template <class A, class B, bool Adds>
struct prebuilt_form<zip_iterator<A*, B*>, Adds> {
    using first = prebuilt_form<A*, Adds>;
    using second = prebuilt_form<B*, Adds>;
    using type = zip_iterator<typename first::type, typename second::type>;
    static type convert(const zip_iterator<A*, B*>& it)
    {
        return zip_iterator(first::convert(parprims::get<0>(it.base())), second::convert(parprims::get<1>(it.base())));
    }
};
template <class T, bool Adds>
struct prebuilt_form<scan_init<T>, Adds> {
    using form = prebuilt_form<T, Adds>;
    using type = scan_init<typename form::type>;
    struct converted : type {
        explicit converted(const T* init)
            : type{init != nullptr ? __builtin_addressof(value) : nullptr},
              value(init != nullptr ? form::convert(*init) : typename form::type{})
        {
        }
        converted(const converted&) = delete;  // or it might be returned in registers: a dangling address
        typename form::type value;
    };
    static converted convert(const scan_init<T>& argument) { return converted(argument.value); }
};
template <class T, class Output, bool Adds>
struct prebuilt_form<checked_lines<T*, Output*>, Adds> {
    template <class Pointer>
    using form = prebuilt_form<Pointer, Adds>;
    using type = checked_lines<typename form<T*>::type, typename form<Output*>::type>;
    static type convert(const checked_lines<T*, Output*>& lines)
    {
        return {{lines.input, form<T*>::convert(lines.input.first)},
                {lines.out, form<Output*>::convert(lines.out.first)},
                lines.lines,
                lines.out_step};
    }
};
/// Offsets that ascend are not negative.
template <std::integral Offset, bool Adds>
struct prebuilt_form<offset_segments<Offset*>, Adds> {
    using form = prebuilt_form<const Offset*, true>;
    using type = offset_segments<const std::remove_pointer_t<typename form::type>*>;
    static type convert(const offset_segments<Offset*>& segments)
    {
        return {form::convert(segments.offsets), segments.n, segments.count};
    }
};
template <std::integral Offset, bool Adds>
struct prebuilt_form<late_segments<Offset*>, Adds> {
    using of_offsets = prebuilt_form<offset_segments<Offset*>, Adds>;
    using type = late_segments<decltype(of_offsets::type::offsets)>;
    static type convert(const late_segments<Offset*>& segments)
    {
        return {of_offsets::convert(segments), segments.size};
    }
};
/// A position has the same bits in integers with and without a sign.
template <std::integral T, bool Adds>
    requires(sizeof(T) == sizeof(std::uint64_t))
struct prebuilt_form<positions_output<T*>, Adds> {
    using type = positions_output<std::uint64_t*>;
    static type convert(const positions_output<T*>& output) { return {reinterpret_cast<std::uint64_t*>(output.first)}; }
};
template <class Kept, class Source, class Other, class Rejected, bool Adds>
struct prebuilt_form<kept_outputs<Kept, Source, Other, Rejected>, Adds> {
    template <class T>
    using form = prebuilt_form<T, Adds>;
    using type = kept_outputs<typename form<Kept>::type, typename form<Source>::type, typename form<Other>::type,
                              typename form<Rejected>::type>;
    static type convert(const kept_outputs<Kept, Source, Other, Rejected>& to)
    {
        return {form<Kept>::convert(to.kept), form<Source>::convert(to.source), form<Other>::convert(to.other),
                form<Rejected>::convert(to.rejected)};
    }
};
/// An axis whose bounds have the type of fixed width.
template <class T, bool Adds>
struct prebuilt_form<regular_axis<T>, Adds> {
    using bound = fixed_width_t<T>;
    using type = regular_axis<bound>;
    static type convert(const regular_axis<T>& axis)
    {
        if constexpr (std::same_as<T, bound>) {
            return axis;
        } else {
            const type same(axis.bins(), axis.edge(0), axis.edge(axis.bins()));
            return axis.has_flow() ? same.with_flow() : same;
        }
    }
};

/// Calls the compiled library. In a namespace of its own: otherwise the linker could take it for what nvcc compiled from the same name
/// and types.
inline namespace plain {

template <class Algorithm, class Result = void, class Policy, class... Arguments>
Result call([[maybe_unused]] const char* function, [[maybe_unused]] const Policy& policy,
            [[maybe_unused]] const Arguments&... arguments)
{
#if PARPRIMS_HAS_CUDA
    constexpr bool adds = ((std::is_same_v<Arguments, plus> || is_starts_run<Arguments> || requires {
                               typename Arguments::is_exact_sum;
                           }) || ...);
    constexpr listing found = in_library<Algorithm, typename prebuilt_form<Arguments, adds>::type...>;
    static_assert(
        found != listing::other_types,
        "parprims: init and out must have the type of the elements, as 0.0f has for float; for other types compile "
        "this file as CUDA (with nvcc)");
    static_assert(found != listing::none,
                  "parprims: this call is not in the compiled library; compile this file as CUDA (with nvcc)");
    if constexpr (found == listing::listed)
        return static_cast<Result>(
            prebuilt<Algorithm, typename prebuilt_form<Result, adds>::type, Policy,
                     typename prebuilt_form<Arguments, adds>::type...>::run(function, policy,
                                                                            prebuilt_form<Arguments, adds>::convert(
                                                                                arguments)...));
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace plain

}  // namespace device

}  // namespace detail

}  // namespace parprims
