#!/bin/bash
# nvcosim export.
# usage: NVCOSIM=build/nvcosim tests/cli/export.sh
. "$(dirname "$0")/frame.sh"

nv export; check export_nothing 2 "no trace is given; expected a .cfg"
nv export good/good.cfg; check export_no_target 2 "--to is missing; expected c, uio"
nv export good/good.cfg --to c; check export_no_file 2 "-o is missing"
nv export good/good.cfg --to walk -o x; check export_unknown_target 2 "--to: found 'walk', expected c, uio"
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
nv export knot.nvt --to c -o x.c; check export_knot 2 "knot.nvt:4: waits for event a of knot.nvt:7, which stands behind knot.nvt:6, which waits for event b"
finish
