/* Options of a run that come as words, from a plan: what is read, and what is said of words that are none. */
#include "nvdla/config.h"
#include "run/options/options.h"
#include "tests/unit/test.h"

static bool read_words(struct run_options *options, struct words *words, const char *const *items, struct error *err) {
    for (; *items; items++)
        words_add(words, "%s", *items);
    run_options_init(options);
    return run_options_read(options, words, err);
}

TEST(reads_options) {
    static const char *const items[] = {"--config=large", "--dut=rtl:mine", "--latency=200", "--reorder",
                                        "--max-cycles=7", "--pin=a=1",      "t.nvt.gz",      NULL};
    struct run_options options;
    autowords struct words words = {0};
    struct error err;
    assert_true(read_words(&options, &words, items, &err));
    assert_string_equal(options.config->name, "large");
    assert_int_equal(options.dut, DUT_BOTH);
    assert_string_equal(options.rtl_name, "mine");
    assert_int_equal(options.rtl.axi.read_latency, 200);
    assert_true(options.rtl.axi.reorder);
    assert_int_equal(options.play.max_cycles, 7);
    assert_string_equal(options.rtl.pins[0], "a=1");
    assert_int_equal(options.traces.count, 1);
    assert_string_equal(options.traces.items[0], "t.nvt.gz");
    assert_int_equal(options.given.count, 6);
    run_options_free(&options);
}

static void refuses(const char *word, const char *expected) {
    const char *const items[] = {word, "t.nvt.gz", NULL};
    struct run_options options;
    autowords struct words words = {0};
    struct error err;
    assert_false(read_words(&options, &words, items, &err));
    assert_string_equal(err.text, expected);
    run_options_free(&options);
}

TEST(says_what_is_wrong) {
    refuses("--latencie=3", "found '--latencie=3', expected an option of nvcosim run; did you mean latency?");
    refuses("--bus-fault=swapped:3", "--bus-fault: found 'swapped:3', expected swapped without a parameter");
    refuses("--bus-fault=stale:0", "--bus-fault: found 'stale:0', expected stale:N (clocks), N from 1 to 1000000");
    refuses("--bus-fault=wrap:24", "--bus-fault: found 'wrap:24', expected a power of two");
    refuses("--latency", "found '--latency', expected --latency=N");
    refuses("--reorder=yes", "found '--reorder=yes', expected --reorder without a value");
    refuses("-v", "found '-v', expected an option as --NAME or --NAME=VALUE");
    refuses("--", "found '--', expected an option as --NAME or --NAME=VALUE");
    refuses("--latency=many", "--latency: found 'many', expected a number from 0 to 1000000");
    refuses("--config=tiny", "--config: there is no configuration 'tiny'; expected one of full, small, small_256, "
                             "small_256_full, medium_512, medium_1024_full, large, large_compressed, or "
                             "NAME,KEY=VALUE,...");
    refuses("--latency-max=3", "--latency-max: needs --latency-kind uniform");
}
