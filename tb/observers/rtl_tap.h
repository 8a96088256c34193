/* Taps of an RTL (observe/tap.h): the same streams as the model's.
 *
 * Of every RTL: the atoms that each memory client reads and writes, in the order of their beats. Of an RTL with a table
 * of taps (rtl/taps.csv; simulators of variant waves) also the streams inside it (tb/streams.csv), launch by launch,
 * with places in the cube and without unused lanes: the same elements as the model's.
 *
 * A tap counts or records. Counting follows each stream through its launches and delivers nothing; it costs a look at
 * the moving streams. Recording also reads their data and passes it to the listeners. It can begin at any clock: a
 * stream inside a launch is then delivered from its next launch on. */
#pragma once

#include "nvdla/config.h"
#include "observe/tap.h"
#include "tb/axi_memory.h"
#include "tb/observers/observer.h"
#include "tb/observers/stream.h"

struct rtl_tap;

/* Where the streams inside the design are read. */
struct stream_source {
    void *context;
    /* The first `count` words of a stream in this clock, valid until the next call. NULL: the design shows none. */
    const uint32_t *(*read)(void *context, enum rtl_stream stream, int count);
    bool has[STREAM_COUNT]; /* the streams in the design's table of taps */
    bool specified_stripes; /* see conv_order() */
};

/* The configuration and the listeners must outlive the observer. Listeners may be added while the tap counts. */
struct rtl_tap *rtl_tap_new(const struct nvdla_config *config, const struct tap_listeners *listeners,
                            const struct stream_source *source);

/* Passes every atom that a read client requests inside the design to that listener, as a beat of one atom without data,
 * if the ports are wider than atoms. */
void rtl_tap_requests(struct rtl_tap *tap, const struct axi_listener *listener);

/* Starts to record, or returns to counting immediately. A new tap counts. */
void rtl_tap_record(struct rtl_tap *tap, bool on);

/* Ordinal of the current or next launch of a stream of this unit and tap; -1 if that launch is not armed yet or the RTL
 * does not have the stream. */
int rtl_tap_launch(const struct rtl_tap *tap, enum nvdla_unit unit, enum tap name);

/* Releasing the observer frees the tap. */
struct observer rtl_tap_observer(struct rtl_tap *tap);

/* Listener for the beats of the memories (axi_memory_listen). */
struct axi_listener rtl_tap_axi(struct rtl_tap *tap);
