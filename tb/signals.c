/* Bit layout of tb_top's vectors; see signals.h. */
#include "tb/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct link_facts signal_links[SIGNAL_LINKS] = {{"CDMA to CBUF (data)", ENGINE_CDMA_DAT, ENGINE_CBUF},
                                                      {"CDMA to CBUF (weights)", ENGINE_CDMA_WT, ENGINE_CBUF},
                                                      {"CSC to CMAC (data)", ENGINE_CSC, ENGINE_CMAC},
                                                      {"CSC to CMAC (weights)", ENGINE_CSC, ENGINE_CMAC},
                                                      {"CMAC to CACC", ENGINE_CMAC, ENGINE_CACC},
                                                      {"CACC to SDP", ENGINE_CACC, ENGINE_SDP},
                                                      {"SDP to PDP", ENGINE_SDP, ENGINE_PDP},
                                                      {"CBUF to CSC (data)", ENGINE_CBUF, ENGINE_CSC},
                                                      {"CBUF to CSC (weights)", ENGINE_CBUF, ENGINE_CSC}};

struct signal_layout signal_layout(const struct nvdla_config *config) {
    const int bytes[AXI_PORTS] = {config->dbb_data_bits / 8,
                                  config->secondary_memory ? config->cvsram_data_bits / 8 : 0};
    struct signal_layout layout = {
        .ports = config->secondary_memory ? 2 : 1,
        .address_words = config->addr_bits > 32 ? 2 : 1,
        .out_words = 2,
        .in_words = 2,
        .id = 0x01000000u | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[0] << 8 | (uint32_t)config->addr_bits,
    };
    for (int p = 0; p < layout.ports; p++) {
        struct port_layout *port = &layout.port[p];
        port->bytes = bytes[p];
        port->strobe_words = bytes[p] > 32 ? 2 : 1;
        port->ids = layout.out_words;
        port->araddr = port->ids + 1;
        port->awaddr = port->araddr + layout.address_words;
        port->wstrb = port->awaddr + layout.address_words;
        port->wdata = port->wstrb + port->strobe_words;
        layout.out_words = port->wdata + bytes[p] / 4;
        port->in_ids = layout.in_words;
        port->rdata = port->in_ids + 1;
        layout.in_words = port->rdata + bytes[p] / 4;
    }
    return layout;
}

void signals_encode_reset(const struct signal_layout *layout, bool reset_n, uint32_t *in) {
    memset(in, 0, (size_t)layout->in_words * sizeof *in);
    in[0] = reset_n ? IN_RESET_N : 0;
}

void signals_encode_csb(const struct csb_inputs *inputs, uint32_t *in) {
    uint32_t flags = in[0] & ~(uint32_t)IN_CSB_VALID;
    if (inputs->valid) {
        flags &= ~(0xffff0000u | IN_CSB_WRITE | IN_CSB_NPOSTED);
        flags |= inputs->address << 14 | IN_CSB_VALID; /* word address in bits 31:16 */
        if (inputs->write) {
            flags |= IN_CSB_WRITE | (inputs->nposted ? IN_CSB_NPOSTED : 0);
            in[1] = inputs->data;
        }
    }
    in[0] = flags;
}

void signals_decode_csb(const uint32_t *out, struct csb_outputs *outputs) {
    *outputs = (struct csb_outputs){
        .ready = out[0] & OUT_CSB_READY,
        .valid = out[0] & OUT_CSB_VALID,
        .complete = out[0] & OUT_CSB_COMPLETE,
        .data = out[1],
    };
}

/* A number of one word or two. */
static uint64_t wide(const uint32_t *words, int count) {
    return count == 2 ? (uint64_t)words[1] << 32 | words[0] : words[0];
}

void signals_decode_port(const struct signal_layout *layout, int port, const uint32_t *out,
                         struct axi_outputs *outputs) {
    const struct port_layout *at = &layout->port[port];
    const uint32_t flags = out[0] >> (port * PORT_FLAGS);
    outputs->arvalid = flags & OUT_ARVALID;
    outputs->rready = flags & OUT_RREADY;
    outputs->awvalid = flags & OUT_AWVALID;
    outputs->wvalid = flags & OUT_WVALID;
    outputs->wlast = flags & OUT_WLAST;
    outputs->bready = flags & OUT_BREADY;
    if (outputs->arvalid || outputs->awvalid) {
        const uint32_t ids = out[at->ids];
        outputs->arid = ids & 0xff;
        outputs->arlen = ids >> 8 & 0xf;
        outputs->awlen = ids >> 12 & 0xf;
        outputs->awid = ids >> 16 & 0xff;
        outputs->araddr = wide(out + at->araddr, layout->address_words);
        outputs->awaddr = wide(out + at->awaddr, layout->address_words);
    }
    if (outputs->wvalid) {
        outputs->wstrb = wide(out + at->wstrb, at->strobe_words);
        const uint32_t *data = out + at->wdata;
        for (int i = 0; i < at->bytes / 4; i++) {
            outputs->wdata[4 * i] = data[i] & 0xff;
            outputs->wdata[4 * i + 1] = data[i] >> 8 & 0xff;
            outputs->wdata[4 * i + 2] = data[i] >> 16 & 0xff;
            outputs->wdata[4 * i + 3] = (uint8_t)(data[i] >> 24);
        }
    }
}

void signals_encode_port(const struct signal_layout *layout, int port, const struct axi_inputs *inputs, uint32_t *in) {
    const struct port_layout *at = &layout->port[port];
    const int shift = port * PORT_FLAGS;
    const uint32_t rlast = in[0] >> shift & IN_RLAST;
    uint32_t flags = inputs->arready ? IN_ARREADY : 0;
    flags |= inputs->awready ? IN_AWREADY : 0;
    flags |= inputs->wready ? IN_WREADY : 0;
    if (inputs->rvalid) {
        flags |= IN_RVALID | (inputs->rlast ? IN_RLAST : 0);
        in[at->in_ids] = (in[at->in_ids] & ~0xffu) | inputs->rid;
        uint32_t *data = in + at->rdata;
        for (int i = 0; i < at->bytes / 4; i++) {
            const uint8_t *byte = inputs->rdata + 4 * i;
            data[i] = (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
        }
    } else {
        flags |= rlast;
    }
    if (inputs->bvalid) {
        flags |= IN_BVALID;
        in[at->in_ids] = (in[at->in_ids] & ~0xff00u) | (uint32_t)inputs->bid << 8;
    }
    const uint32_t mask = (uint32_t)(IN_ARREADY | IN_RVALID | IN_RLAST | IN_AWREADY | IN_WREADY | IN_BVALID) << shift;
    in[0] = (in[0] & ~mask) | flags << shift;
}

/* The index of a name is the bit number of its flag; both ports share the names after the prefix. */
static const char *const csb_flag_names[] = {"dla_intr", "csb2nvdla_ready", "nvdla2csb_valid", "nvdla2csb_wr_complete"};
static const char *const axi_names[AXI_PORTS][10] = {
    {"nvdla_core2dbb_ar_arvalid", "nvdla_core2dbb_r_rready", "nvdla_core2dbb_aw_awvalid", "nvdla_core2dbb_w_wvalid",
     "nvdla_core2dbb_w_wlast", "nvdla_core2dbb_b_bready", "nvdla_core2dbb_ar_araddr, arid or arlen",
     "nvdla_core2dbb_aw_awaddr, awid or awlen", "nvdla_core2dbb_w_wstrb", "nvdla_core2dbb_w_wdata"},
    {"nvdla_core2cvsram_ar_arvalid", "nvdla_core2cvsram_r_rready", "nvdla_core2cvsram_aw_awvalid",
     "nvdla_core2cvsram_w_wvalid", "nvdla_core2cvsram_w_wlast", "nvdla_core2cvsram_b_bready",
     "nvdla_core2cvsram_ar_araddr, arid or arlen", "nvdla_core2cvsram_aw_awaddr, awid or awlen",
     "nvdla_core2cvsram_w_wstrb", "nvdla_core2cvsram_w_wdata"},
};

const char *signals_unknown(const struct signal_layout *layout, const uint32_t *aval, const uint32_t *bval,
                            const char **unknown) {
    enum { AR = 6, AW, STROBE, DATA };
    for (int i = 0; i < 4; i++) {
        if (bval[0] >> i & 1) {
            *unknown = csb_flag_names[i];
            return "x-on-csb";
        }
    }
    if ((aval[0] & OUT_CSB_VALID) && bval[1]) {
        *unknown = "nvdla2csb_data";
        return "x-on-csb";
    }
    for (int p = 0; p < layout->ports; p++) {
        const struct port_layout *at = &layout->port[p];
        const int shift = p * PORT_FLAGS;
        const uint32_t valid = aval[0] >> shift, x = bval[0] >> shift;
        int found = -1;
        for (int i = 0; i < PORT_FLAGS && found < 0; i++)
            if ((x >> 4 & (1u << i)) && (i != 4 || (valid & OUT_WVALID)))
                found = i;
        if (found < 0 && (valid & OUT_ARVALID) &&
            ((bval[at->ids] & 0xfff) || wide(bval + at->araddr, layout->address_words)))
            found = AR;
        if (found < 0 && (valid & OUT_AWVALID) &&
            ((bval[at->ids] & 0xfff000) || wide(bval + at->awaddr, layout->address_words)))
            found = AW;
        if (found < 0 && (valid & OUT_WVALID)) {
            const uint64_t strobe = wide(aval + at->wstrb, at->strobe_words);
            if (wide(bval + at->wstrb, at->strobe_words))
                found = STROBE;
            for (int i = 0; i < at->bytes && found < 0; i++)
                if ((strobe >> i & 1) && (bval[at->wdata + i / 4] >> (8 * (i % 4)) & 0xff))
                    found = DATA;
        }
        if (found >= 0) {
            *unknown = axi_names[p][found];
            return "x-on-axi";
        }
    }
    return NULL;
}

/* Place of each static input in pins, and its default (chapter 10 section 2). */
static const struct pin {
    const char *name;
    int word, bit, width;
    uint32_t value;
} pin_table[] = {
    {"global_clk_ovr_on", 0, 0, 1, 0},
    {"tmc2slcg_disable_clock_gating", 0, 1, 1, 0},
    {"test_mode", 0, 2, 1, 0},
    {"direct_reset_", 0, 3, 1, 1},
    {"nvdla_pwrbus_ram_c_pd", 1, 0, 32, 0},
    {"nvdla_pwrbus_ram_ma_pd", 2, 0, 32, 0},
    {"nvdla_pwrbus_ram_mb_pd", 3, 0, 32, 0},
    {"nvdla_pwrbus_ram_p_pd", 4, 0, 32, 0},
    {"nvdla_pwrbus_ram_o_pd", 5, 0, 32, 0},
    {"nvdla_pwrbus_ram_a_pd", 6, 0, 32, 0},
};
enum { PIN_COUNT = sizeof pin_table / sizeof pin_table[0] };

static void pin_set(const struct pin *pin, uint32_t value, uint32_t *words) {
    const uint32_t mask = pin->width == 32 ? UINT32_MAX : 1u << pin->bit;
    words[pin->word] = (words[pin->word] & ~mask) | (value << pin->bit & mask);
}

bool signals_pins(const char *const *pins, uint32_t words[SIGNAL_PIN_WORDS], struct error *err) {
    memset(words, 0, SIGNAL_PIN_WORDS * sizeof *words);
    for (int i = 0; i < PIN_COUNT; i++)
        pin_set(&pin_table[i], pin_table[i].value, words);
    for (; pins && *pins; pins++) {
        const char *equals = strchr(*pins, '=');
        const size_t length = equals ? (size_t)(equals - *pins) : 0;
        const struct pin *pin = NULL;
        for (int i = 0; i < PIN_COUNT && !pin; i++)
            if (equals && strlen(pin_table[i].name) == length && !memcmp(pin_table[i].name, *pins, length))
                pin = &pin_table[i];
        if (!equals)
            return error_set(err, "pin '%s': expected NAME=VALUE", *pins);
        if (!pin)
            return error_set(
                err,
                "pin '%s': no such static input; there are global_clk_ovr_on, tmc2slcg_disable_clock_gating, "
                "test_mode, direct_reset_, nvdla_pwrbus_ram_{c,ma,mb,p,o,a}_pd",
                *pins);
        char *end;
        errno = 0;
        const unsigned long value = strtoul(equals + 1, &end, 0);
        if (end == equals + 1 || *end || errno || equals[1] == '-' ||
            (pin->width == 1 ? value > 1 : value > UINT32_MAX))
            return error_set(err, "pin '%s': expected a number of %d bit%s after '='", *pins, pin->width,
                             pin->width == 1 ? "" : "s");
        pin_set(pin, (uint32_t)value, words);
    }
    return true;
}
