/* tb_top's vectors: layout, packing, unknown bits, static inputs. */
#include "tb/signals.h"
#include "tests/unit/test.h"

TEST(layouts_follow_the_port_widths) {
    const struct signal_layout small = signal_layout(nvdla_config_find("small"));
    assert_int_equal(small.ports, 1);
    assert_int_equal(small.out_words, 2 + 1 + 1 + 1 + 1 + 2);
    assert_int_equal(small.in_words, 2 + 1 + 2);
    assert_int_equal(small.id, 0x01000820);
    assert_int_equal(small.port[0].wdata, 6);
    const struct signal_layout full = signal_layout(nvdla_config_find("full"));
    assert_int_equal(full.ports, 2);
    assert_int_equal(full.out_words, 2 + 2 * (1 + 2 + 2 + 2 + 16));
    assert_int_equal(full.in_words, 2 + 2 * (1 + 16));
    assert_int_equal(full.id, 0x01404040);
    assert_true(full.out_words <= SIGNAL_OUT_WORDS && full.in_words <= SIGNAL_IN_WORDS);
    const struct signal_layout large = signal_layout(nvdla_config_find("large"));
    assert_int_equal(large.out_words, 2 + 2 * (1 + 2 + 2 + 1 + 8));
}

TEST(outputs_are_taken_from_their_bits) {
    const struct signal_layout layout = signal_layout(nvdla_config_find("small"));
    uint32_t out[SIGNAL_OUT_WORDS] = {OUT_ARVALID | OUT_RREADY | OUT_AWVALID | OUT_WVALID | OUT_WLAST,
                                      0,
                                      0x00a375c9,
                                      0x80001238,
                                      0x90005678,
                                      0x7e,
                                      0x04030201,
                                      0x88070605};
    struct axi_outputs port = {.wdata = {0}};
    signals_decode_port(&layout, 0, out, &port);
    assert_true(port.arvalid && port.rready && port.awvalid && port.wvalid && port.wlast);
    assert_false(port.bready);
    assert_int_equal(port.arid, 0xc9);
    assert_int_equal(port.arlen, 5);
    assert_int_equal(port.awlen, 7);
    assert_int_equal(port.awid, 0xa3);
    assert_int_equal(port.araddr, 0x80001238);
    assert_int_equal(port.awaddr, 0x90005678);
    assert_int_equal(port.wstrb, 0x7e);
    assert_memory_equal(port.wdata, "\1\2\3\4\5\6\7\x88", 8);
}

TEST(the_second_port_has_its_own_bits) {
    const struct signal_layout layout = signal_layout(nvdla_config_find("full"));
    const struct port_layout *at = &layout.port[1];
    uint32_t out[SIGNAL_OUT_WORDS] = {(OUT_ARVALID | OUT_WVALID) << PORT_FLAGS};
    out[at->ids] = 9;
    out[at->araddr] = 0x89abcdef;
    out[at->araddr + 1] = 0x01234567;
    out[at->wstrb + 1] = 0xffffffff;
    out[at->wdata + 15] = 0xaa000000;
    struct axi_outputs port = {.wdata = {0}};
    signals_decode_port(&layout, 1, out, &port);
    assert_true(port.arvalid && port.wvalid);
    assert_true(port.araddr == 0x0123456789abcdef && port.wstrb == 0xffffffff00000000);
    assert_int_equal(port.arid, 9);
    assert_int_equal(port.wdata[63], 0xaa);
    signals_decode_port(&layout, 0, out, &port);
    assert_false(port.arvalid || port.wvalid);

    uint32_t in[SIGNAL_IN_WORDS] = {0};
    const struct axi_inputs both[2] = {
        {.arready = true, .rvalid = true, .rid = 5, .rdata = {1}},
        {.wready = true, .bvalid = true, .bid = 3, .rvalid = true, .rlast = true, .rid = 9, .rdata = {[63] = 0x77}},
    };
    signals_encode_port(&layout, 0, &both[0], in);
    signals_encode_port(&layout, 1, &both[1], in);
    assert_int_equal(in[0], IN_ARREADY | IN_RVALID | (IN_WREADY | IN_BVALID | IN_RVALID | IN_RLAST) << PORT_FLAGS);
    assert_int_equal(in[layout.port[0].in_ids], 5);
    assert_int_equal(in[layout.port[1].in_ids], 0x309);
    assert_int_equal(in[layout.port[0].rdata], 1);
    assert_int_equal(in[layout.port[1].rdata + 15], 0x77000000);
}

TEST(idle_channels_leave_the_inputs_alone) {
    const struct signal_layout layout = signal_layout(nvdla_config_find("small"));
    uint32_t in[SIGNAL_IN_WORDS] = {IN_RESET_N | 0xabcd0000};
    struct axi_inputs port = {
        .arready = true, .rvalid = true, .rlast = true, .rid = 1, .rdata = {1, 2, 3, 4, 5, 6, 7, 8}};
    signals_encode_port(&layout, 0, &port, in);
    assert_int_equal(in[0], IN_RESET_N | IN_ARREADY | IN_RVALID | IN_RLAST | 0xabcd0000);
    assert_int_equal(in[layout.port[0].rdata], 0x04030201);
    uint32_t before[SIGNAL_IN_WORDS];
    memcpy(before, in, sizeof before);
    port = (struct axi_inputs){.arready = true, .rid = 9, .rdata = {9}};
    signals_encode_port(&layout, 0, &port, in);
    assert_int_equal(in[0], before[0] & ~(uint32_t)IN_RVALID);
    assert_memory_equal(in + 1, before + 1, sizeof before - sizeof before[0]);
}

TEST(the_register_bus_has_its_bits) {
    const struct signal_layout layout = signal_layout(nvdla_config_find("full"));
    uint32_t in[SIGNAL_IN_WORDS];
    memset(in, 0xff, sizeof in);
    signals_encode_reset(&layout, true, in);
    for (int i = 0; i < layout.in_words; i++)
        assert_int_equal(in[i], i ? 0 : IN_RESET_N);
    in[0] |= IN_ARREADY | IN_BVALID << PORT_FLAGS;
    const uint32_t others = in[0];
    signals_encode_csb(&(struct csb_inputs){.valid = true, .write = true, .address = 0x3fffc, .data = 0x12345678}, in);
    assert_int_equal(in[0], others | 0xffff0000 | IN_CSB_VALID | IN_CSB_WRITE);
    assert_int_equal(in[1], 0x12345678);
    signals_encode_csb(&(struct csb_inputs){.valid = false, .address = 0x4, .data = 9}, in);
    assert_int_equal(in[0], others | 0xffff0000 | IN_CSB_WRITE); /* nothing else moves */
    signals_encode_csb(&(struct csb_inputs){.valid = true, .address = 0x1008, .data = 9}, in);
    assert_int_equal(in[0], others | 0x0402 << 16 | IN_CSB_VALID);
    assert_int_equal(in[1], 0x12345678); /* a read has no data */
    signals_encode_csb(&(struct csb_inputs){.valid = true, .write = true, .nposted = true, .address = 4, .data = 7},
                       in);
    assert_int_equal(in[0], others | 1 << 16 | IN_CSB_VALID | IN_CSB_WRITE | IN_CSB_NPOSTED);
    assert_int_equal(in[1], 7);
    signals_encode_reset(&layout, false, in);
    for (int i = 0; i < layout.in_words; i++)
        assert_int_equal(in[i], 0);

    struct csb_outputs out;
    signals_decode_csb((const uint32_t[]){OUT_CSB_READY | OUT_INTR, 5}, &out);
    assert_true(out.ready && !out.valid && !out.complete && out.data == 5);
    signals_decode_csb((const uint32_t[]){OUT_CSB_VALID | OUT_ARVALID, 0x89abcdef}, &out);
    assert_true(!out.ready && out.valid && !out.complete && out.data == 0x89abcdef);
    signals_decode_csb((const uint32_t[]){OUT_CSB_COMPLETE, 0}, &out);
    assert_true(!out.ready && !out.valid && out.complete);
}

static void expect_unknown(const struct signal_layout *layout, const uint32_t *aval, int word, uint32_t x,
                           const char *rule, const char *name) {
    uint32_t bval[SIGNAL_OUT_WORDS] = {0};
    bval[word] = x;
    const char *found = NULL, *got = signals_unknown(layout, aval, bval, &found);
    if (!rule) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_string_equal(got, rule);
    assert_non_null(strstr(found, name));
}

TEST(unknown_bits_count_where_they_matter) {
    const struct signal_layout layout = signal_layout(nvdla_config_find("small"));
    uint32_t aval[SIGNAL_OUT_WORDS] = {0};
    expect_unknown(&layout, aval, 0, OUT_INTR, "x-on-csb", "dla_intr");
    expect_unknown(&layout, aval, 0, OUT_CSB_READY, "x-on-csb", "csb2nvdla_ready");
    expect_unknown(&layout, aval, 0, OUT_BREADY, "x-on-axi", "b_bready");
    expect_unknown(&layout, aval, 0, OUT_ARVALID, "x-on-axi", "ar_arvalid");
    expect_unknown(&layout, aval, 0, OUT_WLAST, NULL, NULL);
    for (int i = 1; i < layout.out_words; i++)
        expect_unknown(&layout, aval, i, UINT32_MAX, NULL, NULL); /* nothing is valid */
    aval[0] = OUT_CSB_VALID;
    expect_unknown(&layout, aval, 1, 1, "x-on-csb", "nvdla2csb_data");
    aval[0] = OUT_ARVALID;
    expect_unknown(&layout, aval, layout.port[0].ids, 1, "x-on-axi", "ar_araddr");
    expect_unknown(&layout, aval, layout.port[0].ids, 0x10000, NULL, NULL); /* awid */
    expect_unknown(&layout, aval, layout.port[0].araddr, 1, "x-on-axi", "ar_araddr");
    aval[0] = OUT_WVALID;
    aval[layout.port[0].wstrb] = 0xf0;
    expect_unknown(&layout, aval, 0, OUT_WLAST, "x-on-axi", "w_wlast");
    expect_unknown(&layout, aval, layout.port[0].wstrb, 1, "x-on-axi", "w_wstrb");
    expect_unknown(&layout, aval, layout.port[0].wdata, 1, NULL, NULL); /* lanes 3..0 are not enabled */
    expect_unknown(&layout, aval, layout.port[0].wdata + 1, 0x80000000, "x-on-axi", "w_wdata");
}

TEST(pins_have_defaults_and_obey) {
    uint32_t words[SIGNAL_PIN_WORDS];
    struct error err;
    assert_true(signals_pins(NULL, words, &err));
    assert_int_equal(words[0], 8); /* direct_reset_ */
    for (int i = 1; i < SIGNAL_PIN_WORDS; i++)
        assert_int_equal(words[i], 0);
    const char *const pins[] = {"tmc2slcg_disable_clock_gating=1", "direct_reset_=0",
                                "nvdla_pwrbus_ram_o_pd=0xdeadbeef", NULL};
    assert_true(signals_pins(pins, words, &err));
    assert_int_equal(words[0], 2);
    assert_int_equal(words[5], 0xdeadbeef);
}

TEST(wrong_pins_are_errors) {
    static const char *const wrong[] = {"test_mode",    "test_mode=", "test_mode=2",
                                        "nosuch=1",     "=1",         "test_mode=-1",
                                        "test_mode=1x", "test_mod=1", "nvdla_pwrbus_ram_a_pd=0x100000000"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t words[SIGNAL_PIN_WORDS];
        struct error err;
        const char *const pins[] = {wrong[i], NULL};
        assert_false(signals_pins(pins, words, &err));
        assert_non_null(strstr(err.text, wrong[i]));
    }
}
