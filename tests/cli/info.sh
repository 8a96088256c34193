#!/bin/bash
# nvcosim info.
# usage: NVCOSIM=build/nvcosim tests/cli/info.sh
. "$(dirname "$0")/frame.sh"

nv info good/good.cfg
check info 0 "configuration small" "register write 30" "D_DATA_CUBE_WIDTH                0x00000007  WIDTH=7  [good.cfg:7]" \
    "FLYING_MODE=OFF" "load primary 0x80000000, 0x10 bytes from in.dat" "SDP #0, group 0, writes 8x1x8 at primary 0x80010000" \
    "SDP_0 raises event done" "CRC-32 of primary 0x80010000, 0x10 bytes == $crc, after event done"
nv info --json good/good.cfg; check info_json 0 '"kind": "register write"'
json info_json_parses stdout 'j["configuration"] == "small" and len(j["layers"]) == 2'
nv info plain.txn; check info_txn_is_full 0 "configuration full, sequential" "S_INTR_MASK"
nv info broken/broken.cfg; check info_bad_trace 2 "broken.cfg:31:"
nv info; check info_without_trace 2 "no trace is given"
nv info good hang; check info_two_traces 2 "found 'hang', expected one trace"
nv info --config small,macs=16x16,latency=128; check info_config_values 0 "small+macs-16x16+latency-128: register map of small, 256 MACs of INT8, 256 KB of CBUF" "128  clocks of latency that its reads bridge (small: 64)"
nv info --json --brief --config small,macs=16x16; check info_config_json 0 '"name":"small+macs-16x16","map":"small"' '"atomic_c":16'
nv info --config full,winograd=0,batch=1,compression=0,bdma=0; check info_config_full 0 "full+compression-0+winograd-0+batch-1+bdma-0: register map of full"
nv info --config full,macs=32x8; check info_config_full_array 2 "k=8: expected 16, with int16=1"
nv info --config small --spec; check info_spec 0 "#define MAC_ATOMIC_C_SIZE_8" "#define SDP_EW_DISABLE" "#define SECONDARY_MEMIF_WIDTH_x"
nv info --config full --spec; check info_spec_full 2 "found configuration full; NVIDIA's .spec files are of the register map of small"
"$NVCOSIM" info --config small --spec >mine.spec
nv info --config mine.spec; check info_spec_read 0 "small: register map of small" "mine.spec: without effect here: RUBIK_CONTRACT_DISABLE, "
nv info --spec; check info_spec_alone 2 "--spec: expected --config with it"
nv info --draw 1; check info_draw 0 "register map of small"
nv info --draw x; check info_draw_seed 2 "--draw: found 'x', expected a number"
nv info --config tiny good; check info_config 2 "there is no configuration 'tiny'"
finish
