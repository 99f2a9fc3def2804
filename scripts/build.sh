# Part of ./dev: what is built, and the verbs install, flags and format.

# build PRESET TARGETS: configures and builds; TARGETS is a space-separated list.
build() {
    configure "$1"
    compile "$1" "$2"
}

# configure PRESET [cmake options]. What an option says stays in the folder's cache: one that another verb does without is
# given by every verb, or by the preset, or in a folder of its own (-B).
configure() {
    local preset=$1
    shift
    cmake --preset "$preset" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache)" \
        -DBOUGH_WERROR="${BOUGH_WERROR:-OFF}" "$@" >build/"$preset".log || { cat build/"$preset".log; exit 1; } >&2
}

# compile FOLDER TARGETS: the folder below build/
compile() {
    step "building $1: $2"
    cmake --build build/"$1" -j "$jobs" --target $2 >&2
}

build_release() { build release "$1"; }

verb_install() {
    local variants=
    if [ "${3:-}" = --variants ] && [ $# -eq 3 ]; then variants=" bough_variants"; set -- "$1" "$2"; fi
    [ $# -eq 2 ] && [ "$1" = --prefix ] && [ -n "$2" ] || misused "install wants --prefix DIR, and nothing else but --variants behind it and --no-install"
    case $2 in *[\'\"]*) misused "--prefix $2: allowed is a folder's name without quotes in it" ;; esac
    need $pkgs_build
    onetbb
    build_release "bough bough_static bough_tbb bough-run bough-calibrate bough-info$variants"
    (cd "$caller" && cmake --install "$root/build/release" --prefix "$2")
}

flags() {
    no_options "$@"
    flags_can_name_this_folder
    need $pkgs_build
    onetbb
    build_release "bough bough_tbb bough-run"
    print_flags release
}

flags_can_name_this_folder() {
    case $PWD in *[[:space:]]*) die "this folder's name has a space in it, which flags cannot carry: move the checkout" ;; esac
}

# print_flags FOLDER: the folder below build/
print_flags() {
    local lib=$PWD/build/$1/lib compat=$PWD/build/$1/compat
    echo "-I$compat/include -I$PWD/include -L$compat/lib -ltbb -L$lib -lbough" \
        "-Wl,-rpath,$compat/lib -Wl,-rpath,$lib -pthread"
}

format() {
    local mode=-i
    case ${1:-} in
    '') ;;
    --check) mode="--dry-run -Werror"; shift ;;
    esac
    [ $# -eq 0 ] || bad_option "$1" "--check"
    need $pkgs_format
    sources | xargs -r clang-format-$llvm $mode
    # It leaves comments as they are.
    sources | xargs -r awk 'length > 120 { print FILENAME ":" FNR ": more than 120 columns"; long = 1 } END { exit long }'
}

sources() {
    find include src compat tools calibrate info simulate benchmarks tests examples -name '*.h' -o -name '*.cpp' | sort
}
