// The kernels on the GPU, timed, and cuBLAS beside them.
#include "matrix_multiply/cublas.hpp"
#include "matrix_multiply/engine.hpp"
#include "matrix_multiply/multiply.hpp"
#include "support/gpu_launcher.hpp"

namespace matrix_multiply {

namespace {

/// A problem on the GPU; it stays for all kernels.
struct loaded {
    explicit loaded(const shape& size)
        : one(size), p{launcher.bring(one.a),
                       launcher.bring(one.b),
                       launcher.allocate<float>(size.m * size.n),
                       size.m,
                       size.n,
                       size.k}
    {
    }

    samples::gpu_launcher launcher;
    problem one;
    product p;
};

class gpu_engine : public engine {
public:
    bool has(kernel which) const override { return which != cublas || library_ != nullptr; }

    result run(kernel which, const shape& size) override
    {
        if (!now_ || now_->one.size.m != size.m || now_->one.size.k != size.k || now_->one.size.n != size.n) {
            now_.reset();
            now_ = std::make_unique<loaded>(size);
            now_->launcher.stream().synchronize();
        }
        const product& p = now_->p;
        samples::gpu_launcher& launcher = which == cublas ? cublas_launcher_ : now_->launcher;
        launcher.set_to_zero(p.c.data, p.m * p.n);
        result measured;
        measured.seconds = launcher.median_seconds([&] {
            if (which == cublas)
                library_->multiply(p.a.data, p.b.data, p.c.data, p.m, p.n, p.k);
            else
                multiply(launcher, which, p);
        });
        measured.is_right = now_->one.is_product(launcher, p.c.data);
        return measured;
    }

private:
    samples::gpu_launcher cublas_launcher_;  // its stream is cuBLAS's
    std::unique_ptr<cublas_library> library_ = cublas_library::open(cublas_launcher_.stream().get());
    std::unique_ptr<loaded> now_;
};

}  // namespace

std::unique_ptr<engine> make_gpu_engine()
{
    return std::make_unique<gpu_engine>();
}

}  // namespace matrix_multiply
