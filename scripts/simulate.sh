# Part of ./dev: the verb simulate, the bench on the virtual machine.

simulate() {
    need python3
    (cd "$caller" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/simulate $python -m runner.options "$@")
    case " $* " in *" --help "* | *" -h "*) return ;; esac
    need $pkgs_simulate
    case " $* " in *" --plot"*) need $pkgs_plot ;; esac
    onetbb_source || step "going on without oneTBB"
    (cd "$caller" && PYTHONDONTWRITEBYTECODE=1 SIMULATE_COMPILER=clang++-$llvm SIMULATE_JOBS=$jobs \
        $python "$root/simulate/run.py" "$@")
}
