# Part of ./dev: what it says, and what it refuses among the options.

step() { printf '== %s\n' "$*" >&2; }
die() { printf 'dev: %s\n' "$*" >&2; exit 1; }
misused() { printf 'dev: %s\n' "$*" >&2; exit 2; }

no_options() { [ $# -eq 0 ] || misused "unknown option '$1'; allowed: --no-install"; }
bad_option() { misused "unknown option '$1'; allowed: $2, --no-install"; }

in_range() {
    [[ $2 =~ ^[0-9]{1,9}$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || misused "$1 $2: allowed is a whole number from $3 to $4"
}

# To be refused before minutes of building.
is_regex() { local status=0; grep -qE -e "$1" </dev/null || status=$?; [ $status -le 1 ]; } 2>/dev/null
