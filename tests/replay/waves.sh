#!/bin/bash
# Records waves: an FST that GTKWave's own tools can read, limited to the cycles asked for, and a .gtkw whose signals exist in it.
#
# usage: waves.sh BUILD
. "$(dirname "$0")/frame.sh"
fresh "$1" waves
that "run with waves" "$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/all.fst" --out "$dir"
sed -i '0,/"rtl\//s/^S \( *\)\([0-9].*"rtl\/\)/S \11\2/' "$build/sim/nvcosim-small-waves/Vtb_top__verFiles.dat" # a file of rtl/ had another size
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/old.fst" --wave-from 300 --wave-to 310 --out "$dir" 2>"$dir/old.log" &&
    grep -qE '^rtl/[a-zA-Z_./0-9]+ has changed since the small simulator with waves was built: rebuilding it' "$dir/old.log" &&
    "$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/old.fst" --wave-from 300 --wave-to 310 --out "$dir" 2>"$dir/old.log" &&
    ! grep -q 'has changed' "$dir/old.log"
check "a simulator with waves whose RTL has changed is built again, once" $?
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/part.fst" --wave-from 300 --wave-to 400 --out "$dir"
check "run with a window of waves" $?
fst2vcd "$dir/all.fst" >"$dir/all.vcd" && fst2vcd "$dir/part.fst" >"$dir/part.vcd"
check "fst2vcd reads both" $?
that "the window is smaller" test "$(wc -c <"$dir/part.vcd")" -lt "$(wc -c <"$dir/all.vcd")"
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/new/folder/late.fst" --wave-from 9999999 --out "$dir" 2>"$dir/late.log"
check "run that ends before the window opens, waves into a new folder" $?
grep -E 'rand_sdp_pdp_001 had [0-9]+ cycles, so it was over before --wave-from 9999999: .*late.fst does not show it' "$dir/late.log"
check "it warns and says how many cycles there were" $?
fst2vcd "$dir/new/folder/late.fst" >/dev/null
check "fst2vcd reads it all the same" $?
that "and holds what the whole holds" tests/replay/wave_values.py same "$dir/all.fst" "$dir/part.fst"
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/all.fst" --out "$dir" 2>"$dir/all.log"
grep -qE "waves of [0-9]+ cycles: $dir/all.fst; open them with: gtkwave $dir/all.gtkw" "$dir/all.log"
check "a closing line says which files to open with what" $?

# Marks: what happens, as text.
marks() { tests/replay/wave_values.py mark "$dir/$1" "${@:2}"; }
marks all.fst CSB "SDP.S_POINTER = 0" "SDP.D_OP_ENABLE = 1" "PDP.D_OP_ENABLE = 1" "GLB.S_INTR_STATUS -> 0x10" "GLB.S_INTR_STATUS = 0x10"
check "marks of register accesses" $?
marks all.fst SDP "SDP #0 group 0 FLYING_MODE=OFF OUTPUT_DST=PDP" "" && marks all.fst SDP_RDMA "SDP_RDMA #0 group 0" ""
check "marks of the layers in flight" $?
that "marks of interrupts" marks all.fst interrupt "" dla_intr "dla_intr SDP_0" "dla_intr PDP_0" ""
marks all.fst dbb_AR SDP SDP_N "" SDP "" && marks all.fst dbb_R SDP SDP_N && marks all.fst dbb_AW PDP "" PDP && marks all.fst dbb_W PDP "" PDP &&
    marks all.fst dbb_B PDP "" PDP
check "marks of AXI clients" $?
marks all.fst stream_memory "" "event sync_0_pdp (line 136)" "" && marks all.fst stream_interrupt "interrupt SDP_0 (line 134)" ""
check "marks of what streams wait for" $?

# Windows by layer, and parts of the hierarchy.
record() { # FILE.fst OPTION...
    "$NVCOSIM" run -q traces/conformance/small/rand_mixed_000.nvt.gz --out "$dir" --wave "$dir/$1" "${@:2}"
}
record mixed.fst && record layer.fst --wave-layer 4 && record launch.fst --wave-layer SDP#1 && tests/replay/wave_values.py same "$dir/layer.fst" "$dir/launch.fst"
check "a layer by number and by name: the same waves" $?
marks layer.fst SDP "SDP #1 group 1 3x6x17 FLYING_MODE=OFF OUTPUT_DST=MEM" "" && ! marks layer.fst CDP_RDMA "CDP_RDMA #0 group 0" "" >/dev/null
check "from its arming to its end" $?
that "what they hold is the same" tests/replay/wave_values.py same "$dir/mixed.fst" "$dir/layer.fst"

# The save file, and GTKWave itself with it, from another folder and after it was moved.
fst2vcd "$dir/mixed.fst" >"$dir/mixed.vcd"
tests/replay/gtkw_names.py "$dir/mixed.vcd" "$dir/mixed.gtkw" Marks 15 "CSB and interrupt" 15 CDMA 20 CBUF 10 CSC 25 CMAC 7 CACC 8 \
    SDP 15 "SDP pipe and output" 15 PDP 20 CDP 20 "AXI read, primary" 12 "AXI write, primary" 14
check "every signal of the .gtkw is in the waves, in groups" $?
/usr/bin/python3 tests/replay/sucl_names.py "$dir/mixed.vcd" "$dir/mixed.gtkw" "$dir/mixed.sucl"
check "the commands for Surfer add the signals that the .gtkw shows unfolded" $?
that "none of the signals that it looks for has gone" tests/replay/gtkw_patterns.py "$dir/mixed.vcd" "$build"
mkdir -p "$dir/moved" && mv "$dir/mixed".[gf]* "$dir/moved"
cat >"$dir/picture.tcl" <<END
proc later {ms body} { after \$ms set ::woken 1; vwait ::woken; uplevel #0 \$body }
later 1500 { gtkwave::setMarker 8805000 }
later 800 { foreach name {csb2nvdla_addr CSB dat_state_q u_data/used_q} { puts "value \$name = [gtkwave::getTraceValueAtMarkerFromName \$name]" } }
later 500 { gtkwave::/File/Grab_To_File $(realpath "$dir")/gtkwave.png }
later 800 { gtkwave::/File/Quit }
END
root=$PWD moved=$(realpath "$dir/moved") pictures=$(realpath "$dir")
(cd / && "$root/scripts/with_screen.sh" gtkwave --rcvar "hide_sst on" -S "$pictures/picture.tcl" "$moved/mixed.gtkw") >"$dir/gtkwave.log" 2>&1
check "GTKWave opens it" $?
grep -qx 'value csb2nvdla_addr = SDP.D_OP_ENABLE' "$dir/gtkwave.log" && grep -qx 'value CSB = SDP.D_OP_ENABLE = 1' "$dir/gtkwave.log" &&
    grep -qx 'value dat_state_q = StateBusy' "$dir/gtkwave.log" && grep -qx 'value u_data/used_q = 36' "$dir/gtkwave.log"
check "and shows registers, marks and states by name, counts in decimal" $?
! grep -vE '^$|^GTKWave Analyzer|^(RCVAR  |FSTLOAD|GTKWAVE) \| |^Exiting\.|^value ' "$dir/gtkwave.log"
check "without a warning on its terminal" $?
that "and shows names, waves coloured by engine, values, a marker" tests/replay/wave_picture.py "$dir/gtkwave.png"
record scope.fst --wave-scope dut.u_pdp --wave-scope TOP.tb_top.dut.u_sdp.d --wave-scope tb_top:1
tests/replay/wave_values.py below "$dir/scope.fst" tb_top.dut.u_pdp tb_top.dut.u_sdp.d tb_top:1 &&
    tests/replay/wave_values.py same "$dir/moved/mixed.fst" "$dir/scope.fst"
check "parts of the hierarchy, and structures" $?
record none.fst --wave-scope dut.u_nothing 2>&1 | grep -q "warning: --wave-scope dut.u_nothing: the design has no signal below that name"
check "a part that does not exist is reported" $?
refused() { # TEXT OPTION...
    ends "refused: ${*:2}" 2 "$1" "$NVCOSIM" run traces/conformance/small/rand_mixed_000.nvt.gz --out "$dir" "${@:2}"
}
refused "--wave-layer 99: the trace has 4 layers that write memory" --wave "$dir/x.fst" --wave-layer 99
refused "--wave-layer CDP#7: the trace has no such launch" --wave "$dir/x.fst" --wave-layer CDP#7
refused "--wave-layer: found '0', expected" --wave "$dir/x.fst" --wave-layer 0
refused "--wave-layer and --wave-from or --wave-to exclude each other" --wave "$dir/x.fst" --wave-layer 1 --wave-from 5
refused "--wave-scope: found 'dut:0', expected" --wave "$dir/x.fst" --wave-scope dut:0
refused "need --wave FILE.fst" --wave-scope dut

# Activity, counted by two programs.
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --saif "$dir/power/window.saif" --wave-from 300 --wave-to 900 --html --out "$dir" 2>"$dir/saif.log" &&
    grep -q "their activity, for power tools: $dir/power/window.saif" "$dir/saif.log" && tests/replay/saif.py "$dir/power/window.fst" "$dir/power/window.saif" "$dir/rand_sdp_pdp_001"
check "the activity of each bit is that of the waves, and its sums are in the report" $?
record layer2.fst --saif "$dir/layer.saif" --wave-layer 4 && record layer3.fst --saif "$dir/again.saif" --wave-layer SDP#1 && cmp "$dir/layer.saif" "$dir/again.saif" &&
    tests/replay/saif.py "$dir/layer2.fst" "$dir/layer.saif"
check "of a layer, the same each time" $?
if [ "$(printf '%s\n' 5.036 "$(verilator --version | cut -d' ' -f2)" | sort -V | head -n 1)" = 5.036 ]; then # it has SAIF of its own
    tests/replay/verilator_saif.sh "$build" >"$dir/own_saif.log" 2>&1
    check "Verilator's own count of a layer's activity is the same" $? || cat "$dir/own_saif.log"
fi
refused "--saif: /dev/null/x.saif: /dev/null: cannot create the directory" --wave "$dir/x.fst" --saif /dev/null/x.saif
refused "has no signal of the design to count the activity of" --saif "$dir/x.saif" --wave-scope dut.u_nothing
that "which leaves no file" test ! -e "$dir/x.saif"

# Disks that are full: that of the waves (here: no file may grow beyond 100 KB), and that of the library's temporary files.
full() { # NAME: no half file, status 2 or 4 (CRASH), a message with the file's name
    [[ "$status" =~ ^[24]$ ]] && grep -q "$dir/$1.fst: the waves .*no space left" "$dir/$1.log" && [ ! -e "$dir/$1.fst" ] &&
        [ ! -e "$dir/$1.fst.hier" ] && ! grep -q '^PASS' "$dir/$1.log"
    check "$2 (status $status)" $? || cat "$dir/$1.log"
}
(ulimit -f 100 && exec "$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/limit.fst" --out "$dir") \
    >"$dir/limit.log" 2>&1
status=$?
full limit "a full disk under the waves is reported"
own_tmp() { # COMMAND: with a /tmp of 4 KB, if this user may have one, and the tree on /mnt, since it may lie in /tmp
    unshare "$@" bash -c 'mount --rbind . /mnt && cd /mnt && mount -t tmpfs -o size=4k tmpfs /tmp && exec "$0" "$@"' "$NVCOSIM" run \
        traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/tmp.fst" --out "$dir" >"$dir/tmp.log" 2>&1
}
if unshare -m true 2>/dev/null; then own_tmp -m; status=$?; full tmp "full temporary files are reported"
elif unshare -rm true 2>/dev/null; then own_tmp -rm; status=$?; full tmp "full temporary files are reported"
else echo "SKIPPED no mount namespace: full temporary files"; fi

# SIGUSR1 starts a recording while a run plays.
"$NVCOSIM" run traces/conformance/small/rand_large_000.nvt.gz --wave "$dir/hand.fst" --wave-from 99999999 --out "$dir" >"$dir/hand.log" 2>&1 &
run=$!
takes_it() { (((16#$(sed -n 's/^SigBlk:\s*//p' "/proc/$run/status") >> 9) & 1)); } # SIGUSR1 is 10
until takes_it || ! kill -0 $run 2>/dev/null; do sleep 0.01; done
kill -USR1 $run
wait $run
that "SIGUSR1 starts recording" grep -qE 'hand.fst: recording (starts|stops) at cycle [0-9]+ \(SIGUSR1\)' "$dir/hand.log"
finish
