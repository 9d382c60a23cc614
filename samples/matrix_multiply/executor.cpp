// The kernels on the CPU, lane by lane.
#include "matrix_multiply/engine.hpp"
#include "matrix_multiply/multiply.hpp"
#include "support/executor_launcher.hpp"

namespace matrix_multiply {

namespace {

class executor_engine : public engine {
public:
    bool has(kernel which) const override { return which != cublas; }

    result run(kernel which, const shape& size) override
    {
        const problem one(size);
        samples::executor_launcher launcher;
        float* const c = launcher.allocate<float>(size.m * size.n);
        multiply(launcher, which, {launcher.bring(one.a), launcher.bring(one.b), c, size.m, size.n, size.k});
        return {one.is_product(launcher, c), 0, launcher.take_counts()};
    }
};

}  // namespace

std::unique_ptr<engine> make_executor_engine()
{
    return std::make_unique<executor_engine>();
}

}  // namespace matrix_multiply
