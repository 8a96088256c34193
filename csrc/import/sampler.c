/* See sampler.h. */
#include "import/sampler.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvdla/xalloc.h"

static const char *const port_names[AXI_PORTS] = {
    "dla_csb_clk",     "csb2nvdla_valid", "csb2nvdla_ready", "csb2nvdla_addr", "csb2nvdla_wdat", "csb2nvdla_write",
    "nvdla2csb_valid", "nvdla2csb_data",  "dla_intr",        "dla_core_clk",   "psel",           "penable",
    "pwrite",          "paddr",           "pwdata",          "prdata",         "pready",         "pslverr",
    "awvalid",         "awready",         "awaddr",          "wvalid",         "wready",         "wdata",
    "wstrb",           "bvalid",          "bready",          "bresp",          "arvalid",        "arready",
    "araddr",          "rvalid",          "rready",          "rdata",          "rresp"};

static const char *const axi_names[AXI_COUNT] = {
    "aw_awvalid", "aw_awready", "aw_awlen", "aw_awaddr", "w_wvalid", "w_wready", "w_wdata", "w_wstrb", "ar_arvalid",
    "ar_arready", "ar_arid",    "ar_arlen", "ar_araddr", "r_rvalid", "r_rready", "r_rid",   "r_rlast", "r_rdata"};

static const char *const axi_prefixes[SPACE_COUNT] = {"nvdla_core2dbb_", "nvdla_core2cvsram_"};

/* The ports that a bus needs; -1 ends. */
static const struct {
    const char *name;
    int key; /* of which one is enough to recognise it */
    int needed[16];
} buses[] = {
    [BUS_CSB] = {"CSB", CSB_VALID, {CSB_VALID, CSB_READY, CSB_ADDRESS, CSB_DATA, CSB_WRITE, READ_VALID, READ_DATA, -1}},
    [BUS_APB] = {"APB", APB_SELECT, {APB_SELECT, APB_ENABLE, APB_WRITE, APB_ADDRESS, APB_WDATA, APB_RDATA, -1}},
    [BUS_LITE] = {"AXI4-Lite",
                  LITE_AWVALID,
                  {LITE_AWVALID, LITE_AWREADY, LITE_AWADDR, LITE_WVALID, LITE_WREADY, LITE_WDATA, LITE_ARVALID,
                   LITE_ARREADY, LITE_ARADDR, LITE_RVALID, LITE_RREADY, LITE_RDATA, -1}},
};

/* ---- queues ---- */

static struct request *push(struct queue *queue) {
    if (queue->first > 0 && queue->first == queue->count)
        queue->first = queue->count = 0;
    if (queue->count == queue->capacity) {
        if (queue->first > queue->count / 2) {
            memmove(queue->items, queue->items + queue->first, (queue->count - queue->first) * sizeof *queue->items);
            queue->count -= queue->first;
            queue->first = 0;
        } else {
            queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
            queue->items = xrealloc(queue->items, queue->capacity * sizeof *queue->items);
        }
    }
    queue->items[queue->count] = (struct request){0};
    return &queue->items[queue->count++];
}

static struct request *front(struct queue *queue) {
    return queue->first < queue->count ? &queue->items[queue->first] : NULL;
}

/* Appends a complete access; *data: for its bytes. */
static struct access *make_ready(struct sampler *sampler) {
    if (sampler->ready_first == sampler->ready_count)
        sampler->ready_first = sampler->ready_count = 0;
    if (sampler->ready_count == sampler->ready_capacity) {
        sampler->ready_capacity = sampler->ready_capacity ? 2 * sampler->ready_capacity : 16;
        sampler->ready = xrealloc(sampler->ready, sampler->ready_capacity * sizeof *sampler->ready);
        sampler->data = xrealloc(sampler->data, sampler->ready_capacity * sizeof *sampler->data);
    }
    return &sampler->ready[sampler->ready_count++];
}

/* ---- names ---- */

/* The name that --signal or --clock gives a port; NULL: none. */
static const char *given_name(const struct source *source, int port, const char *usual) {
    const struct words *given = &source->options.signals;
    const size_t n = strlen(usual);
    for (size_t i = 0; i < given->count; i++)
        if (strncmp(given->items[i], usual, n) == 0 && given->items[i][n] == '=')
            return given->items[i] + n + 1;
    return port == BUS_CLOCK || port == CORE_CLOCK ? source->options.clock : NULL;
}

static void usual_name(int port, char *text, size_t size) {
    if (port < AXI_PORTS)
        snprintf(text, size, "%s", port_names[port]);
    else
        snprintf(text, size, "%s%s", axi_prefixes[(port - AXI_PORTS) / AXI_COUNT],
                 axi_names[(port - AXI_PORTS) % AXI_COUNT]);
}

const char *sampler_port_name(const struct source *source, int port, char *text, size_t size) {
    usual_name(port, text, size);
    const char *given = given_name(source, port, text);
    return given ? given : text;
}

/* Whether a name is that text, or ends with _TEXT, in upper or lower case. */
static bool ends_as(struct span name, const char *text) {
    const size_t n = strlen(text);
    return name.n >= n && strncasecmp(name.at + name.n - n, text, n) == 0 &&
           (name.n == n || name.at[name.n - n - 1] == '_');
}

int sampler_fits(const struct source *source, int port, struct span name) {
    enum { LOOSE = 1, CLOCK, EXACT };
    char text[96];
    usual_name(port, text, sizeof text);
    const char *given = given_name(source, port, text);
    if (given)
        return span_is(name, given) ? EXACT : 0;
    if (span_is(name, text))
        return EXACT;
    if (port == BUS_CLOCK && (ends_as(name, "pclk") || ends_as(name, "aclk")))
        return CLOCK;
    if (port == BUS_CLOCK || port == CORE_CLOCK)
        return span_is(name, "clk") ? LOOSE : 0;
    const bool bus = port >= APB_SELECT && port < AXI_PORTS;
    return bus && ends_as(name, text) && !span_starts(name, "nvdla_core2") ? LOOSE : 0;
}

bool sampler_define(struct sampler *sampler, int port, struct span name, int rank, unsigned width) {
    struct signal *signal = &sampler->signals[port];
    if (signal->width > 0 && rank < signal->rank)
        return true;
    if (signal->width > 0 && rank == signal->rank && !span_is(name, signal->name) && port >= APB_SELECT &&
        port < AXI_PORTS)
        return false;
    signal->width = width;
    signal->rank = rank;
    snprintf(signal->name, sizeof signal->name, "%.*s", (int)name.n, name.at);
    signal->now.unknown = signal->later.unknown = true;
    return true;
}

int sampler_check(struct source *source, struct sampler *sampler, bool clocked, const char *scope, struct error *err) {
    char text[96];
    sampler->bus = BUS_CSB;
    for (int bus = BUS_LITE; bus >= BUS_CSB; bus--)
        if (sampler->signals[buses[bus].key].width > 0)
            sampler->bus = (enum bus)bus;
    int missing = clocked && sampler->signals[BUS_CLOCK].width == 0 ? BUS_CLOCK : -1;
    for (size_t i = 0; missing < 0 && buses[sampler->bus].needed[i] >= 0; i++)
        if (sampler->signals[buses[sampler->bus].needed[i]].width == 0)
            missing = buses[sampler->bus].needed[i];
    if (missing >= 0)
        return source_fail(
            source, 0, err,
            "found no signal %s%s%s; give --scope and --clock (none: each time is a sample), or --signal "
            "PORT=NAME for other names",
            sampler_port_name(source, missing, text, sizeof text), scope ? " in scope " : "", scope ? scope : "");
    if (sampler->bus != BUS_CSB)
        source_guess(source, 0, "registers are accessed through %s, %s and others", buses[sampler->bus].name,
                     sampler->signals[buses[sampler->bus].key].name);
    for (int space = 0; space < SPACE_COUNT; space++) {
        int found = 0;
        for (int i = 0; i < AXI_COUNT; i++)
            found += sampler->signals[AXI_PORTS + space * AXI_COUNT + i].width > 0;
        if (found > 0 && found < AXI_COUNT)
            source_guess(source, 0, "%d of %d signals of %s*: accesses to that memory are unknown", found, AXI_COUNT,
                         axi_prefixes[space]);
    }
    return 1;
}

/* ---- one sample ---- */

static bool is_high(const struct sampler *sampler, int port) {
    const struct signal *signal = &sampler->signals[port];
    return signal->width > 0 && !signal->now.unknown && (signal->now.bytes[0] & 1);
}

static uint64_t number(const struct sampler *sampler, int port) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | sampler->signals[port].now.bytes[i];
    return value;
}

static void sample_csb(struct sampler *sampler) {
    if (is_high(sampler, READ_VALID) && !sampler->signals[READ_DATA].now.unknown)
        for (size_t i = sampler->bus_queue.first; i < sampler->bus_queue.count; i++) {
            struct request *request = &sampler->bus_queue.items[i];
            if (!request->is_write && !request->answered) {
                request->answered = true;
                request->value = (uint32_t)number(sampler, READ_DATA);
                break;
            }
        }
    if (is_high(sampler, CSB_VALID) && is_high(sampler, CSB_READY)) {
        struct request *request = push(&sampler->bus_queue);
        request->time = sampler->time;
        request->address = (number(sampler, CSB_ADDRESS) & 0xffff) * 4; /* a word address */
        request->is_write = request->answered = is_high(sampler, CSB_WRITE);
        request->value = (uint32_t)number(sampler, CSB_DATA);
    }
    for (struct request *request = front(&sampler->bus_queue); request && request->answered;
         request = front(&sampler->bus_queue)) {
        *make_ready(sampler) = source_register(request->is_write ? ACCESS_WRITE : ACCESS_READ, request->time,
                                               request->address, request->value);
        sampler->bus_queue.first++;
    }
}

static void put_register(struct sampler *sampler, bool is_write, uint64_t address, uint64_t value, bool failed) {
    if (failed)
        sampler->failed++;
    else
        *make_ready(sampler) =
            source_register(is_write ? ACCESS_WRITE : ACCESS_READ, sampler->time, address, (uint32_t)value);
}

static void sample_apb(struct sampler *sampler) {
    const bool ready = sampler->signals[APB_READY].width == 0 || is_high(sampler, APB_READY);
    if (!is_high(sampler, APB_SELECT) || !is_high(sampler, APB_ENABLE) || !ready)
        return;
    const bool is_write = is_high(sampler, APB_WRITE);
    put_register(sampler, is_write, number(sampler, APB_ADDRESS), number(sampler, is_write ? APB_WDATA : APB_RDATA),
                 is_high(sampler, APB_ERROR));
}

/* The write whose address, or data, comes next. */
static struct request *lite_write(struct queue *queue, bool data) {
    for (size_t i = queue->first; i < queue->count; i++)
        if (data ? !queue->items[i].answered : !queue->items[i].known)
            return &queue->items[i];
    return push(queue);
}

static void sample_lite(struct sampler *sampler) {
    if (is_high(sampler, LITE_AWVALID) && is_high(sampler, LITE_AWREADY)) {
        struct request *request = lite_write(&sampler->lite_writes, false);
        request->known = true;
        request->address = number(sampler, LITE_AWADDR);
    }
    if (is_high(sampler, LITE_WVALID) && is_high(sampler, LITE_WREADY)) {
        struct request *request = lite_write(&sampler->lite_writes, true);
        request->answered = true;
        request->value = (uint32_t)number(sampler, LITE_WDATA);
        request->beats = sampler->signals[LITE_WSTRB].width > 0 && (number(sampler, LITE_WSTRB) & 15) != 15;
    }
    for (struct request *request = front(&sampler->lite_writes); request && request->known && request->answered;
         request = front(&sampler->lite_writes)) {
        put_register(sampler, true, request->address, request->value, request->beats);
        sampler->lite_writes.first++;
    }
    if (is_high(sampler, LITE_RVALID) && is_high(sampler, LITE_RREADY) && front(&sampler->bus_queue)) {
        put_register(sampler, false, front(&sampler->bus_queue)->address, number(sampler, LITE_RDATA),
                     number(sampler, LITE_RRESP) != 0);
        sampler->bus_queue.first++;
    }
    if (is_high(sampler, LITE_ARVALID) && is_high(sampler, LITE_ARREADY))
        push(&sampler->bus_queue)->address = number(sampler, LITE_ARADDR);
    if (is_high(sampler, LITE_BVALID) && is_high(sampler, LITE_BREADY) && number(sampler, LITE_BRESP) != 0)
        sampler->failed++;
}

/* A beat of a burst as an access. */
static void put_beat(struct sampler *sampler, enum access_kind kind, enum memory_space space, struct request *burst,
                     int data, int strobes) {
    const unsigned bytes = sampler->signals[data].width / 8;
    struct access *access = make_ready(sampler);
    uint8_t(*copy)[SIGNAL_BITS / 8] = sampler->data[sampler->ready_count - 1];
    *access = (struct access){.kind = kind,
                              .line = sampler->time,
                              .address = burst->address / bytes * bytes + (uint64_t)burst->beat * bytes,
                              .space = space,
                              .size = bytes};
    memcpy(copy[0], sampler->signals[data].now.bytes, bytes);
    for (unsigned i = 0; i < bytes; i++)
        copy[1][i] = strobes < 0 || (sampler->signals[strobes].now.bytes[i / 8] >> i % 8 & 1);
    burst->beat++;
}

static void sample_axi(struct sampler *sampler, enum memory_space space) {
    const int at = AXI_PORTS + (int)space * AXI_COUNT - AXI_PORTS;
    if (is_high(sampler, at + AXI_AWVALID) && is_high(sampler, at + AXI_AWREADY)) {
        struct request *burst = push(&sampler->writes[space]);
        burst->address = number(sampler, at + AXI_AWADDR);
        burst->beats = (unsigned)(number(sampler, at + AXI_AWLEN) & 0xf) + 1;
    }
    if (is_high(sampler, at + AXI_ARVALID) && is_high(sampler, at + AXI_ARREADY)) {
        struct request *burst = push(&sampler->reads[space][number(sampler, at + AXI_ARID) & (BURST_IDS - 1)]);
        burst->address = number(sampler, at + AXI_ARADDR);
        burst->beats = (unsigned)(number(sampler, at + AXI_ARLEN) & 0xf) + 1;
    }
    if (is_high(sampler, at + AXI_WVALID) && is_high(sampler, at + AXI_WREADY)) {
        struct request *burst = front(&sampler->writes[space]);
        if (burst) {
            put_beat(sampler, ACCESS_MEMORY_WRITE, space, burst, at + AXI_WDATA, at + AXI_WSTRB);
            sampler->writes[space].first += burst->beat == burst->beats;
        } else
            sampler->early++;
    }
    if (is_high(sampler, at + AXI_RVALID) && is_high(sampler, at + AXI_RREADY)) {
        struct queue *queue = &sampler->reads[space][number(sampler, at + AXI_RID) & (BURST_IDS - 1)];
        struct request *burst = front(queue);
        if (burst) {
            put_beat(sampler, ACCESS_MEMORY_READ, space, burst, at + AXI_RDATA, -1);
            queue->first += burst->beat == burst->beats;
        }
    }
}

static bool has_axi(const struct sampler *sampler, enum memory_space space) {
    for (int i = 0; i < AXI_COUNT; i++)
        if (sampler->signals[AXI_PORTS + (int)space * AXI_COUNT + i].width == 0)
            return false;
    return true;
}

void sampler_sample(struct sampler *sampler, bool core) {
    if (core) {
        for (int space = 0; space < SPACE_COUNT; space++)
            if (has_axi(sampler, (enum memory_space)space))
                sample_axi(sampler, (enum memory_space)space);
        return;
    }
    (sampler->bus == BUS_CSB ? sample_csb : sampler->bus == BUS_APB ? sample_apb : sample_lite)(sampler);
    if (sampler->signals[INTERRUPT].width > 0 && is_high(sampler, INTERRUPT) != sampler->level) {
        sampler->level = !sampler->level;
        *make_ready(sampler) =
            (struct access){.kind = ACCESS_INTERRUPT, .line = sampler->time, .value = sampler->level};
    }
}

void sampler_step(struct sampler *sampler) {
    for (int i = 0; i < PORTS; i++) {
        struct signal *signal = &sampler->signals[i];
        if (signal->changed)
            signal->now = signal->later;
        signal->changed = false;
    }
}

/* ---- results ---- */

int sampler_take(struct source *source, struct sampler *sampler, struct access *access, struct error *err) {
    while (sampler->ready_first < sampler->ready_count) {
        const size_t at = sampler->ready_first++;
        *access = sampler->ready[at];
        if (access->size > 0) {
            memcpy(source->bytes, sampler->data[at][0], access->size);
            memcpy(source->enabled, sampler->data[at][1], access->size);
            access->bytes = source->bytes;
            access->enabled = source->enabled;
        } else if (sampler->bus != BUS_CSB && access->kind != ACCESS_INTERRUPT) {
            const int inside = source_offset(source, access->address, &access->address, err);
            if (inside < 0)
                return -1;
            if (inside == 0)
                continue;
        }
        return 1;
    }
    return 0;
}

void sampler_finish(struct source *source, struct sampler *sampler) {
    size_t open = sampler->bus == BUS_LITE ? sampler->bus_queue.count - sampler->bus_queue.first : 0;
    for (size_t i = sampler->bus_queue.first; sampler->bus == BUS_CSB && i < sampler->bus_queue.count; i++)
        open += !sampler->bus_queue.items[i].answered;
    if (sampler->early > 0)
        source_drop(source, 0,
                    "%" PRIu64
                    " AXI write beats before their address, or with an address before the start of the file: dropped",
                    sampler->early);
    if (open > 0)
        source_drop(source, 0, "%zu read%s without a response in the file: dropped, with all later requests", open,
                    open == 1 ? "" : "s");
    if (sampler->lite_writes.first < sampler->lite_writes.count)
        source_drop(source, 0, "%zu writes of which address or data are not in the file: dropped",
                    sampler->lite_writes.count - sampler->lite_writes.first);
    if (sampler->failed > 0)
        source_drop(source, 0,
                    "%" PRIu64 " register accesses that end with an error, or write a part of a register: dropped",
                    sampler->failed);
}

void sampler_free(struct sampler *sampler) {
    free(sampler->bus_queue.items);
    free(sampler->lite_writes.items);
    for (int space = 0; space < SPACE_COUNT; space++) {
        free(sampler->writes[space].items);
        for (int id = 0; id < BURST_IDS; id++)
            free(sampler->reads[space][id].items);
    }
    free(sampler->ready);
    free(sampler->data);
}
