"""Conan 2 recipe, beside the sources: `conan create . ` with this file in their root."""
from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
import re


class Parprims(ConanFile):
    name = "parprims"
    description = "Reduce, scan and histogram for C++20, on the CPU and on the GPU, with the same bits"
    topics = ("cuda", "gpu", "reduce", "scan", "histogram")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cuda": [True, False]}
    default_options = {"shared": False, "cuda": False}
    exports_sources = "CMakeLists.txt", "LICENSE", "include/*", "lib/*"

    def set_version(self):
        number = int(re.search(r"PARPRIMS_VERSION (\d+)", load(self, "include/parprims/version.hpp")).group(1))
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def requirements(self):
        self.requires("onetbb/[>=2021.1]", transitive_headers=True, transitive_libs=True)
        self.requires("highway/[>=1.0]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PARPRIMS_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")

    def package_info(self):
        # Our own package file has the targets, and what a static library needs.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/parprims"]
        self.cpp_info.libs = ["parprims"]
