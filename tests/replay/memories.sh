#!/bin/bash
# Memories behind the RTL (--memory, --traffic): the same bytes with each of them, the same clocks in each way of playing, a shared object
# with the clocks it promises, and what is refused.
# usage: tests/replay/memories.sh BUILD
set -u
B=$(realpath "${1:?usage: memories.sh BUILD}")
ROOT=$(realpath "$(dirname "$0")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 2
. "$ROOT/tests/replay/frame.sh"
log=judged
traces=("$ROOT"/traces/conformance/small/rand_{dc_000,sdp_000,pdp_001,cdp_000}.nvt.gz)

# clocks OPTION...: the clocks of each trace.
clocks() { timeout 300 "$B/nvcosim" run "$@" "${traces[@]}" 2>&1 | grep -o 'PASS .* op_cycles=[0-9]*'; }

for memory in ddr4-2400 lpddr4-3200 zcu102 ddr4-2400,bus_width=16,reads=1,writes=1,queue=1,page=closed ddr4-2400,in_flight=1; do
    clocks --memory "$memory" >shared
    clocks --memory "$memory" --fresh >fresh
    that "all pass with $memory" test "$(wc -l <shared)" = ${#traces[@]}
    that "the same clocks from a fresh simulator with $memory" cmp shared fresh
done
clocks --memory ddr4-2400 >alone
clocks --memory ddr4-2400 --traffic pattern=random,rate=30000,outstanding=64 >crowded
clocks --memory ddr4-2400 --traffic pattern=random,rate=30000,outstanding=64 --seed 2 >other_seed
that "other masters change the clocks" test "$(cat crowded)" != "$(cat alone)"
that "the seed is that of the traffic too" test "$(cat crowded)" != "$(cat other_seed)"

# A memory of so many clocks: ten more cost at least as much, and never less.
gcc -shared -fPIC -o fixed.so "$ROOT/tests/replay/fixed_memory.c" || exit 2
for n in 10 50 200; do
    printf 'clock_mhz: 1000\nwidth: 64\nburst: 8\nlibrary: ./fixed.so\nlibrary_parameters: "%s"\n' $n >fixed.yml
    clocks --memory ./fixed.yml >"fixed_$n"
    that "all pass with a shared object of $n clocks" test "$(wc -l <"fixed_$n")" = ${#traces[@]}
done
total() { grep -o 'op_cycles=[0-9]*' "$1" | awk -F= '{ sum += $2 } END { print sum }'; }
that "a slower shared object takes longer" test "$(total fixed_10)" -lt "$(total fixed_50)" -a "$(total fixed_50)" -lt "$(total fixed_200)"

# A recorded list plays once, or again and again.
printf '0 r 0x1000 64\n10 w 0x2000 128\n' >list
timeout 60 "$B/nvcosim" run --dut rtl --memory ddr4-2400 --traffic name=once,list=list --traffic name=again,list=list,loop=yes --out out "${traces[0]}" \
    >judged 2>&1
bytes() { jq ".devices[0].memory.masters[$1] | .read_bytes + .write_bytes" out/*/report.json; }
that "a list is played once" test "$(bytes 1)" = 192
that "a list is repeated" test "$(bytes 2)" -gt 19200
that "clients are reported" jq -e '.devices[0].memory.clients | map(.client) | index("CDMA_DAT") != null' out/*/report.json

# refused TEXT OPTION...
refused() { ends "refused: ${*:2}" 2 "$1" timeout 60 "$B/nvcosim" run "${@:2}" "${traces[0]}"; }
for n in 1 2 4 512; do
    clocks --memory ddr4-2400,in_flight=$n >"open_$n"
done
that "fewer transactions in all take longer" test "$(total open_1)" -gt "$(total open_2)" -a "$(total open_2)" -gt "$(total open_4)" \
    -a "$(total open_4)" -gt "$(total open_512)"
clocks --memory ddr4-2400,in_flight=1 --traffic rate=8000,outstanding=64 >open_others
that "other masters take places too, and all pass" test "$(wc -l <open_others)" = ${#traces[@]} -a "$(total open_others)" -gt "$(total open_1)"
clocks --memory ddr4-2400,reads=1,writes=1 >open_each
that "a limit for all is less than one for each kind" test "$(total open_1)" -gt "$(total open_each)"

refused "--traffic: needs --memory" --traffic rate=5
refused "--memory excludes --latency" --memory ddr4-2400 --latency 99
refused "rate: found 'fast', expected MB/s" --memory ddr4-2400 --traffic rate=fast
printf 'clock_mhz: 1000\nwidht: 64\n' >wrong.yml
refused "wrong.yml:2:1: found the key 'widht', expected a parameter of a memory (docs/memory.md); did you mean width?" --memory ./wrong.yml
printf '5 r 0x1000 64\n3 r 0 64\n' >list
refused "list:2: found clock 3, expected at least that of the line before" --memory ddr4-2400 --traffic list=list

finish
