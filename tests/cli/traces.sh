#!/bin/bash
# The traces of the tests: an SDP layer that copies 8x1x8 elements with everything bypassed, and variants that each fail in one way.
# Sourced by frame.sh.
layer() { # DIR NAME
    mkdir -p "$1"
    {
        echo '{'
        echo '{offset:0x0, size:8, payload:0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08},'
        echo '{offset:0x8, size:8, payload:0xff 0xfe 0xfd 0xfc 0xfb 0xfa 0xf9 0xf8}'
        echo '}'
    } >"$1/in.dat"
    cat >"$1/$2.cfg" <<END
// a layer that copies
mem_init(pri_mem, 0x80000000, 0x40, ALL_ZERO);
mem_load(pri_mem, 0x80000000, "in.dat");
mem_init(pri_mem, 0x80010000, 0x40, AFIVE);
reg_write(NVDLA_SDP.S_POINTER_0, 0x0);
reg_write(NVDLA_SDP_RDMA.S_POINTER_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x7);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_HEIGHT_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_CHANNEL_0, 0x7);
reg_write(NVDLA_SDP_RDMA.D_SRC_BASE_ADDR_LOW_0, 0x80000000);
reg_write(NVDLA_SDP_RDMA.D_SRC_LINE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP_RDMA.D_SRC_SURFACE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP_RDMA.D_BRDMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_NRDMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_ERDMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_FEATURE_MODE_CFG_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_SRC_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x7);
reg_write(NVDLA_SDP.D_DATA_CUBE_HEIGHT_0, 0x0);
reg_write(NVDLA_SDP.D_DATA_CUBE_CHANNEL_0, 0x7);
reg_write(NVDLA_SDP.D_DST_BASE_ADDR_LOW_0, 0x80010000);
reg_write(NVDLA_SDP.D_DST_LINE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP.D_DST_SURFACE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP.D_DP_BS_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DP_BN_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DP_EW_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_FEATURE_MODE_CFG_0, 0x0);
reg_write(NVDLA_SDP.D_DST_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DATA_FORMAT_0, 0x0);
reg_write(NVDLA_SDP.D_CVT_OFFSET_0, 0x0);
reg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x1);
reg_write(NVDLA_SDP.D_CVT_SHIFT_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_OP_ENABLE_0, 0x1);
reg_write(NVDLA_SDP.D_OP_ENABLE_0, 0x1);
intr_notify(SDP_0, done);
sync_wait(NVDLA_SDP, done);
reg_read_check(NVDLA_SDP.S_STATUS_0, 0x0);
check_crc(done, pri_mem, 0x80010000, 0x10, 0x4f7f6f86);
END
}
layer good good
# the CRC of the 16 bytes, computed here so that the trace says nothing that is not checked elsewhere
crc=$(/usr/bin/python3 -c 'import zlib; print("0x%08x" % zlib.crc32(bytes(range(1, 9)) + bytes(range(0xff, 0xf7, -1))))')
sed -i "s/0x4f7f6f86/$crc/" good/good.cfg
cp good/in.dat good/good_golden_80010000.dat
printf 'unit,register,value\nGLB,S_INTR_MASK,0x00000000\nSDP,D_DATA_CUBE_WIDTH,0x00000007\nCDMA,S_STATUS,0x00000000\n' >good/good_regs.csv
cp -r good badgold && mv badgold/good.cfg badgold/badgold.cfg && rm badgold/good_*
sed 's/0xff 0xfe/0xff 0xee/' good/in.dat >badgold/badgold_golden_80010000.dat
mkdir badcrc && cp good/in.dat badcrc && sed "s/$crc/0x12345678/" good/good.cfg >badcrc/badcrc.cfg
mkdir badreg && cp good/in.dat badreg && sed 's/S_STATUS_0, 0x0/S_STATUS_0, 0x1/; s/reg_read_check(NVDLA_SDP.S_STATUS/reg_read_check(NVDLA_SDP.D_DATA_CUBE_WIDTH/' good/good.cfg >badreg/badreg.cfg
mkdir hang && cp good/in.dat hang && grep -v 'SDP.D_OP_ENABLE' good/good.cfg >hang/hang.cfg
mkdir odd && cp good/in.dat odd && sed 's/NVDLA_SDP.D_DP_EW_CFG_0, 0x1/NVDLA_SDP.D_DP_EW_CFG_0, 0x12/' good/good.cfg >odd/odd.cfg
mkdir stuck && cp good/in.dat stuck && sed 's/NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x7/NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x6/' good/good.cfg >stuck/stuck.cfg
mkdir open && cp good/in.dat open && sed 's/D_DST_BASE_ADDR_LOW_0, 0x80010000/D_DST_BASE_ADDR_LOW_0, 0x80000008/; s/0x80000000, 0x40, ALL_ZERO/0x80000000, 0x80, ALL_ZERO/' good/good.cfg | grep -v check_crc >open/open.cfg
mkdir refused && cp good/in.dat refused && sed 's/SDP.D_DATA_FORMAT_0, 0x0/SDP.D_DATA_FORMAT_0, 0xf/' good/good.cfg >refused/refused.cfg
mkdir sleeps && cp good/in.dat sleeps && cp good/good.cfg sleeps/sleeps.cfg
mkdir broken && cp good/in.dat broken && sed 's/D_CVT_SCALE/D_CVT_SCALLOP/' good/good.cfg >broken/broken.cfg
mkdir missing && cp good/good.cfg missing/missing.cfg

# the same trace in the project's own format, and one of nvdlav1
"$NVCOSIM" convert good/good.cfg good.nvt.gz && "$NVCOSIM" convert good/good.cfg good.nvt || exit 2
echo 'write_reg 0xffff0001 0x0' >plain.txn
: >file
