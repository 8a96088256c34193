#!/bin/bash
# nvcosim export.
# usage: NVCOSIM=build/nvcosim tests/cli/export.sh
. "$(dirname "$0")/frame.sh"

nv export; check export_nothing 2 "no trace is given; expected a .cfg"
nv export good/good.cfg; check export_no_target 2 "--to is missing; expected c, uio, txn, cfg or nvt"
nv export good/good.cfg --to c; check export_no_file 2 "-o is missing"
nv export good/good.cfg --to walk -o x; check export_unknown_target 2 "--to: found 'walk', expected c, uio, txn, cfg or nvt"
nv export good/good.cfg plain.txn --to c -o x; check export_two_traces 2 "found 'plain.txn', expected one trace"
nv export --seed x good/good.cfg; check export_bad_seed 2 "--seed: found 'x', expected a number"
nv export broken/broken.cfg --to c -o x.c; check export_bad_trace 2 "broken.cfg:31:"
that export_leaves_nothing test ! -e x.c
nv export good/good.cfg --to c -o nodir/x.c; check export_bad_place 2 "nodir/x.c"
nv export good/good.cfg --to c -o good.c; check export_c 0
that export_c_names_registers grep -q 'NVDLA_W(.*/\* SDP.D_OP_ENABLE \*/' good.c
that export_c_keeps_comments grep -q '/\* .*a layer that copies' good.c
nv export good/good.cfg --to uio -o good_uio.c; check export_uio 0
nv export good/good.cfg --to nvt -o ordered.nvt; check export_nvt 0
that export_nvt_is_sequential grep -q '^mode sequential' ordered.nvt
nv run --dut model ordered.nvt; check export_nvt_runs 0 "PASS ordered"
nv export ordered.nvt --to nvt -o again.nvt; check export_nvt_again 0
that export_order_is_stable cmp -s ordered.nvt again.nvt

# convolutions of one register group whose interrupts are expected and only waited for at the end
nv gen --engine conv --seed 5 -o convs -q; check export_gen 0
nv export convs/small_conv_5.nvt.gz --to nvt -o convs.nvt; check export_nvt_of_convolutions 0
nv run --dut model convs.nvt; check export_nvt_clears_each_interrupt 0 "PASS convs"

nv export good/good.cfg --to txn -o folder; check export_txn 0
that export_txn_writes test -s folder/input.txn
nv run --dut model --config small folder; check export_txn_runs 0 "PASS"
nv export good/good.cfg --to txn -o folder; check export_txn_keeps_what_is_there 2 "folder: already exists; expected a new or an empty folder"
nv export good/good.cfg --to txn -o nodir/folder; check export_txn_bad_place 2 "nodir/folder"
sed 's/^check_crc(\(.*\), 0x[0-9a-f]*);/check_crc(\1, 0x12345678);/' good/good.cfg >good/bad.cfg
nv export --no-golden good/bad.cfg --to txn -o bad; check export_txn_wrong_crc 2 "good/bad.cfg:" "(0x12345678); look at"
that export_txn_leaves_nothing sh -c '! ls -d bad bad.*.part 2>/dev/null'
printf 'nvt 1\nconfig full\nmode sequential\nmem_fill primary 0x100000000 0x20 0x1\nreg_write SDP.S_POINTER 0x0\n' >high.nvt
nv export high.nvt --to txn -o high; check export_txn_outside 2 "high.nvt:4: primary memory 0x100000000, 0x20 bytes, lies outside 0x80000000"
printf 'nvt 1\nconfig full\nmode sequential\nread_check SDP.S_STATUS == 0x0\n' >changed.nvt
nv export changed.nvt --to txn -o changed; check export_txn_says_what_changes 0 "for 1 read this differs from the trace"

nv export good/good.cfg --to cfg -o test; check export_cfg 0
that export_cfg_writes test -s test/test.cfg
nv run --dut model test; check export_cfg_runs 0 "PASS test"
nv export good/good.cfg --to cfg -o test; check export_cfg_keeps_what_is_there 2 "test: already exists"
nv export ordered.nvt --to cfg -o ordered; check export_cfg_of_a_sequence 0
that export_cfg_makes_events grep -q '^intr_notify(SDP_0, sync_' ordered/ordered.cfg
nv run --dut model ordered; check export_cfg_of_a_sequence_runs 0 "PASS ordered"
cannot() { # NAME TEXT LINE...: a trace that a .cfg cannot say
    local name=$1 text=$2
    shift 2
    printf 'nvt 1\nconfig small\nmode streams\n' >cannot.nvt
    printf '%s\n' "$@" >>cannot.nvt
    nv export cannot.nvt --to cfg -o cannot; check "export_cfg_$name" 2 "$text"
    that "export_cfg_${name}_leaves_nothing" sh -c '! ls -d cannot cannot.*.part 2>/dev/null'
}
cannot mask "cannot.nvt:4: a read compared with a mask, which a .cfg cannot express; compare the whole register" "read_check SDP.S_POINTER == 0x0 mask=0x1"
cannot wait "cannot.nvt:4: a wait for a level of the interrupt line" "wait high"
cannot stream "cannot.nvt:4: an operation in a stream that is not that of its kind" "reg_write SDP.S_POINTER 0x0 stream=CDP"
cannot unordered_check "cannot.nvt:5: a check or a release without an event" "mem_fill primary 0x80000000 0x20 0x0" "mem_crc primary 0x80000000 0x20 0x190a55ad"
cannot after "cannot.nvt:5: a register access with after=" "sync_notify CDP a" "reg_write SDP.S_POINTER 0x0 after=a"
cannot end_write "cannot.nvt:4: a write, a read or a poll at the end" "reg_write SDP.S_POINTER 0x0 end"
cannot less "cannot.nvt:4: a check for less or greater" "read_check SDP.S_POINTER <= 0x0"
printf 'nvt 1\nconfig small\nmode sequential\nsync_notify main a\ncheck_event after=a\n' >event.nvt
nv export event.nvt --to cfg -o event; check export_cfg_event_in_a_sequence 2 "event.nvt:4: an event in a trace without streams"
printf 'nvt 1\nconfig small\nmode sequential\nreg_write GLB.S_INTR_MASK 0x1\npoll GLB.S_INTR_STATUS == 0x1 mask=0x1\n' >masked.nvt
nv export masked.nvt --to cfg -o masked; check export_cfg_masked 2 "masked.nvt:5: waits for an interrupt that S_INTR_MASK masks"

# Two streams that wait for each other.
cat >knot.nvt <<'END'
nvt 1
config small
mode streams
sync_wait SDP a
sync_notify SDP b
sync_wait CDP b
sync_notify CDP a
END
nv export knot.nvt --to c -o x.c; check export_knot 2 "knot.nvt:4: waits for event a of knot.nvt:7, which follows knot.nvt:6, which waits for event b"
finish
