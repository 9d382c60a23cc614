/// @file
/// @brief  Refuses, while a call is compiled, what cannot run on the GPU: values and functions that are not made for it.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Whether F is a lambda, by the name that nvcc gives it. False if nvcc names it in another way: then the user sees
/// nvcc's message.
template <class F>
constexpr bool is_lambda()
{
    const char* name = __PRETTY_FUNCTION__;  // ... [with F = lambda [](float, float)->float]
    while (*name != '=' && *name != 0)
        ++name;
    for (const char* expected = "= lambda ["; *expected != 0; ++expected, ++name)
        if (*name != *expected)
            return false;
    return true;
}

/// Whether F is a lambda that a kernel cannot call, or has one as a template argument, as a transform_iterator may.
template <class F>
inline constexpr bool has_unmarked_lambda = is_lambda<F>();
#if defined(__CUDACC_EXTENDED_LAMBDA__)
template <class F>
    requires(__nv_is_extended_device_lambda_closure_type(F) || __nv_is_extended_host_device_lambda_closure_type(F))
inline constexpr bool has_unmarked_lambda<F> = false;
#endif
template <template <class...> class Holder, class... Fs>
inline constexpr bool has_unmarked_lambda<Holder<Fs...>> = (has_unmarked_lambda<Fs> || ...);

// Only nvcc knows where a function can run. If a __host__ __device__ function calls a host function, nvcc only warns, and the kernel
// skips the call. In a __device__ function the call is an error. So the functions below are __device__ and call what kernels call.
// Nothing calls them; nvcc checks them because their address is taken. Their names are the error message.

/// What an operator, a transform or a function_axis calls.
template <class F, class... Args>
PARPRIMS_DEVICE void functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(F& f, Args&&... args)
{
    using function = std::remove_const_t<F>;
    if constexpr (std::is_same_v<function, plus>)
        (void)(args + ...);
    else if constexpr (std::is_same_v<function, multiplies>)
        (void)(args * ...);
    else if constexpr (std::is_same_v<function, minimum> || std::is_same_v<function, maximum> ||
                       std::is_same_v<function, minimum_number> || std::is_same_v<function, maximum_number> ||
                       std::is_same_v<function, less>) {
        (void)(args < ...);
        if constexpr ((may_be_nan<std::remove_cvref_t<Args>> && ...))
            (void)(args != ...);
    } else if constexpr (std::is_same_v<function, equal_to>)
        (void)(args == ...);
    else if constexpr (std::is_same_v<function, bit_and>)
        (void)(args & ...);
    else if constexpr (std::is_same_v<function, bit_or>)
        (void)(args | ...);
    else if constexpr (std::is_same_v<function, bit_xor>)
        (void)(args ^ ...);
    else
        (void)f(static_cast<Args&&>(args)...);
}

/// What converts an element, or the result of an operator, to a value.
template <class T, class From>
PARPRIMS_DEVICE void conversions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(From&& from)
{
    if constexpr (!std::is_same_v<std::remove_cvref_t<From>, T> &&
                  requires { static_cast<T>(static_cast<From&&>(from)); })
        (void)static_cast<T>(static_cast<From&&>(from));
}

/// What an iterator calls where a kernel reads an element, or writes a T. Member functions, so that nvcc reports this error before that
/// in the kernels' own classes.
template <class Iterator>
struct iterator_check {
    PARPRIMS_DEVICE static void iterators_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(const Iterator& it)
    {
        (void)*(it + 1);
    }
    PARPRIMS_DEVICE static void read(const Iterator& it)
    {
        if constexpr (!is_of_parprims<Iterator>) {
            if constexpr (!std::is_pointer_v<Iterator>)
                iterators_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(it);
        } else {
            if constexpr (requires { it.indices(); })
                iterator_check<std::remove_cvref_t<decltype(it.indices())>>::read(it.indices());
            if constexpr (requires { it.base(); })
                iterator_check<std::remove_cvref_t<decltype(it.base())>>::read(it.base());
            if constexpr (requires { it.function(); })
                device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(it.function(), *it.base());
        }
    }
    template <class T>
    PARPRIMS_DEVICE static void write(const Iterator& it, const T& value)
    {
        if constexpr (is_of_parprims<Iterator> && requires { it.indices(); })
            iterator_check<std::remove_cvref_t<decltype(it.indices())>>::read(it.indices());
        if constexpr (is_of_parprims<Iterator> && requires { it.function(); }) {
            device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(it.function(), value);
            using result = std::remove_cvref_t<decltype(it.function()(value))>;
            (void)&iterator_check<std::remove_cvref_t<decltype(it.base())>>::template write<result>;
        } else if constexpr (is_of_parprims<Iterator> && requires { it.base(); }) {
            iterator_check<std::remove_cvref_t<decltype(it.base())>>::write(it.base(), value);
        } else {
            read(it);
        }
    }
};
template <class... Iterators>
struct iterator_check<tuple<Iterators...>> {
    PARPRIMS_DEVICE static void read(const tuple<Iterators...>& its)
    {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (iterator_check<Iterators>::read(parprims::get<I>(its)), ...);
        }(std::index_sequence_for<Iterators...>{});
    }
    template <class T>
    PARPRIMS_DEVICE static void write(const tuple<Iterators...>& its, const T&)
    {
        read(its);
    }
};

template <class F, class Value>
PARPRIMS_DEVICE void check_transform(F& f, const Value& value)
{
    if constexpr (is_of_pair<std::remove_const_t<F>>)
        device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(f.f, parprims::get<0>(value),
                                                                          parprims::get<1>(value));
    else
        device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(f, value);
}

/// Fails to compile for lambdas that cannot be called on the GPU.
template <class... Functions>
constexpr bool check_lambdas()
{
    constexpr bool holds = !(has_unmarked_lambda<Functions> || ...);
    static_assert(holds,
                  "parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE, and compile the file with "
                  "nvcc --extended-lambda");
    return holds;
}

/// Whether F is a lambda that is marked for the GPU alone: then g++, which compiles the rest of the file, does not see its operator.
template <class F>
inline constexpr bool is_device_lambda = false;
#if defined(__CUDACC_EXTENDED_LAMBDA__)
template <class F>
    requires(__nv_is_extended_device_lambda_closure_type(F))
inline constexpr bool is_device_lambda<F> = true;
#endif

/// Fails to compile for an operator or a transform that a kernel, in which both are const, cannot call.
template <class T, class Iterator, class Op, class Transform>
constexpr bool check_const_functions()
{
    constexpr bool holds =
        (is_device_lambda<Op> || requires(const Op& op, const T& value) { op(value, value); }) &&
        (is_device_lambda<Transform> || requires(const Transform& f, const iter_value_t<Iterator>& x) { f(x); });
    static_assert(
        holds, "parprims: on the GPU op and transform_op must be callable as const objects; a mutable lambda is not");
    return holds;
}

/// Fails to compile if kernels cannot copy values of type T or call `Functions`, which may be iterators with functions in them. False
/// where more errors would follow.
template <class T, class... Functions>
constexpr bool check_kernel_call()
{
    return check_value_type<T>() && check_lambdas<Functions...>();
}

/// `check_kernel_call` for a call that combines elements as values of type T.
template <class T, class Iterator, class Op, class Transform, class... Others>
constexpr bool check_call()
{
    return check_kernel_call<T, Iterator, Op, Transform, Others...>() &&
           check_const_functions<T, Iterator, Op, Transform>();
}

// What kernels call, for `check_on_gpu`.

/// To read elements.
template <class Iterator>
struct reads {
    PARPRIMS_DEVICE static void run(const Iterator& first) { iterator_check<Iterator>::read(first); }
};

/// To combine elements, which `transform` takes, as values of type T.
template <class T, class Iterator, class Op, class Transform = identity>
struct combines {
    PARPRIMS_DEVICE static void run(const Iterator& first, Op& op, Transform& transform, const T& value)
    {
        using result = decltype(std::declval<Op&>()(std::declval<const T&>(), std::declval<const T&>()));
        using transformed = decltype(std::declval<Transform&>()(std::declval<const iter_value_t<Iterator>&>()));
        iterator_check<Iterator>::read(first);
        if constexpr (!std::is_same_v<Transform, identity>)
            device::check_transform(transform, static_cast<const iter_value_t<Iterator>&>(*first));
        device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(op, value, value);
        (void)&conversions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE<T, result>;
        (void)&conversions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE<T, transformed>;
    }
};

/// To apply `f` to each element.
template <class Iterator, class F>
struct applies {
    PARPRIMS_DEVICE static void run(const Iterator& first, const F& f)
    {
        iterator_check<Iterator>::read(first);
        device::check_transform(f, static_cast<const iter_value_t<Iterator>&>(*first));
    }
};

/// To compare elements. Has a member function with the name, as iterator_check.
template <class Iterator, class Compare>
struct compares {
    PARPRIMS_DEVICE static void functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(
        const Compare& compare, const iter_value_t<Iterator>& value)
    {
        if constexpr (std::is_same_v<Compare, less> || std::is_same_v<Compare, equal_to>)
            device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(compare, value, value);
        else
            (void)compare(value, value);
    }
    PARPRIMS_DEVICE static void run(const Iterator& first, const Compare& compare, const iter_value_t<Iterator>& value)
    {
        iterator_check<Iterator>::read(first);
        functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(compare, value);
    }
};

/// To assign a T to an element of the output.
template <class T, class Output>
struct assigns {
    PARPRIMS_DEVICE static void run(const Output& out, const T& value) { iterator_check<Output>::write(out, value); }
};

/// To find where segments begin, for `check_on_gpu`.
template <class Segments>
struct finds_segments {
    PARPRIMS_DEVICE static void run(const Segments& segments)
    {
        if constexpr (Segments::is_searched)
            iterator_check<decltype(segments.offsets)>::read(segments.offsets);
    }
};

/// Makes nvcc check what the kernels of a call do: it instantiates and checks a function whose address is taken.
template <class... Uses>
void check_on_gpu()
{
#if defined(__CUDA_ARCH__)
    ((void)&Uses::run, ...);
#endif
}

}  // namespace parprims::detail::device
