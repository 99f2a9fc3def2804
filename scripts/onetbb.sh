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

# The system's package lists stay as they are: these are lists of sources, in a folder of our own.
onetbb_source() {
    local final=$root/build/onetbb-src part=$root/build/onetbb-src.part tarball
    [ "$(cat "$final/SHA256" 2>/dev/null)" != $tbb_tests_sha256 ] || return 0
    [ $install = yes ] || { echo "dev: oneTBB's source is missing in build/onetbb-src; run ./dev setup" >&2; return 1; }
    step "fetching the source of oneTBB $tbb_tests_version into build/onetbb-src"
    rm -rf "$part"
    mkdir -p "$part"/apt/{lists,cache/archives}/partial "$part"/apt/{parts,debs}
    source_lists "$part/apt/parts"
    local apt=(apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::sourcelist=/dev/null
        -o Dir::Etc::sourceparts="$part/apt/parts" -o Dir::State::lists="$part/apt/lists" -o Dir::Cache="$part/apt/cache")
    "${apt[@]}" update >&2 || true  # one list may be missing; whether the package is there shows below
    (cd "$part/apt/debs" && "${apt[@]}" source --download-only --tar-only onetbb >&2) || true
    tarball=$(echo "$part"/apt/debs/onetbb_*.orig.tar.xz)
    echo "$tbb_tests_sha256  $tarball" | sha256sum --check --quiet >&2 || {
        echo "dev: apt gave no source of oneTBB $tbb_tests_version, which Debian 12 has: it needs a mirror with deb-src lists" >&2
        return 1
    }
    mkdir "$part/tree"
    tar -xJf "$tarball" -C "$part/tree" --strip-components=1
    echo $tbb_tests_sha256 >"$part/tree/SHA256"
    rm -rf "$final"
    mv "$part/tree" "$final"
    rm -rf "$part"
}

# Of each list of binary packages that apt reads here, the list of their sources.
source_lists() {
    local list
    for list in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$1/${list##*/}"
    done
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >"$1/${list##*/}.list"
    done
}
