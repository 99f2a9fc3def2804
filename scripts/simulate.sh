# Part of ./dev: the verb simulate, the bench on the virtual machine.

simulate() {
    need python3
    (cd "$caller" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/simulate $python -m runner.options "$@")
    case " $* " in *" --help "* | *" -h "*) return ;; esac
    need $pkgs_simulate
    case " $* " in *" --plot"*) need $pkgs_plot ;; esac
    onetbb_source || step "going on without oneTBB"
    case " $* " in *eigen*) need libeigen3-dev ;; esac
    case " $* " in *openmp*) openmp_source || die "without LLVM's OpenMP no runtime openmp-... can be run" ;; esac
    (cd "$caller" && PYTHONDONTWRITEBYTECODE=1 SIMULATE_COMPILER=clang++-$llvm SIMULATE_JOBS=$jobs \
        $python "$root/simulate/run.py" "$@")
}

# LLVM's OpenMP, of which the virtual machine compiles its own library. 165 MB, of which 9 are kept.
openmp_source() {
    debian_source llvm-toolchain-$llvm $llvm.1.7 ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce \
        build/openmp-src 'llvm*/openmp/*' 'llvm*/cmake/*'
}
