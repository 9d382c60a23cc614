// The kernels on the CPU, lane by lane.
#include "matrix_multiply/engine.hpp"
#include "matrix_multiply/multiply.hpp"
#include "support/executor_machine.hpp"

namespace matrix_multiply {

namespace {

class executor_engine : public engine {
public:
    bool has(kernel which) const override { return which != cublas; }

    result run(kernel which, const shape& size) override
    {
        const problem one(size);
        samples::executor_machine machine;
        float* const c = machine.allocate<float>(size.m * size.n);
        multiply(machine, which, {machine.bring(one.a), machine.bring(one.b), c, size.m, size.n, size.k});
        return {one.is_product(machine, c), 0, machine.take_counts()};
    }
};

}  // namespace

std::unique_ptr<engine> make_executor_engine()
{
    return std::make_unique<executor_engine>();
}

}  // namespace matrix_multiply
