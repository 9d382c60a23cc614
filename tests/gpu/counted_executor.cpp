// The counts of the executor for the kernels of counted_kernels.hpp, as JSON: one object a launch.
#include "counted_kernels.hpp"

#include <cstdio>
#include <memory>
#include <vector>

namespace {

namespace executor = parprims::detail::simt::executor;

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
        std::printf("%s{\"name\": \"%s\"", first_ ? "" : ",\n", name.c_str());
        first_ = false;
        const auto print = [](const char* field, std::uint64_t value) {
            std::printf(", \"%s\": %llu", field, static_cast<unsigned long long>(value));
        };
        print("load requests", done.global_loads.requests);
        print("load sectors", done.global_loads.sectors);
        print("store requests", done.global_stores.requests);
        print("store sectors", done.global_stores.sectors);
        print("shared load conflicts", done.shared_loads.extra_passes);
        print("shared store conflicts", done.shared_stores.extra_passes);
        print("shared load passes", done.shared_loads.passes);
        print("shared store passes", done.shared_stores.passes);
        print("global atomic requests", done.global_atomics.requests);
        print("global atomic passes", done.global_atomics.passes);
        print("shared atomic requests", done.shared_atomics.requests);
        print("shared atomic passes", done.shared_atomics.passes);
        print("copies", done.copies);
        print("divergent branches", done.divergent_branches);
        std::printf(", \"mean active lanes\": %.2f}", done.mean_active_lanes());
    }

private:
    std::vector<std::shared_ptr<executor::buffer<unsigned char>>> memory_;
    bool first_ = true;
};

}  // namespace

int main()
{
    std::printf("[");
    launcher here;
    counted::launch_all(here);
    std::printf("]\n");
}
