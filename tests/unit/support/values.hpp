/// @file
/// @brief  Types and operators that a user might bring: they work on every backend. Some types have no `&`, some one of their own, as
///         COM pointers: it is no address.
#pragma once

#include <parprims/config.hpp>
#include <parprims/functional.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

/// 12 bytes: a lane takes one at a time.
struct vec3 {
    float x, y, z;
    void operator&() const = delete;
    PARPRIMS_HOST_DEVICE friend vec3 operator+(const vec3& a, const vec3& b)
    {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
};

/// 256 bytes, no default constructor.
struct wide {
    PARPRIMS_HOST_DEVICE explicit wide(std::uint32_t x)
    {
        for (std::uint32_t i = 0; i < 64; ++i)
            words[i] = x * (i + 1);
    }
    PARPRIMS_HOST_DEVICE const wide* operator&() const { return nullptr; }
    PARPRIMS_HOST_DEVICE friend wide operator+(const wide& a, const wide& b)
    {
        wide sum = a;
        for (std::uint32_t i = 0; i < 64; ++i)
            sum.words[i] += b.words[i];
        return sum;
    }
    std::uint32_t words[64];
};
static_assert(sizeof(wide) == 256);

/// 4 bytes, no default constructor, no conversion.
struct no_default {
    PARPRIMS_HOST_DEVICE explicit no_default(int v) : value(v) {}
    void operator&() const = delete;
    PARPRIMS_HOST_DEVICE friend no_default operator+(no_default a, no_default b)
    {
        return no_default(a.value + b.value);
    }
    friend bool operator==(const no_default&, const no_default&) = default;
    int value;
};

/// As aligned as a value on the device may be.
struct alignas(128) over_aligned {
    PARPRIMS_HOST_DEVICE explicit over_aligned(std::uint32_t x) : padding{}, value(x) {}
    PARPRIMS_HOST_DEVICE friend over_aligned operator+(const over_aligned& a, const over_aligned& b)
    {
        return over_aligned(a.value + b.value);
    }
    std::uint32_t padding[31];
    std::uint32_t value;
};

/// x -> scale * x + shift, and how many maps it is made of. 12 bytes; `then` is associative and not commutative.
struct affine {
    std::uint32_t scale, shift, count;
    PARPRIMS_HOST_DEVICE const affine* operator&() const { return nullptr; }
};

struct then {
    PARPRIMS_HOST_DEVICE affine operator()(const affine& a, const affine& b) const
    {
        return {b.scale * a.scale, b.scale * a.shift + b.shift, a.count + b.count};
    }
};

/// The elements [i, i]; neighbours join, in order, and anything else is top. What is right for this operator is right for
/// every associative one.
struct interval {
    std::uint64_t first, last;
    void operator&() const = delete;
    PARPRIMS_HOST_DEVICE friend bool operator==(const interval& a, const interval& b)
    {
        return a.first == b.first && a.last == b.last;
    }
};

struct join {
    PARPRIMS_HOST_DEVICE interval operator()(const interval& a, const interval& b) const
    {
        if (a.last + 1 == b.first && a.first <= a.last && b.first <= b.last)
            return {a.first, b.last};
        return {1, 0};
    }
};

/// An operator with a state. Associative and commutative on [0, modulus).
struct plus_modulo {
    std::uint32_t modulus;
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return (a + b) % modulus; }
};

/// A product that must not be fused with the sum that follows.
struct square {
    template <class T>
    PARPRIMS_HOST_DEVICE T operator()(T x) const
    {
        return x * x;
    }
};

/// A sum that nothing protects from being fused with a product before it: a user's own.
struct plain_add {
    template <class T>
    PARPRIMS_HOST_DEVICE T operator()(const T& a, const T& b) const
    {
        return a + b;
    }
};

/// Makes the products when it is made from an element.
struct moments {
    PARPRIMS_HOST_DEVICE explicit moments(float x) : sum(x), squares(x * x) {}
    PARPRIMS_HOST_DEVICE moments(float s, float q) : sum(s), squares(q) {}
    PARPRIMS_HOST_DEVICE friend moments operator+(const moments& a, const moments& b)
    {
        return {a.sum + b.sum, a.squares + b.squares};
    }
    float sum, squares;
};

/// A product once it is converted, which must not be fused with the sum that follows. It has no sum of its own: `plus` adds
/// up what two of them are converted to.
template <class T>
struct reading {
    PARPRIMS_HOST_DEVICE reading(T x) : raw(x), gain(1) {}
    PARPRIMS_HOST_DEVICE reading(T r, T g) : raw(r), gain(g) {}
    PARPRIMS_HOST_DEVICE operator T() const { return raw * gain; }
    T raw, gain;
};

/// A union that is a number by a product.
union converting_union {
    struct {
        float raw, gain;
    } parts;
    PARPRIMS_HOST_DEVICE converting_union(float x) : parts{x, 1} {}
    PARPRIMS_HOST_DEVICE converting_union(float r, float g) : parts{r, g} {}
    PARPRIMS_HOST_DEVICE operator float() const { return parts.raw * parts.gain; }
};

/// The product of a reading and itself by `multiplies`, in a sum that it may be fused with.
struct square_and_add {
    template <class T>
    PARPRIMS_HOST_DEVICE T operator()(const reading<T>& x) const
    {
        return parprims::multiplies{}(x, x) + x.raw;
    }
};

template <class T>
bool same_bits(const T& a, const T& b)
{
    return std::memcmp(static_cast<const void*>(std::addressof(a)), static_cast<const void*>(std::addressof(b)),
                       sizeof(T)) == 0;
}

template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](const T& x, const T& y) { return same_bits(x, y); });
}

/// Index of the first value whose bits differ; the common size where there is none.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b)
{
    const std::size_t n = a.size() < b.size() ? a.size() : b.size();
    for (std::size_t i = 0; i < n; ++i)
        if (!same_bits(a[i], b[i]))
            return i;
    return n;
}
