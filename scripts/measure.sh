# Part of ./dev: the verbs bench, calibrate and demo.

bench() {
    need python3
    export BENCH_CALLED_AS="dev bench"
    (cd "$caller" && PYTHONPATH=$root/benchmarks $python -m runner.options "$@")
    case " $* " in *" --help "* | *" -h "*) return ;; esac
    need $pkgs_build $pkgs_bench $pkgs_plot
    case " $* " in *" --papers "*) need valgrind ;; esac
    onetbb
    local dir=build/bench wanted=bench_all files
    # These start variants of the library as well.
    case " $* " in *" --papers "*) wanted=bench_papers ;; esac
    [ "${BOUGH_STATS:-}" != 1 ] || wanted=bench_papers
    step "building the benchmarks with clang-$llvm"
    cmake -S . -B $dir -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-$llvm \
        -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache)" -DBOUGH_BUILD_BENCHMARKS=ON -DBOUGH_BUILD_TESTS=OFF \
        -DBOUGH_BUILD_CALIBRATE=ON -DBOUGH_TBB_ROOT="$PWD/build/onetbb" >build/bench.log ||
        { cat build/bench.log; exit 1; } >&2
    if [ ! -e $dir/.ninja_log ]; then
        files=$(ninja -C $dir -t commands $wanted | grep -c -e ' -c ')
        step "the first build compiles $files files: some $((files / 60)) minutes on 2 cores"
    fi
    cmake --build $dir -j "$jobs" --target $wanted >&2
    case " $* " in *" --drop-in "*) build_release "bough_tbb bough-run" ;; esac
    (cd "$caller" && $python "$root/benchmarks/run.py" --build "$root/$dir" "$@")
}

calibrate() {
    case " $* " in *" --help "* | *" -h "*) calibrate_usage; return ;; esac
    calibrate_options "$@"
    need $pkgs_build
    case " $* " in *" --plot"*) need $pkgs_plot ;; esac
    mkdir -p build
    onetbb
    build release bough-calibrate
    (cd "$caller" && "$root/build/release/bin/bough-calibrate" "$@")
}

# What bough-calibrate --help says; it need not be built.
calibrate_usage() {
    cat <<'TEXT'
usage: ./dev calibrate [options]

  --quick        5000 calls per team size instead of 10^5: seconds, but a rougher 99th percentile
  --threads N    largest team to measure, 2 to 4096 (default: the usable CPUs)
  --calls N      calls of parallel_for per team size, 100 to 10^7
  --output FILE  the profile's file (default: where the runtime looks)
  --force        write the profile even if the run is too noisy to be trusted
  --verbose      histograms as well, and every reason for doubt
  --json         results and profile as JSON on standard output; the report goes to standard error
  --plot FILE    draw the distribution times to this PNG file

It builds bough-calibrate and runs it. The machine should be quiet. More: calibrate/README.md
TEXT
}

# As bough-calibrate has them; it is not built yet.
calibrate_options() {
    local option value
    while [ $# -gt 0 ]; do
        option=${1%%=*}
        case $option in
        --quick | --json | --force | --verbose | --help | -h) ;;
        --threads | --calls | --output | --plot)
            [ "$option" != "$1" ] || [ $# -gt 1 ] || misused "$option wants a value"
            if [ "$option" = "$1" ]; then value=$2; shift; else value=${1#*=}; fi
            case $option in
            --threads) in_range "$option" "$value" 2 4096 ;;
            --calls) in_range "$option" "$value" 100 10000000 ;;
            esac
            ;;
        *) bad_option "$1" "--quick, --threads N, --calls N, --output FILE, --force, --verbose, --json, --plot FILE" ;;
        esac
        shift
    done
}

demo() {
    local yes=no
    case ${1:-} in --yes) yes=yes; shift ;; esac
    [ $# -eq 0 ] || bad_option "$1" "--yes"
    flags_can_name_this_folder
    ask_for $pkgs_library $pkgs_onetbb
    onetbb
    step "one to three minutes on 2 cores: compiling, then measuring in turns"
    local program out=build/demo tbb=$PWD/build/onetbb compile="c++ -O2 -std=c++17"
    # It does without the packages of tests and tools, so it has a build folder of its own.
    configure release -B $out -DBOUGH_BUILD_TESTS=OFF -DBOUGH_BUILD_CALIBRATE=OFF
    compile demo "bough bough_tbb"
    step "compiling examples/loops.cpp twice, against oneTBB and against bough; one_cpu.cpp and forks.cpp against oneTBB"
    $compile examples/loops.cpp -o $out/loops-onetbb -I"$tbb/include" -L"$tbb/lib" -ltbb -Wl,-rpath,"$tbb/lib" -pthread
    $compile examples/loops.cpp -o $out/loops-bough $(print_flags demo)
    for program in one_cpu forks; do
        $compile examples/$program.cpp -o $out/$program -I"$tbb/include" -L"$tbb/lib" -ltbb -pthread
    done
    step "running them in turns"
    $python examples/demo.py --bin $out --out $out --onetbb "$tbb/lib" --bough "$PWD/$out/compat/lib"
}
