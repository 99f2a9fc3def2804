# Part of ./dev: the verbs test, with oneTBB's own tests, and fuzz.

verb_test() {
    local preset=release long=OFF only='' peer=no presets="release, debug, asan, tsan, checks, aarch64"
    while [ $# -gt 0 ]; do
        case $1 in
        --long) export LONG=1; long=ON ;;
        --onetbb) peer=yes ;;
        --preset) [ $# -gt 1 ] || misused "--preset wants one of $presets"; preset=$2; shift ;;
        --only)
            [ $# -gt 1 ] && [ -n "$2" ] || misused "--only wants a regular expression"
            is_regex "$2" || misused "--only '$2': allowed is a regular expression"
            only=$2
            shift
            ;;
        *) bad_option "$1" "--preset, --long, --only, --onetbb" ;;
        esac
        shift
    done
    case $preset in
    release | debug | asan | tsan | checks | aarch64) ;;
    *) misused "unknown preset '$preset'; allowed: $presets" ;;
    esac
    if [ $peer = yes ]; then
        [ "$preset" = release ] || misused "--onetbb runs on release builds only"
        onetbb_tests $long "$only"
        return
    fi
    need $pkgs_build $pkgs_test
    if [ "$preset" = aarch64 ]; then need $pkgs_aarch64; arm64_root; else onetbb; fi
    configure "$preset" -DBOUGH_LONG_TESTS=$long
    local chosen=(all)
    if [ -n "$only" ]; then
        chosen=$($python tests/support/only.py build/"$preset" "$only") || exit
        mapfile -t chosen <<<"$chosen"
    else
        step "30 minutes on 2 cores at the first time, 8 when all is built; a sanitizer as long again"
    fi
    [ -z "${chosen[0]}" ] || compile "$preset" "${chosen[0]}"
    [ -z "${chosen[2]:-}" ] || export GTEST_FILTER=${chosen[2]}
    step "running the tests of $preset"
    ctest --preset "$preset" -j "$jobs" ${chosen[1]:+-R "${chosen[1]}"}
}

# onetbb_tests LONG REGEX
onetbb_tests() {
    need $pkgs_build $pkgs_test $pkgs_onetbb_tests
    onetbb
    case $(cat build/onetbb/VERSION) in
    $tbb_version*) ;;
    *) die "test --onetbb needs oneTBB $tbb_version, not $(cat build/onetbb/VERSION)" ;;
    esac
    onetbb_source || exit 1
    build_release "bough bough_tbb"
    local tests=$root/build/onetbb-tests long=()
    [ $1 = OFF ] || long=(--long)
    step "building oneTBB's tests: 3 minutes on 2 cores at the first time, with --long 40"
    cmake -S tests/onetbb -B "$tests" -G Ninja -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache)" \
        -DONETBB_SOURCE="$root/build/onetbb-src" -DONETBB_ROOT="$root/build/onetbb" -DBOUGH_BUILD="$root/build/release" \
        -DONETBB_LONG="$1" -DONETBB_ONLY="$2" >build/onetbb-tests.log || { cat build/onetbb-tests.log; exit 1; } >&2
    cmake --build "$tests" -j "$jobs" >&2
    step "running them"
    PYTHONDONTWRITEBYTECODE=1 $python tests/onetbb/run.py --tests "$tests" --onetbb build/onetbb \
        --bough build/release/compat/lib "${long[@]}"
}

fuzz() {
    local given=("$@") targets
    targets=$(cd tests/fuzz && echo *.dict)
    while [ $# -gt 0 ]; do
        case $1 in
        --minimise) ;;
        --seconds | --only)
            [ $# -gt 1 ] || misused "$1 wants a value"
            case $1 in
            --seconds) in_range "$1" "$2" 1 1000000 ;;
            --only) [ -f "tests/fuzz/$2.dict" ] || misused "--only $2: allowed is one of ${targets//.dict/}" ;;
            esac
            shift
            ;;
        *) bad_option "$1" "--seconds N, --only TARGET, --minimise" ;;
        esac
        shift
    done
    need $pkgs_build $pkgs_test $pkgs_sanitize python3
    build fuzz fuzz
    step "running the fuzzers"
    $python tests/fuzz/run.py "${given[@]}" build/fuzz/bin build/fuzz
}
