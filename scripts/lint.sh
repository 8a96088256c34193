#!/bin/bash
# Lint of everything: Verilator -Wall and Icarus for the RTL of every configuration, cppcheck and clang-format for C and C++, the
# layout of SystemVerilog (format_sv.py), shellcheck (.shellcheckrc) for scripts, pyflakes, types and sizes for Python, the order of
# the folders, opening comments, the index of the chapters. Prints the sizes by folder.
#
# usage: lint.sh PART CONFIG...      NIGHTLY=1 in the environment: clang-tidy too (it takes minutes), and the tests' scripts
#   PART   quick: what takes seconds, clang-format and pyflakes of what has changed since they found all clean; sources: that, shellcheck, and
#          cppcheck of what reads files and messages of others; rtl: Verilator and Icarus; fast: these without Verilator's look at checks and
#          both forms, which is the longest; all: with cppcheck of everything
set -u
cd "$(dirname "$0")/.." || exit 1
part=$1 failed=0
shift
case $part in quick | sources | fast | rtl | all) ;; *)
    echo "lint.sh: found '$part', expected quick, sources, fast, rtl or all" >&2
    exit 2
    ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
result() {
    if [ "$2" -eq 0 ]; then echo "ok    $1"; else echo "FAIL  $1"; failed=1; fi
}
rtl() {
    for config in "$@"; do
        for define in -DNVDLA_FAST_FORMS "-DNVDLA_CHECKS -DNVDLA_BOTH_FORMS"; do
            if [ "$part$define" != "fast-DNVDLA_CHECKS -DNVDLA_BOTH_FORMS" ]; then
                # shellcheck disable=SC2086 # the defines are words
                verilator --lint-only -Wall $define --no-timing --top-module tb_top -f "build/gen/$config/config.f" "build/gen/$config/nvdla_pkg.sv" \
                    -F rtl/nvdla.f tb/tb_top.sv
                result "verilator -Wall $config, $define" $?
            fi
            # shellcheck disable=SC2086 # as above
            remarks=$(scripts/iverilog.sh "$config" -t null $define 2>&1)
            status=$?
            [ -n "$remarks" ] && echo "$remarks" | head -20
            result "iverilog -g2012 $config, $define" $status
        done
        /usr/bin/python3 scripts/gen_tables.py taps "build/gen/$config" "$config" rtl/taps.csv dut &&
            verilator --lint-only -Wall +define+TB_TAPS+NVDLA_FAST_FORMS --no-timing --top-module tb_top -f "build/gen/$config/config.f" "+incdir+build/gen/$config" \
                "build/gen/$config/nvdla_pkg.sv" -F rtl/nvdla.f tb/tb_top.sv
        result "verilator -Wall $config with the streams of rtl/taps.csv" $?
    done
    scripts/unused_fields.py
    result "register fields that no module uses" $?
}
# changed TOOL FIND-WORDS...: the files that are younger than the last look of TOOL at which all were clean; passed() notes such a look.
changed() {
    mkdir -p build/lint && touch "build/lint/$1.new"
    [ ! -e "build/lint/$1" ] || set -- "$@" -newer "build/lint/$1"
    find "${@:2}" -print0 | sort -z
}
passed() {
    [ "$2" -ne 0 ] || mv "build/lint/$1.new" "build/lint/$1"
    result "$1" "$2"
}
quick() {
    [ ! .clang-format -nt build/lint/clang-format ] || rm -f build/lint/clang-format
    changed clang-format csrc tb tests \( -name '*.[ch]' -o -name '*.cpp' \) | xargs -0r clang-format-19 --dry-run --Werror >"$log" 2>&1
    status=$?
    head -20 "$log"
    passed clang-format $status
    find rtl tb tests -name '*.sv' -print0 | xargs -0 scripts/format_sv.py --check
    result "layout of SystemVerilog" $?
    changed pyflakes scripts python tests -name '*.py' | xargs -0r pyflakes3
    passed pyflakes $?
    (cd python && mypy --no-error-summary --cache-dir ../build/mypy nvcosim command.py)
    result "types of python/" $?
    scripts/check_words.py >"$log"
    status=$?
    head -20 "$log"
    result "words of docs/style.md" $status
    scripts/check_structure.py
    result "order of the folders, opening comments, sizes of python/" $?
    scripts/spec_index.py --check
    result "index of the chapters" $?
    scripts/hdl_lists.py --check
    result "files of the RTL for FuseSoC and Bender" $?
}
# sources FOLDER-OR-FILE...: those for cppcheck
sources() {
    # Shifts of negative numbers are arithmetic in the compilers that the project is for.
    cppcheck -q --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr \
        -Icsrc -I. -Ibuild/gen --suppress=missingIncludeSystem --suppress=shiftTooManyBitsSigned --suppress=normalCheckLevelMaxBranches \
        "$@"
    result "cppcheck $*" $?
    find scripts .ci/run ${NIGHTLY:+tests} \( -name '*.sh' -o -name '*.bash' -o -name run \) -type f -print0 | xargs -0 shellcheck --format=gcc
    result "shellcheck" $?
    if [ -n "${NIGHTLY:-}" ]; then
        includes=(-Icsrc -I. -Ibuild/gen -isystem "$(verilator -getenv VERILATOR_ROOT)/include/vltstd")
        printf '%s\0' csrc/*/*.c csrc/*/*/*.c tb/*.c tb/observers/*.c | xargs -0 -P "$(nproc)" -I '{}' clang-tidy --quiet '{}' -- -std=c17 -D_GNU_SOURCE \
            -Wall -Wextra -Wshadow -Wconversion "${includes[@]}" >"$log" 2>/dev/null
        status=$?
        cat "$log"
        result "clang-tidy" $status
    fi
}
[[ $part != @(fast|rtl|all) ]] || rtl "$@"
[[ $part = @(fast|rtl) ]] || quick
case $part in
sources) sources csrc/{doctor,import,live,loadable,memory,quantised,trace} ;;
all) sources csrc tb/*.c tb/observers/*.c ;;
esac
[[ $part = @(fast|rtl) ]] || scripts/sizes.py
exit $failed
