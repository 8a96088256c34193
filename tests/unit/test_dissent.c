/* Who disagrees with whom, by facts alone. */
#include "report/dissent.h"
#include "tests/unit/test.h"

TEST(facts_decide) {
    static const struct {
        struct dissent_facts facts;
        enum dissent_kind kind;
        enum certainty certainty;
    } rows[] = {
        {{.rtl = true}, DISSENT_OPEN, CERTAIN},
        {{.rtl = true, .model = true}, DISSENT_OPEN, CERTAIN},
        {{.rtl = true, .model = true, .both_fail = true}, DISSENT_TRACE, CERTAIN},
        {{.rtl = true, .model = true, .bytes_differ = true}, DISSENT_RTL, LIKELY},
        {{.rtl = true, .model = true, .bytes_differ = true, .rtl_fails = true}, DISSENT_RTL, CERTAIN},
        {{.rtl = true, .model = true, .rtl_breaks = true}, DISSENT_RTL, CERTAIN},
        {{.rtl = true, .model = true, .bytes_differ = true, .model_fails = true}, DISSENT_MODEL, CERTAIN},
        {{.rtl = true, .model = true, .rtl_fails = true, .model_fails = true}, DISSENT_ALL, CERTAIN},
        {{.rtl = true, .model = true, .bytes_differ = true, .both_fail = true}, DISSENT_ALL, CERTAIN},
        {{.rtl = true, .model = true, .rtl_waits = true, .checked = true}, DISSENT_RTL, CERTAIN},
        {{.rtl = true, .model = true, .rtl_waits = true}, DISSENT_RTL, LIKELY},
        {{.rtl = true, .model = true, .rtl_waits = true, .model_fails = true, .checked = true}, DISSENT_ALL, CERTAIN},
        {{.rtl = true, .model = true, .rtl_waits = true, .model_waits = true}, DISSENT_TRACE, CERTAIN},
        {{.rtl = true, .model = true, .model_waits = true, .checked = true}, DISSENT_MODEL, CERTAIN},
        {{.rtl = true, .model = true, .model_waits = true, .rtl_fails = true, .checked = true}, DISSENT_ALL, CERTAIN},
        {{.rtl = true, .model = true, .model_waits = true, .rule_broken = true, .checked = true},
         DISSENT_TRACE,
         LIKELY},
        {{.rtl = true, .model = true, .bytes_differ = true, .both_fail = true, .rule_broken = true},
         DISSENT_TRACE,
         LIKELY},
        {{.rtl = true, .model = true, .rtl_fails = true, .rule_broken = true, .checked = true}, DISSENT_RTL, CERTAIN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct dissent found = dissent_decide(&rows[i].facts, true);
        assert_int_equal(found.kind, rows[i].kind);
        assert_int_equal(found.certainty, rows[i].certainty);
        assert_int_equal(dissent_decide(&rows[i].facts, false).kind, DISSENT_NONE);
        assert_int_equal(dissent_accuses_rtl(found.kind), found.kind != DISSENT_TRACE && found.kind != DISSENT_MODEL);
    }
}
