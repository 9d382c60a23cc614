/// @file
/// @brief  What every program of golden hashes does: finds the code of each row, runs it, and compares or writes the hash.
#pragma once

#include <parprims/exact_plus.hpp>
#include <parprims/functional.hpp>
#include <parprims/version.hpp>

#include "rows.hpp"
#include "values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

namespace contract {

template <class T>
constexpr const char* type_name()
{
    if constexpr (std::is_integral_v<T>) {
        constexpr const char* names[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
        return names[std::is_signed_v<T> ? 1 : 0][sizeof(T) == 8 ? 3 : sizeof(T) / 2];
    } else if constexpr (std::is_same_v<T, float>)
        return "f32";
    else if constexpr (std::is_same_v<T, double>)
        return "f64";
    else if constexpr (std::is_same_v<T, f32x3>)
        return "f32x3";
    else if constexpr (std::is_same_v<T, f64x3>)
        return "f64x3";
    else if constexpr (std::is_same_v<T, u64x2>)
        return "u64x2";
    else if constexpr (std::is_same_v<T, u64x8>)
        return "u64x8";
    else
        return std::is_same_v<T, map8> ? "map8" : "map12";
}

template <class Op>
constexpr const char* operator_name()
{
    return std::is_same_v<Op, parprims::plus>             ? "plus"
           : std::is_same_v<Op, parprims::multiplies>     ? "multiplies"
           : std::is_same_v<Op, parprims::minimum>        ? "minimum"
           : std::is_same_v<Op, parprims::maximum>        ? "maximum"
           : std::is_same_v<Op, parprims::minimum_number> ? "minimum_number"
           : std::is_same_v<Op, parprims::maximum_number> ? "maximum_number"
           : std::is_same_v<Op, parprims::bit_xor>        ? "bit_xor"
           : std::is_same_v<Op, parprims::exact_plus>     ? "exact_plus"
           : std::is_same_v<Op, skew>                     ? "skew"
                                                          : "then";
}

/// The code of the rows of one call, of elements of one type, values of one type, one operator.
struct code {
    const char* call;
    std::string types;
    const char* op;
    std::string (*hash)(const row&);
};

/// The codes of a program. `Calls<V, T, Op>` has a function for each call.
template <template <class V, class T, class Op> class Calls>
class codes {
public:
    template <class Op, class V, class T = V>
    codes& reduction()
    {
        return add<Op, V, T>("reduce", [](const row& r) { return hash_of(Calls<V, T, Op>::reduce(r)); });
    }
    template <class V, class T = V>
    codes& transform_reductions()
    {
        using op = parprims::plus;
        add<op, V, T>("transform_reduce", [](const row& r) { return hash_of(Calls<V, T, op>::transform_reduce(r)); });
        return add<op, V, T>("transform_reduce_2",
                             [](const row& r) { return hash_of(Calls<V, T, op>::transform_reduce_2(r)); });
    }
    /// Of numbers, of segments and runs of them, and of products, which are not rounded.
    template <class V, class T = V>
    codes& exact_sums()
    {
        using op = parprims::exact_plus;
        reduction<op, V, T>().template segmented_reduction<op, V, T>();
        if constexpr (std::is_same_v<V, T>)
            add<op, V, V>("reduce_by_key", [](const row& r) { return hash_of(Calls<V, V, op>::reduce_by_key(r)); });
        return add<op, V, T>("transform_reduce_2",
                             [](const row& r) { return hash_of(Calls<V, T, op>::transform_reduce_2(r)); });
    }
    /// Exact sums of weights in bins.
    template <class V, class T = V>
    codes& weights()
    {
        using op = parprims::exact_plus;
        add<op, V, T>("weighted_histogram",
                      [](const row& r) { return hash_of(Calls<V, T, op>::weighted_histogram(r)); });
        add<op, V, T>("weighted_histogram_2",
                      [](const row& r) { return hash_of(Calls<V, T, op>::weighted_histogram_2(r)); });
        return add<op, V, T>("profile", [](const row& r) { return hash_of(Calls<V, T, op>::profile(r)); });
    }
    template <class V, class T = V>
    codes& weights_along()
    {
        using op = parprims::exact_plus;
        return add<op, V, T>("weighted_histogram_along",
                             [](const row& r) { return hash_of(Calls<V, T, op>::weighted_histogram_along(r)); });
    }
    template <class Op, class V, class T = V>
    codes& scans()
    {
        add<Op, V, T>("inclusive_scan", [](const row& r) { return hash_of(Calls<V, T, Op>::inclusive_scan(r)); });
        return add<Op, V, T>("exclusive_scan",
                             [](const row& r) { return hash_of(Calls<V, T, Op>::exclusive_scan(r)); });
    }
    template <class V, class T = V>
    codes& transform_scans()
    {
        using op = parprims::plus;
        add<op, V, T>("transform_inclusive_scan",
                      [](const row& r) { return hash_of(Calls<V, T, op>::transform_inclusive_scan(r)); });
        return add<op, V, T>("transform_exclusive_scan",
                             [](const row& r) { return hash_of(Calls<V, T, op>::transform_exclusive_scan(r)); });
    }
    template <class Op, class V>
    codes& by_key()
    {
        add<Op, V, V>("inclusive_scan_by_key",
                      [](const row& r) { return hash_of(Calls<V, V, Op>::inclusive_scan_by_key(r)); });
        add<Op, V, V>("reduce_by_key", [](const row& r) { return hash_of(Calls<V, V, Op>::reduce_by_key(r)); });
        return exclusive_by_key<Op, V>();
    }
    template <class Op, class V, class T = V>
    codes& exclusive_by_key()
    {
        return add<Op, V, T>("exclusive_scan_by_key",
                             [](const row& r) { return hash_of(Calls<V, T, Op>::exclusive_scan_by_key(r)); });
    }
    template <class Op, class V, class T = V>
    codes& segmented_reduction()
    {
        return add<Op, V, T>("segmented_reduce",
                             [](const row& r) { return hash_of(Calls<V, T, Op>::segmented_reduce(r)); });
    }
    template <class Op, class V>
    codes& segmented_scans()
    {
        add<Op, V, V>("segmented_inclusive_scan",
                      [](const row& r) { return hash_of(Calls<V, V, Op>::segmented_inclusive_scan(r)); });
        return add<Op, V, V>("segmented_exclusive_scan",
                             [](const row& r) { return hash_of(Calls<V, V, Op>::segmented_exclusive_scan(r)); });
    }
    template <class Op, class V, class T = V>
    codes& reduction_and_inclusive_scan_along()
    {
        add<Op, V, T>("reduce_along", [](const row& r) { return hash_of(Calls<V, T, Op>::reduce_along(r)); });
        return add<Op, V, T>("inclusive_scan_along",
                             [](const row& r) { return hash_of(Calls<V, T, Op>::inclusive_scan_along(r)); });
    }
    template <class Op, class V, class T = V>
    codes& along()
    {
        reduction_and_inclusive_scan_along<Op, V, T>();
        return add<Op, V, T>("exclusive_scan_along",
                             [](const row& r) { return hash_of(Calls<V, T, Op>::exclusive_scan_along(r)); });
    }

    /// Null: the program has none.
    const code* find(const row& r) const
    {
        const auto found = std::find_if(all_.begin(), all_.end(), [&](const code& c) {
            return c.call == r.call && c.types == r.types && c.op == r.op;
        });
        return found == all_.end() ? nullptr : &*found;
    }

private:
    template <class Op, class V, class T>
    codes& add(const char* call, std::string (*hash)(const row&))
    {
        std::string types = type_name<V>();
        if (!std::is_same_v<V, T>)
            types += std::string(":") + type_name<T>();
        all_.push_back({call, types, operator_name<Op>(), hash});
        return *this;
    }

    std::vector<code> all_;
};

/// Computes the rows for which there is code and that are wanted, and compares their hashes. With `--write`, writes the file anew.
///
/// @param  wants  of the other rows nothing is said
/// @return what `main` returns
template <class Codes, class Wants>
int check_rows(int count, char** arguments, const Codes& all, bool needs_code, Wants wants)
try {
    const bool writes = count == 3 && std::string(arguments[2]) == "--write";
    if (count != 2 && !writes) {
        std::fprintf(stderr, "usage: %s golden.txt [--write]\n", arguments[0]);
        return 2;
    }
    const std::string path = arguments[1];
    std::vector<line> lines = read_lines(path);
    std::size_t checked = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        row& r = lines[i].content;
        if (!lines[i].is_row || !wants(r))
            continue;
        const auto complain = [&](const std::string& what) {
            ++wrong;
            std::printf("%s:%zu: %s: %s\n", path.c_str(), i + 1, printed(r).c_str(), what.c_str());
        };
        const code* const found = all.find(r);
        if (found == nullptr) {
            if (needs_code)
                complain("no code for this call, types and operator");
            continue;
        }
        ++checked;
        const std::string hash = found->hash(r);
        if (writes)
            lines[i].text = printed(r) + hash;
        else if (hash != r.hash)
            complain(hash + ", not " + r.hash);
    }
    if (writes) {
        std::ofstream file(path);
        for (const line& each : lines)
            file << each.text << '\n';
    } else if (wrong != 0) {
        std::printf(
            "The bits of %zu of %zu results have changed. Version %d of the order contract promises that they never "
            "do: a change "
            "of a row needs a new version (docs/order-contract.md#the-version).\n",
            wrong, checked, parprims::order_contract_version);
    } else {
        std::printf("%zu results have the bits of version %d of the order contract\n", checked,
                    parprims::order_contract_version);
    }
    return wrong == 0 && checked != 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

}  // namespace contract
