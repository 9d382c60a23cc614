/// @file
/// @brief  The output of a kernel: a pointer, written by 16-byte stores if aligned, or any output iterator.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// A raw pointer to device memory.
template <class Value>
struct pointer_output {
    using value_type = Value;
    static constexpr bool is_pointer = true;

    Value* data;

    template <class T>
    PARPRIMS_DEVICE void set(simt::index i, const T& value) const
    {
        simt::store(data, i, static_cast<Value>(value));
    }
};

/// Any other random-access output iterator.
template <class Iterator>
struct iterator_output {
    using value_type = void;
    static constexpr bool is_pointer = false;

    Iterator first;

    template <class T>
    PARPRIMS_DEVICE void set(std::size_t i, const T& value) const
    {
        *(first + static_cast<std::ptrdiff_t>(i)) = value;
    }
};

/// One value for the host, which polls the words of a runtime::result_slot.
template <class Value>
struct announced_output {
    struct reference {
        std::uint64_t* words;

        PARPRIMS_DEVICE void operator=(const Value& value) const
        {
            const block::flagged_words<Value> published(value);
#pragma unroll(published.count <= simt::max_unrolled_words ? published.count : 1)
            for (unsigned w = 0; w < published.count; ++w)
                simt::announce(words + w, published.words[w]);
        }
    };

    std::uint64_t* words;

    PARPRIMS_DEVICE reference operator*() const { return {words}; }
};

template <class Value>
PARPRIMS_HOST_DEVICE pointer_output<Value> make_output(Value* data)
{
    return {data};
}

template <class Iterator>
    requires(!std::is_pointer_v<Iterator>)
PARPRIMS_HOST_DEVICE iterator_output<Iterator> make_output(Iterator first)
{
    return {first};
}

/// One value at an output iterator, converted to its type.
template <class Iterator>
struct converted_output {
    struct reference {
        const Iterator& to;

        template <class T>
        PARPRIMS_DEVICE void operator=(const T& value) const
        {
            device::make_output(to).set(0, value);
        }
    };

    Iterator to;

    PARPRIMS_DEVICE reference operator*() const { return {to}; }
};

/// The type that `make_output` returns for an iterator.
template <class Iterator>
struct output_of {
    using type = iterator_output<Iterator>;
};
template <class Value>
struct output_of<Value*> {
    using type = pointer_output<Value>;
};
template <class Iterator>
using output_for = typename output_of<Iterator>::type;

}  // namespace parprims::detail::device
