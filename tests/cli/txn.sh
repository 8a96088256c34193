#!/bin/bash
# Traces in the published style: outputs are dumped, never declared.
# usage: NVCOSIM=build/nvcosim tests/cli/txn.sh
. "$(dirname "$0")/frame.sh"

mkdir copy
/usr/bin/python3 -c 'for i in range(64): print(*("0x%02x" % ((i * 37 + k * 5) & 255) for k in range(32)))' >copy/in.dat
cat >copy/input.txn <<'END'
# SDP with everything bypassed copies a cube of 8x8x32, INT8
load_mem 0x80000000 0x800 in.dat
write_reg 0xffff2003 0x00000007 # SDP_RDMA.D_DATA_CUBE_WIDTH
write_reg 0xffff2004 0x00000007 # SDP_RDMA.D_DATA_CUBE_HEIGHT
write_reg 0xffff2005 0x0000001f # SDP_RDMA.D_DATA_CUBE_CHANNEL
write_reg 0xffff2006 0x80000000 # SDP_RDMA.D_SRC_BASE_ADDR_LOW
write_reg 0xffff2008 0x00000040 # SDP_RDMA.D_SRC_LINE_STRIDE
write_reg 0xffff2009 0x00000200 # SDP_RDMA.D_SRC_SURFACE_STRIDE
write_reg 0xffff200a 0x00000001 # SDP_RDMA.D_BRDMA_CFG
write_reg 0xffff2010 0x00000001 # SDP_RDMA.D_NRDMA_CFG
write_reg 0xffff2016 0x00000001 # SDP_RDMA.D_ERDMA_CFG
write_reg 0xffff201c 0x00000000 # SDP_RDMA.D_FEATURE_MODE_CFG
write_reg 0xffff201d 0x00000001 # SDP_RDMA.D_SRC_DMA_CFG
write_reg 0xffff240f 0x00000007 # SDP.D_DATA_CUBE_WIDTH
write_reg 0xffff2410 0x00000007 # SDP.D_DATA_CUBE_HEIGHT
write_reg 0xffff2411 0x0000001f # SDP.D_DATA_CUBE_CHANNEL
write_reg 0xffff2412 0x80100000 # SDP.D_DST_BASE_ADDR_LOW
write_reg 0xffff2414 0x00000040 # SDP.D_DST_LINE_STRIDE
write_reg 0xffff2415 0x00000200 # SDP.D_DST_SURFACE_STRIDE
write_reg 0xffff2416 0x00000001 # SDP.D_DP_BS_CFG
write_reg 0xffff241b 0x00000001 # SDP.D_DP_BN_CFG
write_reg 0xffff2420 0x00000001 # SDP.D_DP_EW_CFG
write_reg 0xffff242c 0x00000000 # SDP.D_FEATURE_MODE_CFG
write_reg 0xffff242d 0x00000001 # SDP.D_DST_DMA_CFG
write_reg 0xffff242f 0x00000000 # SDP.D_DATA_FORMAT
write_reg 0xffff2430 0x00000000 # SDP.D_CVT_OFFSET
write_reg 0xffff2431 0x00000001 # SDP.D_CVT_SCALE
write_reg 0xffff2432 0x00000000 # SDP.D_CVT_SHIFT
write_reg 0xffff2002 0x00000001 # SDP_RDMA.D_OP_ENABLE
write_reg 0xffff240e 0x00000001 # SDP.D_OP_ENABLE
wait
read_reg 0xffff0403 0xffffffff 0x00000001 # GLB.S_INTR_STATUS
write_reg 0xffff0403 0x00000001 # GLB.S_INTR_STATUS
read_reg 0xffff0403 0xffffffff 0x00000000 # GLB.S_INTR_STATUS
dump_mem 0x80100000 0x800 in.dat
END
nv run --config small --dut model copy; check txn_copies 0 "PASS copy "
nv convert --config small copy copy.nvt; check txn_convert 0
that txn_windows_survive grep -q '^mem_reserve primary 0x80000000 0x80000000' copy.nvt
nv run --dut model copy.nvt; check txn_converted_copies 0 "PASS copy "
cp -r copy badcopy && sed -i 's/dump_mem 0x80100000/dump_mem 0x80100008/' badcopy/input.txn
nv run --config small --dut model badcopy; check txn_wrong_output 1 "FAIL badcopy"
finish
