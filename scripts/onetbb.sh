# Part of ./dev: oneTBB in build/onetbb, by pinned wheels or Debian's package, and the source of its own tests.

tbb_version=$(sed -n 's/^set(BOUGH_ONETBB_VERSION \(.*\))$/\1/p' cmake/FetchOneTbb.cmake)
readonly tbb_version
# Whose tests ./dev test --onetbb runs: Debian 12's source package.
readonly tbb_tests_version=2021.8.0
readonly tbb_tests_sha256=7e9111b8bb59c8800bf6d0b06afe7b0891937443d2dae1ee1101c8e2ede6a7ef

onetbb() {
    if [ -e build/onetbb/lib/libtbb.so ]; then
        # Debian's makes way as soon as the wheels, which are of x86-64, can be had.
        case $(uname -m),$install,$(cat build/onetbb/VERSION 2>/dev/null) in
        "x86_64,yes,"*"(Debian)") ;;
        *) return 0 ;;
        esac
        if ! PIP_RETRIES=0 PIP_DEFAULT_TIMEOUT=5 onetbb_from_wheels 2>/dev/null; then
            step "PyPI still gives no oneTBB $tbb_version: staying with $(cat build/onetbb/VERSION)"
            return 0
        fi
    else
        [ $install = yes ] || die "oneTBB is missing in build/onetbb; run ./dev setup"
        need $pkgs_onetbb
        step "fetching oneTBB $tbb_version into build/onetbb"
        onetbb_from_wheels || onetbb_from_debian
    fi
    step "oneTBB $(cat build/onetbb/VERSION)"
}

onetbb_from_wheels() { cmake -D PLACE=build/onetbb -P cmake/FetchOneTbb.cmake >&2; }

onetbb_from_debian() {
    step "PyPI gave no oneTBB $tbb_version for this machine: using Debian's libtbb-dev instead; tests that need newer headers are left out"
    need libtbb-dev
    local part=build/onetbb.part libs
    libs=$(dirname "$(dpkg-query -L libtbb-dev | grep '/libtbb\.so$')")
    rm -rf build/onetbb $part
    mkdir -p $part/include $part/lib
    cp -r /usr/include/oneapi /usr/include/tbb $part/include/
    cp -P "$libs"/libtbb.so* "$libs"/libtbbmalloc.so* $part/lib/
    echo "$(dpkg-query -W -f='${Version}' libtbb-dev) (Debian)" >$part/VERSION
    # Files of an older date than the ones before them would not be compiled anew.
    find $part -type f -exec touch {} +
    mv $part build/onetbb
}

# Debian 12's source package.
onetbb_source() {
    debian_source onetbb $tbb_tests_version $tbb_tests_sha256 build/onetbb-src
}
