# Part of ./dev: Debian packages, which each verb asks for: those of this system by apt, those of arm64 unpacked.

readonly llvm=19
readonly pkgs_library="g++ cmake ninja-build pkg-config libhwloc-dev nlohmann-json3-dev"
readonly pkgs_build="$pkgs_library ccache libcli11-dev zlib1g-dev libgtest-dev"
readonly pkgs_onetbb="python3 python3-pip"
readonly pkgs_onetbb_tests="python3 xz-utils"
readonly pkgs_test="util-linux valgrind spin clang-$llvm"
readonly pkgs_sanitize="libclang-rt-$llvm-dev"
readonly pkgs_bench="clang-$llvm libomp-$llvm-dev libbenchmark-dev libeigen3-dev python3-jinja2 python3-scipy"
readonly pkgs_plot="python3 python3-matplotlib python3-numpy"
readonly pkgs_simulate="$pkgs_build clang-$llvm python3"
readonly pkgs_format="clang-format-$llvm"
readonly pkgs_lint="clang-tidy-$llvm"
readonly pkgs_mpi="openmpi-bin libopenmpi-dev"
readonly pkgs_aarch64="g++-aarch64-linux-gnu qemu-user"
# Of arm64, unpacked into build/arm64-root.
readonly debs_arm64="libc6 libgcc-s1 libstdc++6 libhwloc15 libhwloc-dev libudev1 libgtest-dev zlib1g zlib1g-dev nlohmann-json3-dev libcli11-dev"

installed() {
    if command -v dpkg-query >/dev/null; then
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
    else
        found_without_dpkg "$1"
    fi
}

# By its program or header. libomp and the sanitizers' library have neither: CMake and clang say that they miss them.
found_without_dpkg() {
    case $1 in
    ninja-build) command -v ninja ;;
    python3-pip) $python -m pip --version ;;
    python3-*) $python -c "import ${1#python3-}" ;;
    xz-utils) command -v xz ;;
    util-linux) command -v setarch ;;
    openmpi-bin) command -v mpirun ;;
    qemu-user) command -v qemu-aarch64 ;;
    g++-aarch64-linux-gnu) command -v aarch64-linux-gnu-g++ ;;
    libhwloc-dev) header hwloc.h ;;
    nlohmann-json3-dev) header nlohmann/json.hpp ;;
    libcli11-dev) header CLI/CLI.hpp ;;
    zlib1g-dev) header zlib.h ;;
    libgtest-dev) header gtest/gtest.h ;;
    libbenchmark-dev) header benchmark/benchmark.h ;;
    libeigen3-dev) header eigen3/Eigen/Core ;;
    lib*-dev) ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

header() { c++ -E -x c++ - <<<"#include <$1>"; }

note_missing() {
    missing=()
    local package
    for package in "$@"; do installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ]
}

need() {
    note_missing "$@" || return 0
    [ $install = yes ] || die "missing packages: ${missing[*]}"
    command -v apt-get dpkg-query >/dev/null || die "no apt and dpkg here; install by hand what Debian calls ${missing[*]}"
    step "installing ${missing[*]}"
    apt_install || { as_root apt-get update >&2 && apt_install; } || die "apt could not install: ${missing[*]}"
}

# As need, but says first what it would install, and asks, unless told `yes`.
ask_for() {
    note_missing "$@" || return 0
    if [ $install$yes = yesno ]; then
        local answer size
        size=$(apt-get install --print-uris -qq --no-install-recommends "${missing[@]}" 2>/dev/null | awk '{ s += $3 } END { printf "%.0f MB to fetch", s / 1e6 }')
        step "this installs ${missing[*]}, and what they need: ${size:-size unknown}"
        [ -t 0 ] || die "there is no terminal to ask whether that may be installed; ./dev demo --yes does not ask"
        read -rp "Install them? [y/N] " answer
        [[ $answer = [yY]* ]] || die "nothing was installed"
    fi
    need "$@"
}

apt_install() {
    # A new machine may still be busy with updates of its own.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" >&2
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "not root and no sudo; install by hand: ${missing[*]}"; fi
}

# Unpacked only: the system's own packages stay of one architecture, and nobody has to be root.
arm64_root() {
    local final=$root/build/arm64-root part=$root/build/arm64-root.part
    [ "$(cat "$final/CONTENTS" 2>/dev/null)" != "$debs_arm64" ] || return 0
    [ $install = yes ] || die "the arm64 libraries are missing in build/arm64-root; run ./dev setup --aarch64"
    step "fetching Debian's arm64 libraries into build/arm64-root"
    rm -rf "$part"
    mkdir -p "$part"/apt/{lists,cache/archives}/partial "$part"/apt/debs
    local apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
        -o Dir::State::lists="$part/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$part/apt/cache")
    "${apt[@]}" update >&2 || die "apt could not read the lists of arm64"
    (cd "$part/apt/debs" && "${apt[@]}" download $debs_arm64 >&2) || die "apt could not fetch: $debs_arm64 (arm64)"
    local deb
    for deb in "$part"/apt/debs/*.deb; do dpkg-deb -x "$deb" "$part"; done
    # Where the cross compiler does not look.
    cp -r "$part"/usr/include/aarch64-linux-gnu/. "$part/usr/include/"
    rm -rf "$part/apt" "$final"
    echo "$debs_arm64" >"$part/CONTENTS"
    mv "$part" "$final"
}

setup() {
    local aarch64=no mpi=no
    while [ $# -gt 0 ]; do
        case $1 in
        --aarch64) aarch64=yes ;;
        --mpi) mpi=yes ;;
        *) bad_option "$1" "--aarch64, --mpi" ;;
        esac
        shift
    done
    need $pkgs_build $pkgs_onetbb $pkgs_test $pkgs_sanitize $pkgs_bench $pkgs_plot $pkgs_format $pkgs_lint
    onetbb
    need $pkgs_onetbb_tests
    onetbb_source || step "going on without oneTBB's own tests"
    [ $mpi = no ] || need $pkgs_mpi
    [ $aarch64 = no ] || { need $pkgs_aarch64; arm64_root; }
    step "ready: ./dev demo, ./dev test"
}
