# Part of ./dev: sources that Debian 12 has, of oneTBB and of LLVM's OpenMP.

# debian_source PACKAGE VERSION SHA256 FOLDER [PATTERN...]: what the package's tarball has, or those files of it, in FOLDER.
# The system's package lists stay as they are: these are lists of sources, in a folder of our own.
debian_source() {
    local package=$1 version=$2 sha256=$3 folder=$4 part=$root/$4.part tarball
    shift 4
    [ "$(cat "$root/$folder/SHA256" 2>/dev/null)" != "$sha256" ] || return 0
    [ $install = yes ] || { echo "dev: the source of $package is missing in $folder; run this without --no-install" >&2; return 1; }
    step "fetching the source of $package $version into $folder"
    rm -rf "$part"
    mkdir -p "$part"/apt/{lists,cache/archives}/partial "$part"/apt/{parts,debs}
    source_lists "$part/apt/parts"
    local apt=(apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::sourcelist=/dev/null
        -o Dir::Etc::sourceparts="$part/apt/parts" -o Dir::State::lists="$part/apt/lists" -o Dir::Cache="$part/apt/cache")
    "${apt[@]}" update >&2 || true  # one list may be missing; whether the package is there shows below
    (cd "$part/apt/debs" && "${apt[@]}" source --download-only --tar-only "$package" >&2) || true
    tarball=$(echo "$part"/apt/debs/"${package}"_*.orig.tar.xz)
    echo "$sha256  $tarball" | sha256sum --check --quiet >&2 || {
        echo "dev: apt gave no source of $package $version, which Debian 12 has: it needs a mirror with deb-src lists" >&2
        return 1
    }
    mkdir "$part/tree"
    tar -xJf "$tarball" -C "$part/tree" --strip-components=1 --wildcards "$@"
    echo "$sha256" >"$part/tree/SHA256"
    rm -rf "${root:?}/$folder"
    mv "$part/tree" "$root/$folder"
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
