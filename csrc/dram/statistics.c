/* The statistics of a memory as lines for the user. See system.h. */
#include "dram/system.h"

#include <inttypes.h>

#include "nvdla/clients.h"

double memory_latency_mean(const struct memory_latency *latency) {
    return latency->count ? (double)latency->sum / (double)latency->count : 0;
}

static double share(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_latency(struct text *text, const char *what, const struct memory_latency *latency) {
    if (latency->count)
        text_printf(text, "; %s latency %.1f clocks, at most %" PRIu64, what, memory_latency_mean(latency),
                    latency->most);
}

static void print_master(struct text *text, const struct memory_statistics *statistics,
                         const struct memory_master *master) {
    const double seconds = (double)statistics->cycles / (statistics->core_mhz * 1e6);
    text_printf(text, "    %s: %.1f MB/s read, %.1f written", master->name,
                seconds > 0 ? 1e-6 * (double)master->read_bytes / seconds : 0,
                seconds > 0 ? 1e-6 * (double)master->write_bytes / seconds : 0);
    print_latency(text, "read", &master->read);
    print_latency(text, "write", &master->write);
    text_put(text, "\n");
}

/* Number of latencies below each power of two. */
static void print_histogram(struct text *text, const char *name, const struct memory_latency *latency) {
    if (!latency->count)
        return;
    text_printf(text, "    %s, clocks below: ", name);
    const char *separator = "";
    for (int bin = 0; bin < LATENCY_BINS; bin++)
        if (latency->bins[bin]) {
            text_printf(text, "%s%d %.1f %%", separator, 1 << bin, share(latency->bins[bin], latency->count));
            separator = ", ";
        }
    text_put(text, "\n");
}

void memory_statistics_print(struct text *text, const struct memory_statistics *statistics) {
    const struct dram_counts *dram = &statistics->dram;
    const uint64_t accesses = dram->hits + dram->misses + dram->conflicts;
    text_printf(text, "  memory %s: ", statistics->name);
    if (accesses)
        text_printf(text,
                    "%" PRIu64 " reads, %" PRIu64
                    " writes; rows: %.1f %% hits, %.1f %% misses, %.1f %% conflicts; %" PRIu64 " refreshes",
                    dram->reads, dram->writes, share(dram->hits, accesses), share(dram->misses, accesses),
                    share(dram->conflicts, accesses), dram->refreshes);
    text_printf(text, "%s%" PRIu64 " reads shared an access\n", accesses ? "; " : "", statistics->merged);
    for (size_t m = 0; m < statistics->master_count; m++)
        print_master(text, statistics, &statistics->masters[m]);
    for (int client = 0; client < SYSTEM_CLIENTS; client++)
        print_histogram(text, nvdla_client_name(client % AXI_IDS, client >= AXI_IDS), &statistics->clients[client]);
    for (size_t m = 1; m < statistics->master_count; m++) {
        print_histogram(text, statistics->masters[m].name, &statistics->masters[m].read);
        print_histogram(text, statistics->masters[m].name, &statistics->masters[m].write);
    }
    uint64_t waited = statistics->waited_refresh;
    for (size_t m = 0; m < statistics->master_count; m++)
        waited += statistics->masters[m].waited;
    if (!waited)
        return;
    text_put(text, "    NVDLA's reads waited for");
    for (size_t m = 0; m < statistics->master_count; m++)
        text_printf(text, " %s %.1f %%,", m ? statistics->masters[m].name : "its own",
                    share(statistics->masters[m].waited, waited));
    text_printf(text, " refresh %.1f %%\n", share(statistics->waited_refresh, waited));
}
