/* What lift() makes of accesses, from 85-driver-sequences sections 2, 4, 6 and 7 and 80-trace-formats sections 1.4, 4.3
 * and 9: drivers' accesses in, lines of the trace out. */
#include "tests/unit/trace_test.h"

#include "import/lift.h"

/* Lines "R|W,UNIT.REGISTER,VALUE" of a driver on that configuration. Returns the operations of the trace, one a line.
 */
static char *lifted(void **state, const char *name, const char *accesses) {
    const struct nvdla_config *config = nvdla_config_find(name);
    const char *directory = *state;
    char *capture = kept(xprintf("%st.txn", directory)), *trace = kept(xprintf("%st.nvt", directory));
    struct text text = {0};
    for (const char *at = accesses; *at; at += strcspn(at, "\n") + 1) {
        char kind, unit[16], reg[64], value[16];
        assert_int_equal(sscanf(at, "%c,%15[^.].%63[^,],%15s", &kind, unit, reg, value), 4);
        const struct nvdla_register *found = NULL;
        for (int u = 0; u < NVDLA_UNIT_COUNT && !found; u++)
            if (strcmp(nvdla_unit_names[u], unit) == 0)
                found = nvdla_register_find(config, (enum nvdla_unit)u, reg);
        assert_non_null(found);
        text_printf(&text, "%s 0x%x %s%s\n", kind == 'W' ? "write_reg" : "read_reg", found->address,
                    kind == 'W' ? "" : "0xffffffff ", value);
    }
    FILE *file = fopen(capture, "w");
    assert_non_null(file);
    fputs(text.text, file);
    fclose(file);
    struct error err = {0};
    const char *const paths[] = {capture};
    struct source *source =
        source_open(paths, 1, "txn", &(struct source_options){.config = config, .dialect = "byte"}, &err);
    assert_non_null(source);
    struct lift_summary summary;
    const struct lift_options options = {.config = config, .path = trace, .title = "t.txn"};
    if (!lift(source, &options, &summary, &err))
        fail_msg("%s", err.text);
    source_close(source);
    lift_summary_free(&summary);
    char *made;
    size_t n;
    assert_true(file_read(trace, &made, &n, &err));
    struct text kept = {0};
    text_add(&kept, "", 0);
    for (char *line = strtok(made, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "reg_", 4) == 0 || strncmp(line, "poll", 4) == 0 || strncmp(line, "read_", 5) == 0 ||
            strncmp(line, "wait", 4) == 0 || strncmp(line, "mem_check", 9) == 0)
            text_printf(&kept, "%s\n", line);
    free(made);
    free(text.text);
    return kept.text;
}

static void expect(void **state, const char *config, const char *accesses, const char *expected) {
    autofree char *found = lifted(state, config, accesses);
    assert_string_equal(found, expected);
}

/* 85 section 2: an idle group stays idle, a pending one may be running or done by then. */
TEST_IN_FOLDER(status_is_polled_for_idle_groups) {
    expect(state, "small",
           "R,SDP.S_STATUS,0x00020001\nR,SDP.S_STATUS,0x00020001\nR,SDP.S_STATUS,0x00010000\nR,SDP.S_POINTER,0x10000\n",
           "poll SDP.S_STATUS == 0x0 mask=0x3\nread_check SDP.S_POINTER == 0x10000 volatile\n");
    expect(state, "small", "R,SDP.S_STATUS,0x2\nR,SDP.S_STATUS,0x1\n", "read_check SDP.S_STATUS == 0x1 volatile\n");
    expect(state, "small", "R,CDMA.S_STATUS,0x0\n", "read_check CDMA.S_STATUS == 0x0 volatile\n");
}

/* A driver that looks at the states of two engines in turn: what is idle at last has been waited for. */
TEST_IN_FOLDER(status_of_several_units) {
    expect(state, "small",
           "W,PDP.S_POINTER,0\nW,PDP.D_OP_ENABLE,1\nR,PDP.S_STATUS,1\nR,GLB.S_INTR_MASK,0\nR,PDP.S_STATUS,0\n"
           "R,PDP.S_STATUS,0\nR,GLB.S_INTR_STATUS,0x10\nW,GLB.S_INTR_STATUS,0x10\n",
           "reg_write PDP.S_POINTER 0x0\nreg_write PDP.D_OP_ENABLE 0x1\nread_check PDP.S_STATUS == 0x1 volatile\n"
           "read_check GLB.S_INTR_MASK == 0x0\npoll PDP.S_STATUS == 0x0 mask=0x3\n"
           "wait high\npoll GLB.S_INTR_STATUS == 0x10 mask=0x10 # PDP_0\nreg_write GLB.S_INTR_STATUS 0x10\n");
}

/* 85 section 6: the index of the table counts up with each access. */
TEST_IN_FOLDER(tables_are_read_word_by_word) {
    expect(state, "small", "W,SDP.S_LUT_ACCESS_CFG,0\nR,SDP.S_LUT_ACCESS_DATA,1\nR,SDP.S_LUT_ACCESS_DATA,2\n",
           "reg_write SDP.S_LUT_ACCESS_CFG 0x0\nread_check SDP.S_LUT_ACCESS_DATA == 0x1\n"
           "read_check SDP.S_LUT_ACCESS_DATA == 0x2\n");
}

/* 85 section 7: FREE_SLOT != 0; how many are free depends on time. */
TEST_IN_FOLDER(slots_of_bdma) {
    expect(state, "full", "R,BDMA.STATUS,0x600\nR,BDMA.STATUS,0x600\nR,BDMA.STATUS,0x604\n",
           "poll BDMA.STATUS >= 0x1 mask=0xff\n");
    expect(state, "full", "R,BDMA.STATUS,0x114\n", "poll BDMA.STATUS >= 0x1 mask=0xff\n");
    expect(state, "full", "R,BDMA.STATUS,0x213\nR,BDMA.STATUS,0x114\n", "poll BDMA.STATUS == 0x100 mask=0x300\n");
    expect(state, "full", "R,BDMA.STATUS,0x600\n", "read_check BDMA.STATUS == 0x600 volatile\n");
}

/* Polling for an interrupt is one wait, however long it took; bits that were seen before are no new event. */
TEST_IN_FOLDER(interrupts_by_polling) {
    expect(state, "small",
           "R,GLB.S_INTR_STATUS,0\nR,GLB.S_INTR_STATUS,0\nR,GLB.S_INTR_STATUS,0\nR,GLB.S_INTR_STATUS,1\n"
           "R,GLB.S_INTR_STATUS,3\nR,GLB.S_INTR_STATUS,3\nW,GLB.S_INTR_STATUS,0xffffffff\n",
           "reg_read GLB.S_INTR_STATUS\nwait high\npoll GLB.S_INTR_STATUS == 0x1 mask=0x1 # SDP_0\n"
           "wait high\npoll GLB.S_INTR_STATUS == 0x2 mask=0x2 # SDP_1\nreg_write GLB.S_INTR_STATUS 0xffffffff\n");
}

/* 80 section 9.3: counters are not waited for, even if they are read twice. */
TEST_IN_FOLDER(counters_are_volatile) {
    expect(state, "small", "R,SDP.D_PERF_WDMA_WRITE_STALL,5\nR,SDP.D_PERF_WDMA_WRITE_STALL,9\n",
           "read_check SDP.D_PERF_WDMA_WRITE_STALL == 0x9 volatile\n");
    expect(state, "small", "R,CDMA.S_CBUF_FLUSH_STATUS,0\nR,CDMA.S_CBUF_FLUSH_STATUS,1\n",
           "poll CDMA.S_CBUF_FLUSH_STATUS == 0x1 mask=0x1\n");
    expect(state, "small", "R,CDMA.S_CBUF_FLUSH_STATUS,0\n", "read_check CDMA.S_CBUF_FLUSH_STATUS == 0x0 volatile\n");
}
