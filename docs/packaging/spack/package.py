from spack.package import *


class Parprims(CMakePackage, CudaPackage):
    """Reduce, scan and histogram for C++20, on the CPU and on the GPU, with the same bits."""

    homepage = "FIXME"
    git = "FIXME"

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("mpi", default=False, description="Ranks of MPI")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("tbb")
    depends_on("intel-oneapi-tbb@2021.1:", when="^[virtuals=tbb] intel-oneapi-tbb")
    depends_on("highway@1.0:")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.8:", when="+cuda")

    conflicts("%gcc@:11", msg="parprims needs C++20 of g++ 12")
    conflicts("+cuda cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=90")

    def cmake_args(self):
        args = [
            self.define_from_variant("PARPRIMS_CUDA", "cuda"),
            self.define_from_variant("PARPRIMS_MPI", "mpi"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if "+cuda" in self.spec:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
