/* Taps of an RTL (observe/tap.h): the same streams as the model's, for whoever listens.
 *
 *   of every RTL      the atoms that each client of the memory reads and writes, in the order of their beats
 *   of an RTL with a table of taps (rtl/taps.csv; simulators of variant waves)
 *                     the streams inside it (tb/streams.csv), launch by launch, with places in the cube and without the
 *                     lanes that hold no channel: element by element what the model delivers
 *
 * A tap counts or records. Counting it follows each stream through its launches and delivers nothing, which costs a
 * look at which streams move; recording it reads what moves, too, and hands it to its listeners. Recording can begin at
 * any clock: a stream that is in the middle of a launch then is heard from its next launch on.
 */
#ifndef TB_OBSERVERS_RTL_TAP_H
#define TB_OBSERVERS_RTL_TAP_H

#include "nvdla/config.h"
#include "observe/tap.h"
#include "tb/axi_memory.h"
#include "tb/observers/observer.h"
#include "tb/observers/stream.h"

struct rtl_tap;

/* Where the streams inside the design are read. */
struct stream_source {
    void *context;
    /* The first `count` words of a stream as it stands in this clock, valid until the next call. NULL: the design shows
     * none. */
    const uint32_t *(*read)(void *context, enum rtl_stream stream, int count);
    bool has[STREAM_COUNT]; /* the streams that the design's table of taps has */
};

/* The configuration and the listeners outlive the observer. Listeners may be added while the tap counts. */
struct rtl_tap *rtl_tap_new(const struct nvdla_config *config, const struct tap_listeners *listeners,
                            const struct stream_source *source);

/* Begins to record, or goes back to counting at once. A new tap counts. */
void rtl_tap_record(struct rtl_tap *tap, bool on);

/* The launch that a stream of this unit and tap is in, or will bring next: its ordinal; -1 if that is not armed yet or
 * the RTL does not have the stream. */
int rtl_tap_launch(const struct rtl_tap *tap, enum nvdla_unit unit, enum tap name);

/* Frees the tap when it is released. */
struct observer rtl_tap_observer(struct rtl_tap *tap);

/* What the memories tell the tap of their beats (axi_memory_listen). */
struct axi_listener rtl_tap_axi(struct rtl_tap *tap);

#endif
