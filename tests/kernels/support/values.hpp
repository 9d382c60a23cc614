/// @file
/// @brief  Values and operators that show what a kernel did with them.
#pragma once

#include <parprims/detail/executor/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace kernel_test {

constexpr std::uint64_t mix(std::uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 29;
}

/// Numbers from a seed.
struct random_numbers {
    std::uint64_t state;
    std::uint64_t operator()() { return mix(mix(++state * 0x9E3779B97F4A7C15u)) >> 7; }
};

/// A value of `Bytes` bytes that knows whether it is one: an operator that gets anything else throws.
template <std::size_t Bytes>
struct checked {
    static constexpr std::uint32_t seal = 0x5ea1ed01;

    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t is_valid;
    unsigned char rest[Bytes - 12];

    checked() = delete;                                   // kernels need none
    const checked* operator&() const { return nullptr; }  // no address
    checked(std::uint32_t first_value, std::uint32_t last_value) : first(first_value), last(last_value), is_valid(seal)
    {
        std::memset(rest, static_cast<int>(first & 0xff), sizeof rest);
    }

    void check() const
    {
        bool valid = is_valid == seal;
        for (std::size_t i = 0; i<sizeof rest; i += sizeof rest> 64 ? 61 : 1)
            valid = valid && rest[i] == static_cast<unsigned char>(first);
        if (!valid)
            throw std::logic_error("an operator was called on something that is no value");
    }

    friend bool operator==(const checked& a, const checked& b)
    {
        return std::memcmp(std::addressof(a), std::addressof(b), sizeof a) == 0;
    }
    friend std::ostream& operator<<(std::ostream& out, const checked& value)
    {
        return out << '[' << value.first << ", " << value.last << ']';
    }
};

/// The operator that tells any two expressions apart: neither associative nor commutative.
struct hash {
    template <class T>
    T operator()(const T& a, const T& b) const
    {
        if constexpr (std::is_arithmetic_v<T>) {
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            std::memcpy(&x, &a, sizeof a);
            std::memcpy(&y, &b, sizeof b);
            const std::uint64_t both = mix(x * 0x9e3779b97f4a7c15u + mix(y + 0x1234567));
            if constexpr (std::is_floating_point_v<T>)
                return static_cast<T>(both >> 40);
            return static_cast<T>(both);
        } else {
            a.check();
            b.check();
            const std::uint64_t one = mix(a.first * 0x9e3779b97f4a7c15u + mix(b.first + 0x1234567));
            return {static_cast<std::uint32_t>(one >> 16), a.last * 31u + b.last * 17u + 1u};
        }
    }
};

/// The interval monoid: [a, b] followed by [b + 1, c] is [a, c], anything else is not an interval. A scan that is right
/// for it is right for every associative operator.
struct joined {
    static constexpr std::uint32_t broken = 0xffffffff;

    template <class T>
    T operator()(const T& a, const T& b) const
    {
        a.check();
        b.check();
        return a.first != broken && b.first != broken && a.last + 1 == b.first ? T{a.first, b.last} : T{broken, broken};
    }
};

/// Element i of a sequence; for `checked`, the interval [i, i].
template <class T>
T element(std::size_t i)
{
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(mix(i + 1) >> 45);
    else
        return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)};
}

/// Memory of exactly `count` values, `offset` bytes behind a multiple of 256. The executor refuses accesses before these and behind it.
template <class T>
class memory {
public:
    memory(std::size_t count, std::size_t offset = 0)
        : count_(count), bytes_(offset + count * sizeof(T), 0xA5), data_(reinterpret_cast<T*>(bytes_.data() + offset))
    {
    }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return count_; }
    T* begin() { return data_; }
    T* end() { return data_ + count_; }
    T& operator[](std::size_t i) { return data_[i]; }

private:
    std::size_t count_;
    parprims::detail::simt::executor::buffer<unsigned char> bytes_;
    T* data_;
};

/// The first `n` elements.
template <class T>
void fill(memory<T>& values)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        std::construct_at(values.data() + i, element<T>(i));
}

template <class T>
bool same_bits(const T& a, const T& b)
{
    return std::memcmp(std::addressof(a), std::addressof(b), sizeof a) == 0;
}

/// Sizes from 0 to `limit`: all near multiples of the units, some in between. Under TSan, where a launch takes long, few.
inline std::vector<std::size_t> sizes(std::size_t limit, std::initializer_list<std::size_t> units, std::uint64_t seed,
                                      unsigned between = 10)
{
#if defined(__SANITIZE_THREAD__)
    constexpr std::size_t multiples = 1;
    between = 1;
#else
    constexpr std::size_t multiples = 5;
#endif
    std::vector<bool> chosen(limit + 1);
    const auto choose = [&](std::size_t n) {
        if (n <= limit)
            chosen[n] = true;
    };
    for (std::size_t n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65})
        choose(n);
    for (std::size_t unit : units)
        for (std::size_t n = unit; n <= limit; n += unit * std::max<std::size_t>(1, limit / unit / multiples))
            for (std::size_t near : {n - 1, n, n + 1})
                choose(near);
    std::mt19937_64 random(seed);
    for (unsigned i = 0; i < between; ++i)
        choose(random() % (limit + 1));
    choose(limit);
    std::vector<std::size_t> list;
    for (std::size_t n = 0; n <= limit; ++n)
        if (chosen[n])
            list.push_back(n);
    return list;
}

}  // namespace kernel_test
