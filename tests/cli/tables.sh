#!/bin/bash
# What scripts/gen_tables.py says of a clients.csv that does not fit the other tables.
# shellcheck source=tests/cli/frame.sh
. "$(dirname "$0")/frame.sh"

mkdir -p tree/scripts tree/csrc/nvdla tree/rtl
cp "$ROOT/scripts/gen_tables.py" tree/scripts
cp "$ROOT/rtl/unused_fields.csv" tree/rtl
# with SED: clients.csv as that changes it
with() {
    cp "$ROOT"/csrc/nvdla/*.csv tree/csrc/nvdla
    sed -i "$1" tree/csrc/nvdla/clients.csv
    command=(python3 tree/scripts/gen_tables.py sv out large)
}

with ''
check tables_good 0
that tables_slot grep -q 'RdSlotSdpE = 5;' out/nvdla_pkg.sv
that tables_no_slot grep -q 'RdSlotBdma = -1;' out/nvdla_pkg.sv
with 's/RD_WEIGHT_SDP_N/RD_WEIGHT_SDP_X/'
check tables_no_field 1 "clients.csv: read client SDP_N: registers.csv has no field MCIF.CFG_RD_WEIGHT_1.RD_WEIGHT_SDP_X"
with 's/^\(read,SDP_E,.*\),7,5,/\1,7,,/'
check tables_slot_missing 1 "read client SDP_E: configuration large has it, but there is no slot_small"
with 's/,rubik$/,rubic/'
check tables_no_condition 1 "read client RUBIK: condition 'rubic' is no column of configurations.csv"
with 's/^read,PDP,2,/read,PDP,3,/'
check tables_id_twice 1 "read client CDP: id 3 belongs to another client"
with 's/^write,CDP,/wrote,CDP,/'
check tables_direction 1 "wrote client CDP: direction 'wrote', expected read or write"
finish
