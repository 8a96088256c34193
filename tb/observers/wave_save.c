/* GTKWave save file; see wave_save.h. A wave file made by Verilator names signals TOP.tb_top..., buses with their
 * range. */
#include "tb/observers/wave_save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/rtl_options.h"

/* Widths of buses that depend on the configuration; fixed ones are their number of bits. */
enum { ADDRESS = -1, PORT_DATA = -2, PORT_STROBE = -3, ATOM = -4, SDP_LANES_8 = -5, SDP_LANES_32 = -6, END = 0 };

struct trace {
    const char *name; /* below TOP.tb_top. */
    int bits;
};

static const struct trace csb[] = {
    {"dla_reset_rstn", 1},        {"clk", 1},
    {"csb2nvdla_valid", 1},       {"csb2nvdla_ready", 1},
    {"csb2nvdla_write", 1},       {"csb2nvdla_nposted", 1},
    {"csb2nvdla_addr", 16},       {"csb2nvdla_wdat", 32},
    {"nvdla2csb_valid", 1},       {"nvdla2csb_data", 32},
    {"nvdla2csb_wr_complete", 1}, {NULL, END},
};
static const struct trace interrupt[] = {{"dla_intr", 1}, {NULL, END}};
static const struct trace own_interrupt[] = {
    {"dut.sdp_done", 2},
    {"dut.pdp_done", 2},
    {"dut.intr", 1},
    {NULL, END},
};
/* Of one AXI port, below its prefix. */
static const struct trace axi_read[] = {
    {"ar_arvalid", 1},      {"ar_arready", 1},      {"ar_arid", 8},  {"ar_arlen", 4},
    {"ar_araddr", ADDRESS}, {"r_rvalid", 1},        {"r_rready", 1}, {"r_rid", 8},
    {"r_rlast", 1},         {"r_rdata", PORT_DATA}, {NULL, END},
};
static const struct trace axi_write[] = {
    {"aw_awvalid", 1},
    {"aw_awready", 1},
    {"aw_awid", 8},
    {"aw_awlen", 4},
    {"aw_awaddr", ADDRESS},
    {"w_wvalid", 1},
    {"w_wready", 1},
    {"w_wlast", 1},
    {"w_wstrb", PORT_STROBE},
    {"w_wdata", PORT_DATA},
    {"b_bvalid", 1},
    {"b_bready", 1},
    {"b_bid", 8},
    {NULL, END},
};
/* Streams of this project's RTL. */
static const struct trace sdp_in[] = {
    {"dut.u_sdp.m_mif_o.valid", 1},      {"dut.u_sdp.m_mif_i.ready", 1},
    {"dut.u_sdp.m_mif_o.addr", ADDRESS}, {"dut.u_sdp.m_mif_i.valid", 1},
    {"dut.u_sdp.m_mif_i.data", ATOM},    {"dut.u_sdp.b_mif_o.valid", 1},
    {"dut.u_sdp.b_mif_i.ready", 1},      {"dut.u_sdp.b_mif_o.addr", ADDRESS},
    {"dut.u_sdp.b_mif_i.valid", 1},      {"dut.u_sdp.b_mif_i.data", ATOM},
    {"dut.u_sdp.n_mif_o.valid", 1},      {"dut.u_sdp.n_mif_i.ready", 1},
    {"dut.u_sdp.n_mif_o.addr", ADDRESS}, {"dut.u_sdp.n_mif_i.valid", 1},
    {"dut.u_sdp.n_mif_i.data", ATOM},    {NULL, END},
};
static const struct trace sdp_pipe[] = {
    {"dut.u_sdp.run", 1},
    {"dut.u_sdp.group", 1},
    {"dut.u_sdp.src_valid", 1},
    {"dut.u_sdp.src_ready", 1},
    {"dut.u_sdp.src_data", SDP_LANES_32},
    {"dut.u_sdp.bs_valid", 1},
    {"dut.u_sdp.bs_ready", 1},
    {"dut.u_sdp.bs_data", SDP_LANES_32},
    {"dut.u_sdp.bn_valid", 1},
    {"dut.u_sdp.bn_ready", 1},
    {"dut.u_sdp.bn_data", SDP_LANES_32},
    {"dut.u_sdp.out_valid", 1},
    {"dut.u_sdp.out_ready", 1},
    {"dut.u_sdp.out_data", SDP_LANES_8},
    {NULL, END},
};
static const struct trace sdp_out[] = {
    {"dut.u_sdp.w_mif_o.valid", 1},
    {"dut.u_sdp.w_mif_i.ready", 1},
    {"dut.u_sdp.w_mif_o.addr", ADDRESS},
    {"dut.u_sdp.w_mif_o.dat_valid", 1},
    {"dut.u_sdp.w_mif_i.dat_ready", 1},
    {"dut.u_sdp.w_mif_o.dat_data", ATOM},
    {NULL, END},
};
static const struct trace sdp_pdp[] = {
    {"dut.sdp2pdp_valid", 1},
    {"dut.sdp2pdp_ready", 1},
    {"dut.sdp2pdp_data", SDP_LANES_8},
    {NULL, END},
};
static const struct trace pdp[] = {
    {"dut.u_pdp.r_mif_o.valid", 1},
    {"dut.u_pdp.r_mif_i.ready", 1},
    {"dut.u_pdp.r_mif_o.addr", ADDRESS},
    {"dut.u_pdp.r_mif_i.valid", 1},
    {"dut.u_pdp.r_mif_i.data", ATOM},
    {"dut.u_pdp.run", 1},
    {"dut.u_pdp.in_valid", 1},
    {"dut.u_pdp.in_ready", 1},
    {"dut.u_pdp.in_atom_data", ATOM},
    {"dut.u_pdp.beat_valid", 1},
    {"dut.u_pdp.beat_ready", 1},
    {"dut.u_pdp.tot_valid", 1},
    {"dut.u_pdp.tot_ready", 1},
    {"dut.u_pdp.out_valid", 1},
    {"dut.u_pdp.out_ready", 1},
    {"dut.u_pdp.w_mif_o.valid", 1},
    {"dut.u_pdp.w_mif_i.ready", 1},
    {"dut.u_pdp.w_mif_o.addr", ADDRESS},
    {"dut.u_pdp.w_mif_o.dat_valid", 1},
    {"dut.u_pdp.w_mif_i.dat_ready", 1},
    {"dut.u_pdp.w_mif_o.dat_data", ATOM},
    {NULL, END},
};

static int width(const struct nvdla_config *config, int bits, int port) {
    const int data = port ? config->cvsram_data_bits : config->dbb_data_bits;
    switch (bits) {
    case ADDRESS:
        return config->addr_bits;
    case PORT_DATA:
        return data;
    case PORT_STROBE:
        return data / 8;
    case ATOM:
        return config->mem_atom * 8;
    case SDP_LANES_8:
        return config->sdp_bs_throughput * 8;
    case SDP_LANES_32:
        return config->sdp_bs_throughput * 32;
    default:
        return bits;
    }
}

/* One collapsible group of signals: bits in binary, buses in hexadecimal. */
static void group(FILE *file, const struct nvdla_config *config, const char *title, const struct trace *traces,
                  const char *prefix, int port) {
    fprintf(file, "@800200\n-%s\n", title);
    for (const struct trace *t = traces; t->name; t++) {
        const int bits = width(config, t->bits, port);
        fprintf(file, "@%d\nTOP.tb_top.%s%s", bits == 1 ? 28 : 22, prefix, t->name);
        if (bits > 1)
            fprintf(file, "[%d:0]", bits - 1);
        fputc('\n', file);
    }
    fprintf(file, "@1000200\n-%s\n", title);
}

/* Writes the file. whole: its own name from the root on; ending: of the wave file, ".fst" or none. */
static void write_save(FILE *file, const char *whole, const char *ending, const struct nvdla_config *config,
                       bool own_rtl, uint64_t from) {
    static const char *const ports[][3] = {
        {"nvdla_core2dbb_", "AXI read, primary port", "AXI write, primary port"},
        {"nvdla_core2cvsram_", "AXI read, secondary port", "AXI write, secondary port"},
    };
    /* With both whole names GTKWave finds the wave file from any folder, also when the two have been moved together. */
    fprintf(file, "[*] nvcosim: 1 ns is 1 core clock, 0 is the first clock after reset\n");
    fprintf(file, "[dumpfile] \"%.*s%s\"\n[savefile] \"%s\"\n", (int)(strlen(whole) - strlen(".gtkw")), whole, ending,
            whole);
    /* Times are picoseconds, 1000 a cycle; the zoom shows about 100 cycles. */
    const unsigned long long start = (unsigned long long)from * 1000;
    fprintf(file, "[timestart] %llu\n[size] 1600 900\n[pos] -1 -1\n*-14.000000 %llu -1 -1\n", start, start);
    fprintf(file, "[treeopen] TOP.\n[treeopen] TOP.tb_top.\n[sst_width] 220\n[signals_width] 400\n");
    group(file, config, "CSB", csb, "", 0);
    group(file, config, "Interrupt", interrupt, "", 0);
    for (int p = 0; p < 1 + config->secondary_memory; p++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): secondary_memory is 0 or 1 */
        group(file, config, ports[p][1], axi_read, ports[p][0], p);
        group(file, config, ports[p][2], axi_write, ports[p][0], p);
    }
    if (own_rtl) {
        group(file, config, "Layer done by group", own_interrupt, "", 0);
        group(file, config, "SDP inputs", sdp_in, "", 0);
        group(file, config, "SDP pipe", sdp_pipe, "", 0);
        group(file, config, "SDP to memory", sdp_out, "", 0);
        group(file, config, "SDP to PDP", sdp_pdp, "", 0);
        group(file, config, "PDP", pdp, "", 0);
    }
}

bool waves_write_save(const char *path, const struct nvdla_config *config, bool own_rtl, uint64_t from,
                      struct error *err) {
    char *name = wave_save_path(path);
    FILE *file = fopen(name, "w");
    bool good = file != NULL;
    if (file) {
        char *whole = realpath(name, NULL);
        good = whole != NULL;
        if (whole)
            write_save(file, whole, path + strlen(name) - strlen(".gtkw"), config, own_rtl, from);
        free(whole);
        good = !ferror(file) && good;
        good = fclose(file) == 0 && good;
    }
    if (!good)
        error_set(err, "%s: %s beside it: %s", path, name, strerror(errno));
    free(name);
    return good;
}
