# Sourced by samples/run and tests/run: installs what a build needs, finds or fetches a CUDA compiler, configures, builds.
# shellcheck shell=bash

cuda_wheels=(
    nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
)
build_packages=(g++ cmake ninja-build pkg-config libtbb-dev libhwy-dev)
site_packages=(python3 python3-sphinx python3-breathe furo python3-myst-parser)

say() { printf '\n== %s\n' "$*"; }

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

print_environment_help() {
    cat <<'HELP'
Environment:
  PARPRIMS_BUILD_DIR   build folder (default: build-run in the repository)
  PARPRIMS_HOST_ONLY   1: no CUDA, even where there is a CUDA compiler
  PARPRIMS_INSTALL     0: install no system package; fail where one is missing
  PARPRIMS_CCACHE      0: compile everything anew, even where there is ccache
  JOBS                 compilations at a time (default: one a core, and one for every 2 GB of memory)
HELP
}

# install_packages <package>...: those that are missing, with apt.
install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            missing+=("$package")
    done
    if [[ ${#missing[@]} -eq 0 ]]; then
        say "system packages: all there"
        return
    fi
    if [[ ${PARPRIMS_INSTALL:-1} == 0 ]]; then
        die "missing system packages: ${missing[*]}"
    fi
    say "system packages to install: ${missing[*]}"
    command -v apt-get >/dev/null || die "no apt-get here; install by hand: ${missing[*]}"
    local as_root=()
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || die "neither root nor sudo here; install by hand: ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# fetch_arm_libraries <folder>: oneTBB and Highway for 64-bit Arm, from the distribution's packages, which are unpacked there and
# not installed.
fetch_arm_libraries() {
    local folder=$1 package options
    [[ ! -e $folder/complete ]] || return 0
    [[ ${PARPRIMS_INSTALL:-1} != 0 ]] && command -v apt-get >/dev/null || return 1
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" || return 1
    options=(-qq -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o "Dir::State::Lists=$folder/lists"
        -o "Dir::Cache=$folder/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=)
    apt-get "${options[@]}" update 2>/dev/null || return 1
    (cd "$folder" && apt-get "${options[@]}" download libtbb-dev:arm64 libtbb12:arm64 libhwy-dev:arm64 libhwy1:arm64 2>/dev/null) ||
        return 1
    for package in "$folder"/*.deb; do
        dpkg-deb --extract "$package" "$folder" || return 1
    done
    touch "$folder/complete"
}

# find_python: sets python, one that has matplotlib if there is any, otherwise one that has NumPy. Without them, all but pictures and
# what is compared with NumPy works.
find_python() {
    local module
    (install_packages python3 python3-numpy) || say "NumPy could not be installed: arrays.numpy and contract.python are skipped"
    (install_packages python3-matplotlib) || say "matplotlib could not be installed: there will be no pictures"
    for module in matplotlib numpy; do
        for python in python3 /usr/bin/python3; do
            if "$python" -c "import $module" 2>/dev/null; then
                return
            fi
        done
    done
    python=python3
}

# fetch_cuda_wheels <folder>: NVIDIA's compiler from its Python wheels, laid out as CMake expects a toolkit.
fetch_cuda_wheels() {
    local folder=$1 root
    if [[ ! -e $folder/complete ]]; then
        say "no nvcc of CUDA 12.8 or later: installing NVIDIA's toolkit wheels (${cuda_wheels[0]}) into $folder"
        rm -rf "$folder"
        python3 -m venv "$folder" || return 1
        "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps "${cuda_wheels[@]}" || return 1
        root=$(echo "$folder"/lib/python3*/site-packages/nvidia/cu13)
        ln -sfn lib "$root/lib64" && ln -sfn libcudart.so.13 "$root/lib/libcudart.so" || return 1
        ln -sfn "$root" "$folder/cuda" || return 1
        printf '__global__ void empty() {}\nint main() { empty<<<1, 1>>>(); }\n' >"$folder/try.cu"
        "$folder/cuda/bin/nvcc" -arch=sm_90 -o "$folder/try" "$folder/try.cu" || return 1
        touch "$folder/complete"
    fi
    [[ -x $folder/cuda/bin/nvcc ]]
}

# is_new_enough <nvcc>: whether it is there, and of CUDA 12.8 or later.
is_new_enough() {
    local major=0 minor=0
    [[ -x $1 ]] && read -r major minor < <("$1" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    ((100 * major + minor >= 1208))
}

# find_cuda: sets cuda_compiler, empty for a build with the host backend alone.
find_cuda() {
    local found
    cuda_compiler=""
    if [[ ${PARPRIMS_HOST_ONLY:-0} == 1 ]]; then
        say "host backend alone, as PARPRIMS_HOST_ONLY asks"
        return
    elif [[ -n ${CUDACXX:-} ]]; then
        cuda_compiler=$CUDACXX
    else
        for found in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
            if is_new_enough "$found"; then
                cuda_compiler=$found
                break
            elif [[ -x $found ]]; then
                say "$found is no nvcc of CUDA 12.8 or later"
            fi
        done
    fi
    if [[ -z $cuda_compiler ]]; then
        if { python3 -c 'import venv, ensurepip' 2>/dev/null || (install_packages python3 python3-venv); } &&
            fetch_cuda_wheels "$build_dir/cuda"; then
            cuda_compiler=$build_dir/cuda/cuda/bin/nvcc
        else
            say "no such nvcc here, and NVIDIA's toolkit wheels could not be installed: building the host backend alone"
        fi
    fi
    if [[ -n $cuda_compiler ]]; then
        say "CUDA compiler: $cuda_compiler"
    fi
}

# gpu_architecture: of the first GPU of this machine, as 90; nothing where there is none.
gpu_architecture() {
    { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | sed -n '1s/\.//p' |
        grep -x '[0-9]*' || true
}

# build_jobs: one a core, but nvcc takes about 2 GB a file.
build_jobs() {
    local cores memory_jobs
    cores=$(nproc)
    memory_jobs=$(awk '/^MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
    if ((memory_jobs < 1)); then
        memory_jobs=1
    fi
    echo $((cores < memory_jobs ? cores : memory_jobs))
}

# configure_and_build <cmake argument>...: into build_dir.
configure_and_build() {
    local arguments=(-S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@") architecture quick_kernels=OFF
    if [[ -n ${python:-} ]] && command -v "$python" >/dev/null; then
        arguments+=("-DPython3_EXECUTABLE=$(command -v "$python")")
    fi
    if [[ -n $cuda_compiler ]]; then
        architecture=$(gpu_architecture)
        if [[ -z $architecture ]]; then
            quick_kernels=ON
        fi
        arguments+=(-DPARPRIMS_CUDA=ON "-DCMAKE_CUDA_COMPILER=$cuda_compiler"
            "-DCMAKE_CUDA_ARCHITECTURES=${architecture:-90}" -DPARPRIMS_QUICK_KERNELS=$quick_kernels)
    else
        arguments+=(-DPARPRIMS_CUDA=OFF)
    fi
    if [[ ${PARPRIMS_CCACHE:-1} == 0 ]]; then # also in a folder that was configured with it
        arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_CUDA_COMPILER_LAUNCHER=)
    elif command -v ccache >/dev/null; then
        # Paths below the repository count from its root, so that another clone finds what this one compiled.
        export CCACHE_BASEDIR=$source_dir CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros
        arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    fi
    # A folder that was configured for another compiler cannot be turned over.
    if [[ -e $build_dir/CMakeCache.txt ]] &&
        [[ $(sed -n 's/^CMAKE_CUDA_COMPILER:[^=]*=//p' "$build_dir/CMakeCache.txt") != "$cuda_compiler" ]]; then
        rm -rf "$build_dir/CMakeCache.txt" "$build_dir/CMakeFiles"
    fi
    say "configuring $build_dir"
    cmake "${arguments[@]}"
    local jobs=${JOBS:-$(build_jobs)}
    say "building with $jobs jobs"
    cmake --build "$build_dir" --parallel "$jobs"
}

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=${PARPRIMS_BUILD_DIR:-$source_dir/build-run}
mkdir -p "$build_dir"
build_dir=$(cd "$build_dir" && pwd)
