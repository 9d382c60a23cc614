/// @file
/// @brief  A call in plain C++: from the public function to the compiled library. Without CUDA it throws.
///
/// The library has `prebuilt` of the calls that `in_library` lists; lib/instances makes them. backend.hpp of an algorithm has its part
/// of the list.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/check.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// A call of `Algorithm` in the compiled library, explicitly instantiated in lib/instances.
template <class Algorithm, class Result, class Policy, class... Arguments>
struct prebuilt {
#if defined(PARPRIMS_HEADER_ONLY)
    static_assert(sizeof(Result*) == 0,
                  "parprims::headers has no kernels for g++: compile this file as CUDA (with nvcc), or link "
                  "parprims::parprims");
#endif
    static Result run(const char* function, const Policy& policy, const Arguments&... arguments);
};

/// Whether the library has a call, or would have it if all types were that of the elements.
enum class listing { none, other_types, listed };

template <class Algorithm, class... Arguments>
inline constexpr listing in_library = listing::none;

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

/// An argument in the form that the library has calls for. Integers are those of fixed width; if the call `Adds`, they have no sign:
/// sums, and whether two values are equal, do not depend on it.
template <class T, bool Adds>
struct prebuilt_form {
    using type = T;
    static const auto& of(const auto& argument) { return argument; }
};
template <std::integral T, bool Adds>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
struct prebuilt_form<T, Adds> {
    using without_sign = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using type = std::conditional_t<Adds, without_sign, fixed_width_t<T>>;
    static type of(T argument) { return static_cast<type>(argument); }
};
/// The host does not access what a pointer points to.
template <class T, bool Adds>
struct prebuilt_form<T*, Adds> {
    using type = typename prebuilt_form<std::remove_const_t<T>, Adds>::type*;
    static type of(T* argument) { return reinterpret_cast<type>(const_cast<std::remove_const_t<T>*>(argument)); }
};
template <class T, bool Adds>
struct prebuilt_form<scan_init<T>, Adds> {
    using form = prebuilt_form<T, Adds>;
    using type = scan_init<typename form::type>;
    struct converted : type {
        explicit converted(const T* init)
            : type{init != nullptr ? __builtin_addressof(value) : nullptr},
              value(init != nullptr ? form::of(*init) : typename form::type{})
        {
        }
        converted(const converted&) = delete;  // or it might return in registers, and the address would be of nothing
        typename form::type value;
    };
    static converted of(const scan_init<T>& argument) { return converted(argument.value); }
};

#if !(PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER)  // there, device_call.hpp has it

struct histogram_call;

/// Calls the compiled library. In a namespace of its own: otherwise the linker could take it for what nvcc compiled from the same name
/// and types.
inline namespace plain {

template <class Algorithm, class Result = void, class Policy, class... Arguments>
Result call([[maybe_unused]] const char* function, [[maybe_unused]] const Policy& policy,
            [[maybe_unused]] const Arguments&... arguments)
{
#if PARPRIMS_HAS_CUDA
    constexpr bool adds = (std::is_same_v<Arguments, plus> || ...);
    constexpr listing found = in_library<Algorithm, typename prebuilt_form<Arguments, adds>::type...>;
    static_assert(
        found != listing::other_types,
        "parprims: init and out must have the type of the elements, as 0.0f has for float; for other types compile "
        "this file as CUDA (with nvcc)");
    static_assert(found != listing::none || std::is_same_v<Algorithm, histogram_call>,
                  "parprims: this call is not in the compiled library; compile this file as CUDA (with nvcc)");
    static_assert(found != listing::none || !std::is_same_v<Algorithm, histogram_call>,
                  "parprims: this histogram is not in the compiled library; compile this file as CUDA (with nvcc)");
    if constexpr (found == listing::listed)
        return static_cast<Result>(
            prebuilt<Algorithm, typename prebuilt_form<Result, adds>::type, Policy,
                     typename prebuilt_form<Arguments, adds>::type...>::run(function, policy,
                                                                            prebuilt_form<Arguments, adds>::of(
                                                                                arguments)...));
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace plain

#endif

}  // namespace parprims::detail::device
