#!/bin/bash
# scripts/gen_tables.py reports tables that do not fit each other.
# usage: NVCOSIM=build/nvcosim tests/cli/tables.sh
# shellcheck source=tests/cli/frame.sh
. "$(dirname "$0")/frame.sh"

mkdir -p tree/scripts tree/csrc/nvdla tree/rtl tree/tb
cp "$ROOT"/scripts/{gen_tables,tables}.py tree/scripts
cp "$ROOT/rtl/unused_fields.csv" tree/rtl
(cd "$ROOT/rtl" && printf 'tree/rtl/%s\n' */) | xargs mkdir -p
# with SED [TABLE]: clients.csv, or that table, as SED changes it
with() {
    cp "$ROOT"/csrc/nvdla/*.csv tree/csrc/nvdla
    cp "$ROOT"/tb/streams.csv tree/tb
    sed -i "$1" "tree/${2:-csrc/nvdla/clients.csv}"
    command=(/usr/bin/python3 tree/scripts/gen_tables.py sv out large)
}
ENGINES=csrc/nvdla/engines.csv

with ''
check tables_good 0
that tables_slot grep -q 'RdSlotSdpE = 5;' out/nvdla_pkg.sv
that tables_no_slot grep -q 'RdSlotBdma = -1;' out/nvdla_pkg.sv
with 's/RD_WEIGHT_SDP_N/RD_WEIGHT_SDP_X/'
check tables_no_field 1 "clients.csv:8: read client SDP_N: registers.csv has no field MCIF.CFG_RD_WEIGHT_1.RD_WEIGHT_SDP_X"
with 's/^\(read,SDP_E,.*\),7,5,/\1,7,,/'
check tables_slot_missing 1 "read client SDP_E: configuration large has it, but there is no slot_small"
with 's/,rubik$/,rubic/'
check tables_no_condition 1 "read client RUBIK: condition 'rubic' is no column of configurations.csv"
with 's/^read,PDP,2,/read,PDP,3,/'
check tables_id_twice 1 "read client CDP: id 3 belongs to another client"
with 's/^write,CDP,/wrote,CDP,/'
check tables_direction 1 "wrote client CDP: direction 'wrote', expected read or write"
with 's/INT16=1 /INT16 /' csrc/nvdla/registers.csv
check tables_value 1 "value 'INT16', expected NAME=NUMBER"

with '/^RUBIK,/d' $ENGINES
check engines_row_missing 1 "registers.csv:609: unit 'RBK' is in no row of engines.csv: add a row for its engine"
with 's/^BDMA,BDMA,BDMA,/BDMA,BDMA,BMDA,/' $ENGINES
check engines_unit_unknown 1 "engines.csv:20: unit 'BMDA', expected one of CFGROM, GLB, MCIF,"
with 's/,rubik,u_rubik/,rubic,u_rubik/' $ENGINES
check engines_folder 1 "engines.csv:21: folder 'rubic', but there is no such folder in rtl/: expected that of the sources of RUBIK"
with 's/CACC_SAT/CACC_OUT/' $ENGINES
check engines_tap_unknown 1 "engines.csv:11: tap 'CACC_OUT', but streams.csv has no stream with an order of unit CACC and that tap: expected one of CACC_SAT"
with 's/ CDP_CVT_IN / /' $ENGINES
check engines_tap_missing 1 "engines.csv: no engine has the tap CDP_CVT_IN of unit CDP, which streams.csv names: add it to the engine that makes the stream"
with 's/^GLB,/CSC,/' $ENGINES
check engines_twice 1 "engines.csv:22: engine 'CSC' is also in engines.csv:8: take it out of one of them"
with 's/u_cmac_b/u_cmac_a/' $ENGINES
check engines_instance_twice 1 "engines.csv:10: instance 'u_cmac_a' is also in engines.csv:9"
with 's/,CDMA_WT,,CBUF/,CDMA_WTS,,CBUF/' $ENGINES
check engines_interrupt_unknown 1 "engines.csv:6: interrupt 'CDMA_WTS', expected one of SDP, CDP,"
with 's/,CDMA_WT,,CBUF/,,,CBUF/' $ENGINES
check engines_interrupt_missing 1 "engines.csv: no engine has the interrupt 'CDMA_WT' of GLB.S_INTR_STATUS: add it to the engine that raises it"
with 's/PDP PDP_RDMA,PDP_IN/PDP,PDP_IN/' $ENGINES
check engines_never_over 1 "engines.csv:14: unit PDP_RDMA has launches (its register D_OP_ENABLE), but no interrupt ends them: add the unit to the ends of the engine whose interrupt does"
with 's/PDP PDP_RDMA,PDP_IN/PDP_RDMA PDP,PDP_IN/' $ENGINES
check engines_ends_order 1 "engines.csv:15: ends PDP_RDMA PDP, expected its own unit first, and an interrupt"
with 's/,RBK,ORANGE/,GLB,ORANGE/' $ENGINES
check engines_lane 1 "engines.csv:21: lane 'GLB' has no launches: expected one of BDMA, CDMA,"
with 's/,YELLOW,,1,40 30$/,YELLOW/; s/,YELLOW,,40 30$/,YELLOW/' $ENGINES
check engines_columns 1 "engines.csv:8: 12 columns, expected 14: engine,name,unit,"
mkdir -p tree/tb/nvidia
printf '%s\n' stream,valid,end,data 'CACC_SAT,a,,{i=3..0: b$(i/0)}' >tree/tb/nvidia/taps_small.csv
with ''
command=(/usr/bin/python3 tree/scripts/gen_tables.py taps out small tree/tb/nvidia/taps_small.csv dut)
check taps_repetition 1 "taps_small.csv: row 2: found '{i=3..0: b\$(i/0)}', expected repetitions like {i=7..0: lane"
printf '%s\n' stream,valid,end,data 'path U,a.b c' >tree/tb/nvidia/taps_small.csv
check taps_path 1 "taps_small.csv: row 2: found 'path U,a.b c', expected path NAME,PATH: PATH is an instance below the top module"
printf '%s\n' stream,valid,end,data 'path U,u.v' 'CACC_SAT,U.a,,{i=1..0: U.b$i[$(i*16+15):$(i*16)]}' >tree/tb/nvidia/taps_small.csv
check taps_repeated 0
that taps_repeated_lanes grep -qF '{dut.u.v.b1[31:16], dut.u.v.b0[15:0]}' out/taps.svh
rm tree/tb/nvidia/taps_small.csv
with 's/,BDMA,GREEN,/,BDMA,BLUE,/' $ENGINES
check engines_colour 1 "engines.csv:20: wave 'BLUE', expected one of RED, ORANGE,"
finish
