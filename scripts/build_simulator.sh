#!/bin/bash
# Builds one simulator: Verilator translates an RTL, a C++ compiler compiles the result, and it is linked with the testbench.
#
# usage: build_simulator.sh BUILD CONFIG [NAME] [VARIANT] [FILELIST] [TOP] [VERILATOR_OPTIONS] [PINS] [TAPS]
#   NAME       empty: the RTL in rtl/; else the name of another RTL, given by FILELIST, TOP (default NV_nvdla) and options
#   PINS       NAME=VALUE ...: values of static inputs unless --pin sets others
#   TAPS       table of taps (docs/taps.md), which says where the RTL has its streams, for variants taps and waves;
#              empty: rtl/taps.csv for the RTL in rtl/ and copies of it, tb/nvidia/taps_CONFIG.csv for NVIDIA's, as far as they fit
#   VARIANT    empty: as fast as possible; waves: records FST, with checks; coverage, toggle: counts executed lines or toggled
#              bits; checks: the checks inside the RTL are compiled in (NVDLA_CHECKS), and the hardware works instead of its fast forms,
#              which are compared with it (NVDLA_BOTH_FORMS); taps: the streams inside the RTL can be read, as in waves. In checks
#              registers begin with random values, from --seed: one that needs an initialisation shows
# Environment, each empty if not given; a value is kept for later builds, and auto returns to the default:
#   COMPILER, OPT          C++ compiler (else DEFAULT_COMPILER) and its optimisation (else the best for that compiler)
#   SIM_THREADS            threads of the Verilated design, default 1
# and for this build only:
#   PROFILE                1: compiles with a profile, and makes one by playing traces if none fits; 0: forgets the profile;
#                          auto: 1 for a new simulator of NVIDIA's small or small_256; empty: uses a profile if one fits
#   TRAINING               traces that are played for the profile; else BUILD/nvcosim generates random layers
# Result: BUILD/nvcosim-CONFIG[-NAME][-VARIANT]. Prints one line for each step that does something.
set -eu -o pipefail
build=$1 config=$2 name=${3:-} variant=${4:-} filelist=${5:-} top=${6:-} options=${7:-} pins=${8:-} taps=${9:-}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
simulator=nvcosim-$config${name:+-$name}${variant:+-$variant}
dir=$build/sim/$simulator
mkdir -p "$dir"
exec 9>"$dir/lock" # one build at a time in a folder
flock 9
SECONDS=0

fail() {
    echo "build_simulator: $*" >&2
    exit 2
}

# What was chosen for this simulator: lines KEY=VALUE.
choice() { sed -n "s/^$1=//p" "$dir/chosen" 2>/dev/null || true; }
declare -A chosen=()
for key in COMPILER OPT SIM_THREADS; do
    chosen[$key]=${!key:-$(choice $key)}
    [ "${chosen[$key]}" != auto ] || chosen[$key]=
done
threads=${chosen[SIM_THREADS]:-1}
for tool in verilator "${chosen[COMPILER]:-${DEFAULT_COMPILER:-g++}}"; do
    command -v "$tool" >/dev/null || fail "$tool is not installed; \`make setup\` installs what is missing"
done
[[ $threads =~ ^[1-9][0-9]?$ ]] || fail "SIM_THREADS: found '$threads', expected 1 to 99"
case ${PROFILE:=} in '' | 0 | 1 | auto) ;; *) fail "PROFILE: found '$PROFILE', expected 1, 0 or auto" ;; esac
for key in COMPILER OPT SIM_THREADS; do echo "$key=${chosen[$key]}"; done >"$dir/chosen"

if [ -n "$name" ]; then
    [ -f "$filelist" ] || { echo "build_simulator: file list '$filelist' of RTL '$name' does not exist" >&2; exit 2; }
    # Foreign RTL is never lint clean: only warnings of its ports and of modules that are there twice count. Of the modules that replace NVIDIA's
    # the first one counts, and of those behind -v the last.
    sources=(-Wno-fatal -Wno-lint -Wno-style +1800-2017ext+sv tb/nvidia/NV_{DW02_tree,CLK_gate_power,NVDLA_CDMA_slcg}.sv -F "$filelist"
        -v tb/nvidia/nv_assert_no_x.sv)
    sources+=("+define+TB_TOP=${top:-NV_nvdla}")
    export PYTHONPATH=$root/python
    verilator=(/usr/bin/python3 -m nvcosim.rtl.verilate "$config" "${top:-NV_nvdla}" "$filelist" "$dir/verilator.log")
    # A copy of our RTL without the fast forms, as make rtl writes it, works with the hardware.
    ! grep -q '/nvdla_cacc\.sv' "$filelist" || grep -qE '/nvdla_(cacc_int8|cmac_fast)\.sv' "$filelist" || sources+=(-UNVDLA_FAST_FORMS)
    # shellcheck disable=SC2206 # the options are words
    sources+=($options)
else
    sources=("$build/gen/$config/nvdla_pkg.sv" -F rtl/nvdla.f)
    verilator=(log_of verilator)
fi
log_of() { "$@" >"$dir/verilator.log" 2>&1; }
[ "$threads" = 1 ] || sources+=(--threads "$threads")
define=(-DCOSIM_CONFIG="\\\"$config\\\"" -DCOSIM_RTL="\\\"$name\\\"")
case $variant in
'') ;;
waves) sources+=(--trace-fst --trace-structs +define+NVDLA_CHECKS) define+=(-DCOSIM_WAVES) ;;
# Splitting or reordering a block would part the counters from the statements they count: branches would be counted as not taken.
coverage)
    sources+=(--coverage-line -fno-split -fno-reorder) define+=(-DCOSIM_COVERAGE)
    # Versions that know the warning give it for counters in functions that are called in an index: these may count too often.
    ! verilator -Wno-SIDEEFFECT --version >/dev/null 2>&1 || sources+=(-Wno-SIDEEFFECT)
    ;;
toggle) sources+=(--coverage-toggle) define+=(-DCOSIM_COVERAGE) ;;
checks) sources+=(+define+NVDLA_CHECKS +define+NVDLA_BOTH_FORMS --x-initial unique) ;;
taps) ;;
*) echo "build_simulator: there is no variant '$variant'; expected waves, taps, coverage, toggle or checks" >&2; exit 2 ;;
esac

stamp() { cksum "$dir/Vtb_top.mk" "$dir"/Vtb_top__verFiles.dat 2>/dev/null || true; }
before=$(stamp)
# Newer versions of Verilator leave all as it is if files have other times and the same content: also their list, by whose sizes and times
# nvcosim finds what has changed since. Without the list they begin anew.
listed=$(sed -nE 's/^S +([0-9]+) +[0-9]+ +[0-9]+ +[0-9]+ +([0-9]+) .*"([^"]*)"$/\1 \2 \3/p' "$dir/Vtb_top__verFiles.dat" 2>/dev/null) || true
[ "$(cut -d' ' -f3- <<<"$listed" | xargs -d'\n' stat -Lc '%s %Y %n' 2>/dev/null)" = "$listed" ] || rm -f "$dir/Vtb_top__verFiles.dat"

# verilate [OPTION...]: a copy of the RTL in rtl/ takes registers and sizes of its configuration from a generated package, which its list
# need not name.
verilate() {
    local package was
    was=$(stamp)
    for package in "" "$build/gen/$config/nvdla_pkg.sv"; do
        "${verilator[@]}" --cc --vpi -f scripts/verilator.f --noassert --Mdir "$dir" --top-module tb_top \
            -f "$build/gen/$config/config.f" ${package:+"$package"} "${sources[@]}" "$@" tb/tb_top.sv >"$dir/warnings.new" && {
            [ "$was" = "$(stamp)" ] || mv "$dir/warnings.new" "$dir/warnings" # else Verilator has done nothing, and said nothing
            return 0
        }
        [ -n "$name" ] && grep -qE "^%Error.*'nvdla_pkg'|there is no header nvdla_unused\.svh" "$dir/verilator.log" || return
    done
}
no_rtl() {
    cat "$dir/verilator.log" >&2
    exit 1
}

# A copy of the RTL in rtl/ has its instances, whichever lists name its files: Verilator keeps a list of what it has read for this
# simulator, or for the one without a variant.
read_files() { cat "$dir/Vtb_top__verFiles.dat" 2>/dev/null || cat "$build/sim/nvcosim-$config-$name/Vtb_top__verFiles.dat" 2>/dev/null; }
is_copy() { [ -n "$name" ] && [ "${top:-NV_nvdla}" = NV_nvdla ] && read_files | grep -F '/nvdla_csc_sequence.sv"' >/dev/null; }
[ -z "$name" ] || read_files >/dev/null || verilate || no_rtl
copy=
! is_copy || copy=1
foreign=false has_checks=true
[ -z "$name" ] || [ -n "$copy" ] || foreign=true
! $foreign || read_files | grep -F '/nvdla_check.svh"' >/dev/null || has_checks=false
# Whole networks hang behind NVIDIA's clock gates; not those of small of branch master with our gates of CDMA.
if $foreign && [[ $pins != *tmc2slcg_disable_clock_gating=* ]] && { [ "$config" != small ] || ! read_files | grep -F '/NV_NVDLA_mcif.v"' >/dev/null; } &&
    read_files | sed -n 's/^S .*"\(.*\)"$/\1/p' | grep -v '^tb/' | xargs -d'\n' grep -lE '^ *module +NV_CLK_gate_power\b' >/dev/null 2>&1; then
    pins="tmc2slcg_disable_clock_gating=1${pins:+ $pins}"
fi
define+=("-DCOSIM_FOREIGN=$foreign" -DCOSIM_PINS="\\\"${pins// /,}\\\"")

# Which client waits for which is known for the RTL in rtl/, and of its copies.
waits=()
if [ "$variant" = waves ]; then
    if [ -z "$name" ]; then
        waits=(+define+TB_WAITS "+incdir+$build/gen")
    elif [ -n "$copy" ]; then
        waits=(+define+TB_LINKS +define+TB_WAITS "+incdir+$build/gen")
    fi
fi

# Streams inside the RTL can be read where a table says where it has them. NVIDIA's RTL is known by an instance in it, below the top module or,
# in a wrapper, deeper.
case $variant in waves | taps) has_taps=true ;; *) has_taps=false ;; esac
# Other banks of CBUF, bursts and latencies leave its names and widths as they are.
nvidia=$(sed -E 's/\+(banks|burst|latency)-[0-9]+//g' <<<"$config")
nvidia_taps=tb/nvidia/taps_$nvidia.csv
find_nvidia() {
    [ -f "$nvidia_taps" ] || return 0
    { cat "$dir"/Vtb_top*.h "$build/sim/nvcosim-$config-$name"/Vtb_top*.h 2>/dev/null || true; } | { grep -oE 'tb_top__DOT__dut__DOT__([A-Za-z0-9_]+__DOT__)?u_partition_c__DOT__' || true; } |
        sort | uniq -c | sort -rn | sed -nE '1s/.*tb_top__DOT__(.*)__DOT__u_partition_c__DOT__/\1/p' | sed 's/__DOT__/./g'
}
scope=
! $foreign || [ -n "${taps#nvidia}" ] || scope=$(find_nvidia)
[ "$taps" != nvidia ] || [ -n "$scope" ] || taps= # another RTL was built under this name before
[ -n "$taps" ] || if ! $foreign; then taps=own; elif [ -n "$scope" ]; then taps=nvidia; fi
table=$taps waits_table=rtl/waits.csv streams=() absent_streams=()
case $taps in own) table=rtl/taps.csv ;; nvidia) table=$nvidia_taps waits_table=tb/nvidia/waits_${nvidia%_256}.csv ;; esac
write_tables() {
    local file
    /usr/bin/python3 scripts/gen_tables.py taps "$dir/new" "$config" "$table" "${scope:-dut}" ${absent_streams[0]+"${absent_streams[@]}"} >&2
    [ "$taps" != nvidia ] || /usr/bin/python3 scripts/gen_waits.py "$dir/new" "$waits_table" "$scope" >&2
    for file in "$dir"/new/*.svh; do cmp -s "$file" "$dir/${file##*/}" || mv "$file" "$dir"; done
    rm -rf "$dir/new"
}
if [ -n "$table" ] && { $has_taps || [ "$taps" != own ]; }; then # a table that is given is looked at early
    write_tables
    ! $has_taps || streams=(+define+TB_TAPS "+incdir+$dir")
    ! $has_taps || [ "$taps" != nvidia ] || waits=(+define+TB_WAITS)
    # In the form of Verilator's list: nvcosim builds again when a table has changed.
    ! $has_taps || stat -Lc 'S %s 0 0 0 %.9Y "%n"' "$table" "$waits_table" | sed -E 's/\.([0-9]{9} ")/ \1/' >"$dir/tables"
fi

# Leaves the streams out whose names Verilator has not found, until the others are accepted, and the waits if one of theirs is not. Fails if
# an error is not of these.
verilate_what_fits() {
    local names=() lines absent known
    until verilate ${waits[0]+"${waits[@]}"} "${streams[@]}" --error-limit 9999; do
        absent=$(sed -nE "s/^%Error.*waits\\.svh:.*'($scope\\.)?([^']*)'$/\\2/p" "$dir/verilator.log" | head -n 1)
        lines=$(sed -nE 's/^%Error[^:]*: [^ ]*taps\.svh:([0-9]+):.*/\1p/p' "$dir/verilator.log")
        if [ -n "$absent" ]; then
            waits=()
            echo "warning: $waits_table has $absent, which this RTL has not: what waits for what is seen at links and ports alone"
        fi
        [ -n "$lines" ] || { [ -n "$absent" ] && continue; } || return
        mapfile -t -O "${#names[@]}" names < <(sed -nE "s/^%Error.*taps\\.svh:.*'($scope\\.)?([^']*)'$/\\2/p" "$dir/verilator.log")
        known=${#absent_streams[@]}
        mapfile -t -O "$known" absent_streams < <(sed -n "$lines" "$dir/taps.svh" | sed 's/.*\/\/ //; s/,.*//' | sort -u)
        [ "${#absent_streams[@]}" -gt "$known" ] || return
        write_tables
    done
    [ "${#absent_streams[@]}" = 0 ] || echo "warning: $nvidia_taps has names that this RTL has not, so these streams are not heard:" \
        "$(printf '%s\n' "${absent_streams[@]}" | sort -u | paste -sd ' '); names: $(printf '%s\n' "${names[@]}" | sort -u | head -n 10 | paste -sd ' ')"
}

if [ "$taps" = nvidia ] && $has_taps; then
    verilate_what_fits || no_rtl
elif ! verilate ${waits[0]+"${waits[@]}"} ${streams[0]+"${streams[@]}"}; then
    misfit=$(grep -m1 '^%Error' "$dir/verilator.log" | cut -c-200) || true
    # nvcosim shows what begins with "warning:".
    if [ -n "$copy" ] && [ "$taps" = own ] && [ -n "${streams[0]+x}" ] && verilate ${waits[0]+"${waits[@]}"}; then
        echo "warning: rtl/taps.csv does not fit this RTL ($misfit): its AXI streams alone are heard; --taps FILE brings a table of its own"
        streams=()
    elif [ -n "$copy" ] && [ -n "${waits[0]+x}" ] && verilate ${streams[0]+"${streams[@]}"}; then
        echo "warning: rtl/waits.csv does not fit this RTL ($misfit): what waits for what is seen at its ports alone"
    elif [ -n "$copy" ] && [ "$taps" = own ] && [ -n "${streams[0]+x}" ] && verilate; then
        echo "warning: rtl/taps.csv and rtl/waits.csv do not fit this RTL ($misfit): its AXI streams alone are heard"
        streams=()
    else
        [ -n "${streams[0]+x}" ] && grep -q 'taps.svh' "$dir/verilator.log" &&
            echo "build_simulator: taps.svh is made from $table: are its names those of the RTL, below its top module?" >>"$dir/verilator.log"
        no_rtl
    fi
fi
if [ -n "$name" ] && [ "$copy" != "$(is_copy && echo 1)" ]; then
    exec "$root/scripts/build_simulator.sh" "$@" # its sources were those of another RTL before
fi
cat "$dir/warnings" 2>/dev/null || true
[ "$before" = "$(stamp)" ] || echo "compiling the Verilated RTL: $simulator${streams[0]+, its streams by $table}"

# put FILE: writes its standard input there, unless it holds that already: what depends on it is compiled again when it changes.
put() {
    cat >"$1.new"
    cmp -s "$1.new" "$1" || mv "$1.new" "$1"
    rm -f "$1.new"
}

# Every file reads the same large headers, which costs more than to compile it: seven files are one unit. Kinds: fast, which is worth the
# optimiser's time, and slow. File by file is a few per cent faster when it runs, so the plain simulator is compiled so, unless it is huge or
# shall be built quickly.
units=() count=$(grep -cE '^[[:space:]]+Vtb_top' "$dir/Vtb_top_classes.mk")
for kind in FAST SLOW; do
    [ -n "$variant" ] || [ "$count" -gt 200 ] || [[ ${chosen[OPT]} == -O[01] ]] || break
    mapfile -t classes < <(awk -v kind="_$kind" '/^VM_/ { wanted = /^VM_(CLASSES|SUPPORT)_/ && index($1, kind) } /^[[:space:]]/ && wanted { print $1 ".cpp" }' "$dir/Vtb_top_classes.mk")
    for ((i = 0; i < ${#classes[@]}; i += 7)); do
        unit=unit_${kind,,}_$((i / 7))
        printf '#include "%s"\n' "${classes[@]:i:7}" | put "$dir/$unit.cpp"
        units+=("$unit.o")
    done
done

echo "${define[*]}" | put "$dir/defines"

# choose_compiler [profile]: the one that was chosen, else that of the fastest simulators, as measured: with a profile g++'s.
choose_compiler() {
    compiler=${DEFAULT_COMPILER:-g++}
    [ -z "${1:-}" ] || ! command -v g++ >/dev/null || compiler=g++
    compiler=${chosen[COMPILER]:-$compiler}
    version=$("$compiler" --version | head -n 1)
    case $version in
    *clang*) family=clang optimize=-O3 ;; # family: for profile.sh
    *) family=gcc optimize=-O2 ;;
    esac
    [ "$count" -le 200 ] || optimize=-O1 # else it takes an hour
    optimize=${chosen[OPT]:-$optimize}
}

# compile FOLDER EXE [OPTION...]: what lies in the folder, with options about the profile. OPT has a meaning of its own in Verilator's
# makefile.
compile() {
    local folder=$1 exe=$2
    shift 2
    { echo "$compiler $version $optimize $*"; cat tb/{verilated,simulator}.mk; [ -z "$profiled" ] || cat "$dir/profile"; } | put "$folder/settings"
    make -s -C "$folder" -f "$root/tb/simulator.mk" -j "$(nproc)" ROOT="$root" BUILD="$(realpath "$build")" EXE="$exe" \
        OPT= COMPILER="$compiler" OPTIMIZE="$optimize" PROFILE_OPTIONS="$*" DEFINES="${define[*]}" UNITS="${units[*]}" \
        >"$dir/make.log" 2>&1 || { cat "$dir/make.log" >&2; exit 1; }
}

# The last commit that touched the RTL, as far as git knows it.
revision() {
    local folder=$1 commit
    commit=$(timeout 10 git -C "$folder" log -1 --format=%h -- . 2>/dev/null) && [ -n "$commit" ] || return 0
    [ -z "$(GIT_OPTIONAL_LOCKS=0 timeout 10 git -C "$folder" status --porcelain -uno -- . 2>/dev/null)" ] || commit+=" and changes"
    echo "rtl: $commit"
}

if [ "$PROFILE" = auto ] && { [ -n "$variant" ] || [ -e "$build/$simulator" ] || [[ $config != small* ]] || [ -z "$(find_nvidia)" ]; }; then PROFILE=; fi
# shellcheck source=scripts/profile.sh
. scripts/profile.sh

# made.h, what made.cpp tells.
{
    echo "options: $optimize"
    # shellcheck disable=SC2001 # ${//} takes the longest match only
    echo "profile: $(sed 's:[^ ]*/::g' <<<"${profiled:-none}")"
    verilator --version | sed -E 's/^Verilator ([^ ]*).*/verilator: \1/'
    echo "threads: $threads"
    revision "$(dirname "${filelist:-rtl/nvdla.f}")"
    if [ -n "$name" ]; then # lists that nvcosim writes begin with what they are made of
        sed -nE '1s:^// (adapter .*|.* files? below .*):from\: \1:p' "$filelist"
        echo "list: $(realpath "$filelist")"
        [ "$top" = nvcosim_adapter ] || echo "top: ${top:-NV_nvdla}"
        [ -z "$pins" ] || echo "pins: $pins"
    fi
} | sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/; 1s/^/#define MADE \\\n/; $!s/$/ \\/' | put "$dir/made.h"

compile "$dir" "$(realpath "$build")/$simulator" ${use_profile[0]+"${use_profile[@]}"}

# What the variants of another RTL are built with later (nvcosim run --wave), and which of them are older than its last build.
[ -z "$name" ] || touch "$build/$simulator"
[ "$before" = "$(stamp)" ] || echo "$SECONDS" >"$dir/seconds" # nvcosim says beforehand how long the next build takes
[ -z "$name" ] || printf '%s\n' "FILELIST=$(realpath "$filelist")" "TOP=$top" "VERILATOR_OPTIONS=$options" "PINS=$pins" "TAPS=$taps" \
    "FOREIGN=$foreign" "HAS_CHECKS=$has_checks" >"$build/$config-$name.variables"
