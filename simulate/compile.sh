#!/bin/sh
# The launcher of the compiler for what runs on the virtual machine: compile.sh COMPILER OPTION... -o OBJECT -c SOURCE.
# Between the compiler and the assembler, single instructions become calls of the machine, wherever they came from
# (built-ins, headers, assembly in a source): else real time, or an access that the machine does not see, would get into
# a run.
set -eu

object= before=
for argument; do
    [ "$before" = -o ] && object=$argument
    before=$argument
done

# The same command, but it ends with assembly.
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    case $argument in
    -c) set -- "$@" -S ;;
    "$object") set -- "$@" "$object.s" ;;
    *) set -- "$@" "$argument" ;;
    esac
    count=$((count - 1))
done
${SIMULATE_CCACHE-} "$@"

# The red zone is off, so a call may come anywhere. What is called keeps all registers but the results'.
sed -E -e 's/^\t(rdtsc|rdtscp|cpuid|pause|mfence|yield)([ \t].*)?$/\tcall simulate_\1/' \
    -e '/^\tlock[ \t]*$/{N;s/^\tlock[ \t]*\n\tnotb[ \t].*$/\tcall simulate_mfence/}' \
    -e '/^\tprefetchw[ \t].*%rsp/!s/^\tprefetchw[ \t]+(.*)$/\tpushq %rdi\n\tleaq \1, %rdi\n\tcall simulate_prefetchw\n\tpopq %rdi/' \
    -e '/^\tprefetch(t[012]|nta)[ \t].*%rsp/!s/^\tprefetch(t[012]|nta)[ \t]+(.*)$/\tpushq %rdi\n\tleaq \2, %rdi\n\tcall simulate_prefetch\n\tpopq %rdi/' \
    -i "$object.s"
"$1" -c -Wa,--no-warn "$object.s" -o "$object"
rm "$object.s"
