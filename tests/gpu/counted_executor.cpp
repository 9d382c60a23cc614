// The counts of the executor for the kernels of counted_kernels.hpp, and for the solutions of the exercises, as JSON: one object for each
// of these.
#include "counted_kernels.hpp"

#include "counted_solutions.hpp"

#include <cstdio>
#include <memory>
#include <vector>

namespace {

namespace executor = parprims::detail::simt::executor;

/// Prints what the launches of one row did.
void print(const std::string& name, const executor::statistics& done)
{
    static bool first = true;
    std::printf("%s{\"name\": \"%s\"", first ? "" : ",\n", name.c_str());
    first = false;
    const auto count = [](const char* field, std::uint64_t value) {
        std::printf(", \"%s\": %llu", field, static_cast<unsigned long long>(value));
    };
    count("launches", done.launches);
    count("load requests", done.global_loads.requests);
    count("load sectors", done.global_loads.sectors);
    count("store requests", done.global_stores.requests);
    count("store sectors", done.global_stores.sectors);
    count("shared load conflicts", done.shared_loads.extra_passes);
    count("shared store conflicts", done.shared_stores.extra_passes);
    count("shared load passes", done.shared_loads.passes);
    count("shared store passes", done.shared_stores.passes);
    count("global atomic requests", done.global_atomics.requests);
    count("global atomic passes", done.global_atomics.passes);
    count("shared atomic requests", done.shared_atomics.requests);
    count("shared atomic passes", done.shared_atomics.passes);
    count("copies", done.copies);
    count("divergent branches", done.divergent_branches);
    std::printf(", \"mean active lanes\": %.2f}", done.mean_active_lanes());
}

class launcher {
public:
    template <class T>
    T* allocate(std::size_t n)
    {
        auto memory = std::make_shared<executor::buffer<unsigned char>>(n * sizeof(T));
        memory_.push_back(memory);
        return reinterpret_cast<T*>(memory->data());
    }

    void count_up(std::uint32_t* values, std::size_t n, std::uint32_t end)
    {
        for (std::size_t i = 0; i < n; ++i)
            values[i] = static_cast<std::uint32_t>(i * 40503 >> 4) % end;
    }

    template <class Kernel>
    void launch(const std::string& name, std::size_t blocks, unsigned threads, const Kernel& kernel,
                std::size_t shared_bytes = sizeof(typename Kernel::shared_storage))
    {
        executor::options how;
        how.count = true;
        const auto done = executor::launch(how, blocks, threads, shared_bytes, kernel);
        print(name, done);
    }

private:
    std::vector<std::shared_ptr<executor::buffer<unsigned char>>> memory_;
};

}  // namespace

int main()
{
    std::printf("[");
    launcher here;
    counted::launch_all(here);
    for (const exercises::exercise& each : counted_solutions) {
        executor::options how;
        how.count = true;
        exercises::trial with(how);
        each.run(with, each.sizes.back());
        print(std::string("exercise ") + each.name, with.did());
    }
    std::printf("]\n");
}
