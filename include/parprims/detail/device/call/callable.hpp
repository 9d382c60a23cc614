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

// Only nvcc knows where a function can run. If a __host__ __device__ function calls a host function, nvcc merely warns, and the
// kernel does nothing there. In a __device__ function the call is an error. So the functions below are __device__ and call what
// kernels call, directly. They are never called themselves. Their names are the error message.

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

/// What an iterator calls. A member function, so that nvcc reports this error before that in the kernels' own input class.
template <class Iterator>
struct iterator_check {
    PARPRIMS_DEVICE static void iterators_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(const Iterator& it)
    {
        (void)*(it + 1);
    }
    PARPRIMS_DEVICE static void run(const Iterator& it)
    {
        iterators_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(it);
    }
};
template <class T>
struct iterator_check<T*> {
    PARPRIMS_DEVICE static void run(const T*) {}
};
template <class F, class Iterator>
struct iterator_check<transform_iterator<F, Iterator>> {
    PARPRIMS_DEVICE static void run(const transform_iterator<F, Iterator>& it)
    {
        iterator_check<Iterator>::run(it.base());
        device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(it.function(), *it.base());
    }
};
template <class Iterator>
struct iterator_check<strided_iterator<Iterator>> {
    PARPRIMS_DEVICE static void run(const strided_iterator<Iterator>& it) { iterator_check<Iterator>::run(it.base()); }
};
template <class Base, class Indices>
struct iterator_check<permutation_iterator<Base, Indices>> {
    PARPRIMS_DEVICE static void run(const permutation_iterator<Base, Indices>& it)
    {
        iterator_check<Base>::run(it.base());
        iterator_check<Indices>::run(it.indices());
    }
};
template <class... Iterators>
struct iterator_check<zip_iterator<Iterators...>> {
    PARPRIMS_DEVICE static void run(const zip_iterator<Iterators...>& it)
    {
        run(it.base(), std::index_sequence_for<Iterators...>{});
    }
    template <std::size_t... I>
    PARPRIMS_DEVICE static void run(const tuple<Iterators...>& its, std::index_sequence<I...>)
    {
        (iterator_check<Iterators>::run(parprims::get<I>(its)), ...);
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

/// What an output calls that a T is assigned to.
template <class Output>
struct output_check {
    template <class T>
    PARPRIMS_DEVICE static void run(const Output& out, const T&)
    {
        iterator_check<Output>::run(out);
    }
};
template <class F, class Iterator>
struct output_check<transform_output_iterator<F, Iterator>> {
    template <class T>
    PARPRIMS_DEVICE static void run(const transform_output_iterator<F, Iterator>& out, const T& value)
    {
        device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(out.function(), value);
        using result = std::remove_cvref_t<decltype(out.function()(value))>;
        (void)&output_check<Iterator>::template run<result>;
    }
};
template <class Iterator>
struct output_check<strided_iterator<Iterator>> {
    template <class T>
    PARPRIMS_DEVICE static void run(const strided_iterator<Iterator>& out, const T& value)
    {
        output_check<Iterator>::run(out.base(), value);
    }
};
template <class Base, class Indices>
struct output_check<permutation_iterator<Base, Indices>> {
    template <class T>
    PARPRIMS_DEVICE static void run(const permutation_iterator<Base, Indices>& out, const T& value)
    {
        iterator_check<Indices>::run(out.indices());
        output_check<Base>::run(out.base(), value);
    }
};

// What kernels call, for `check_on_gpu`.

/// To read elements.
template <class Iterator>
struct reads {
    PARPRIMS_DEVICE static void run(const Iterator& first) { iterator_check<Iterator>::run(first); }
};

/// To combine elements, which `transform` takes, as values of type T.
template <class T, class Iterator, class Op, class Transform = identity>
struct combines {
    PARPRIMS_DEVICE static void run(const Iterator& first, Op& op, Transform& transform, const T& value)
    {
        using result = decltype(std::declval<Op&>()(std::declval<const T&>(), std::declval<const T&>()));
        using transformed = decltype(std::declval<Transform&>()(std::declval<const iter_value_t<Iterator>&>()));
        iterator_check<Iterator>::run(first);
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
        iterator_check<Iterator>::run(first);
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
        iterator_check<Iterator>::run(first);
        functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(compare, value);
    }
};

/// To assign a T to an element of the output.
template <class T, class Output>
struct assigns {
    PARPRIMS_DEVICE static void run(const Output& out, const T& value) { output_check<Output>::run(out, value); }
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
