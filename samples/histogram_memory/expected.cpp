#include "histogram_memory/keys.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace histogram_memory {

std::vector<std::uint32_t> expected_counts(const request& what)
{
    using list = std::vector<std::uint32_t>;
    tbb::enumerable_thread_specific<list> partial(list(what.bins));
    with_rule(what, [&](auto rule) {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, what.n, std::size_t{1} << 16),
                          [&](const tbb::blocked_range<std::size_t>& part) {
                              list& mine = partial.local();
                              const make_key key{what.is_skewed};
                              for (std::size_t i = part.begin(); i != part.end(); ++i)
                                  ++mine[rule(key(i))];
                          });
    });
    list counts(what.bins);
    for (const list& one : partial)
        for (std::size_t bin = 0; bin < counts.size(); ++bin)
            counts[bin] += one[bin];
    return counts;
}

}  // namespace histogram_memory
