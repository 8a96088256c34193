/* The judged result of playing a trace: status, reason, areas of memory that differ and their layers. verdict.h makes
 * it; the formats of a report (text.h, json.h) only show this; a new format needs only this header.
 *
 * A report borrows program, launches, devices and results, which must outlive it. */
#pragma once

#include "device/device.h"
#include "layers/tracker.h"
#include "observe/histogram.h"
#include "replay/first_wrong.h"
#include "replay/player.h"
#include "report/diagnosis.h"
#include "report/dissent.h"
#include "report/writers.h"

enum {
    PLAYED_MAX = 2,
    REPORT_POSITION = 512,    /* bytes of a "FILE:LINE" */
    REPORT_LINE = 2048,       /* bytes of a line of text */
    REPORT_ROW = 16,          /* bytes in a line of a hex window */
    REPORT_WINDOW = 4 * 16,   /* bytes of a hex window */
    REPORT_DUMP_MAX = 1 << 26 /* maximum bytes of one dump */
};

/* One device that the trace was played on. */
struct played {
    struct device *dev;
    const struct play_result *result;
};

struct walk;

struct report_input {
    const char *name; /* of the trace */
    const struct program *prog;
    const struct layer_tracker *launches; /* program_launches(prog) */
    /* The RTL before the model. The memories of two devices are compared: the last is the expected one, the first the
     * actual one. */
    struct played played[PLAYED_MAX];
    int played_count;
    const struct histogram_set *histograms; /* of the model's streams; NULL: none */
    const struct diagnosis *diagnosis;      /* of nvcosim debug, or NULL */
    /* The first wrong beat, which stopped the first device, or NULL. If a device was stopped, for any reason, memories
     * are not compared. */
    const struct wrong_beat *wrong;
    const struct read_judge *reads; /* up to that; NULL: not judged */
    const char *again;              /* the command to repeat it, or NULL */
    const char *wave;               /* the file of the waves, or NULL */
    bool html;                      /* write the page for passing traces, too */
    const char *bus_fault;          /* that the run makes on purpose, or NULL */
    const char *objection;          /* reason to fail the run although nothing played is wrong, or NULL */
};

/* What the reason begins with. */
enum report_sign { SIGN_NONE /* the consequences */, SIGN_FINDING, SIGN_CHECK /* of a register */, SIGN_READ };

enum report_status { REPORT_PASSED, REPORT_FAILED, REPORT_HUNG, REPORT_REFUSED };

/* Kind of an area: a layer's output, a declared region, or a page outside both. */
enum area_kind { AREA_LAUNCH, AREA_REGION, AREA_OUTSIDE };

/* An area in which the memories differ. */
struct mismatch {
    enum memory_space space;
    enum area_kind kind;
    const struct launch_output *output; /* AREA_LAUNCH, else NULL */
    uint64_t base, size;                /* of the area */
    uint64_t count, first, last;        /* bytes that differ, and the addresses of the first and the last of them */
};

struct report {
    struct report_input input;
    struct writers *writers;
    struct mismatch *mismatches; /* of layers, in order of arming; then others by space and address */
    size_t mismatch_count;
    const struct launch_output
        *wrong_output; /* the output that input.wrong wrote or should have written; NULL: outside its launch's */
    enum report_status status;
    /* One line: why the trace did not pass; "" if it passed. First the finding or the check of a register that came
     * first in time, then what followed: a standstill, the first wrong beat, memory that differs, a failed check. */
    char reason[1024];
    struct named_launches named; /* launches in the reason */
    bool wrong_data;             /* the reason is about bytes that are wrong */
    enum report_sign sign;
    const struct finding *finding; /* SIGN_FINDING: the first */
    struct dissent dissent;
};

enum report_status report_status(const struct report *report);
const char *report_reason(const struct report *report);

/* Adds to the reason of a failure what NVIDIA's errata have to do with it. */
void report_name_erratum(struct report *report, const char *text);

/* ---- text: all functions fill `text`, cut at size, and return it ---- */

/* "PASS", "FAIL", "HANG", "REFUSED" / "passed", "failed", "hung", "refused", "broken". */
const char *report_status_text(enum report_status status);
const char *report_outcome_text(enum play_outcome outcome);

/* A warning or a refusal of a device with its line in the trace. */
char *report_warning(const struct report *report, const struct device_warning *warning, char *text, size_t size);
/* "SDP #0" / "FILE:LINE" of the operation that armed it. */
char *report_launch_name(const struct launch *launch, char *text, size_t size);
char *report_launch_position(const struct report *report, const struct launch *launch, char *text, size_t size);
/* The first wrong beat, one line: cycle, port, AXI ID and client, launch, address, element, bytes. */
char *report_wrong(const struct report *report, char *text, size_t size);

/* The first wrong read, NULL: none, or not judged; and "AXI ID 3 (CDP) on the primary port reads 0x..., where CDP_RDMA
 * #0 has nothing to read", with the registers that make up the address, and the address in its place. Returns text. */
const struct wrong_read *report_first_wrong_read(const struct report_input *in);
char *report_wrong_read(const struct report_input *in, const struct wrong_read *read, char *text, size_t size);
/* "GLB.S_INTR_STATUS reads 0x..., but no field has bits 0x...": a read that cannot be right. Returns text. */
char *report_strange_read(const struct report *report, const struct strange_read *read, char *text, size_t size);
/* A failed check of a device, one line. */
char *report_failure(const struct report *report, const struct played *played, const struct play_failure *failure,
                     char *text, size_t size);
/* "batch 0, surface 0, line 1, column 2, channel 3", with a note on padding; for BDMA "descriptor 0, surface 0, line 1,
 * atom 2, byte 3". */
char *report_element(const struct launch_output *output, uint64_t address, char *text, size_t size);
/* "written by SDP #0 at cycle 4711, AXI ID 1", and the beat that skipped the byte, if any (report_beat). */
char *report_origin(const struct report *report, int played, enum memory_space space, uint64_t address,
                    const struct launch_output *output, char *text, size_t size);

/* ---- parts of these texts, for the reason ---- */

/* Adds to a text, cut at size. */
void report_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds "SDP #0". */
void report_add_launch(char *text, size_t size, const struct launch *launch, struct named_launches *named);

/* The texts of report_origin(), report_wrong() and report_warning(), and the launches in them. */
void report_origin_named(const struct report *report, int played, enum memory_space space, uint64_t address,
                         const struct launch_output *output, char *text, size_t size, struct named_launches *named);
void report_wrong_named(const struct report *report, char *text, size_t size, struct named_launches *named);
void report_warning_named(const struct report *report, const struct device_warning *warning, char *text, size_t size,
                          struct named_launches *named);

/* The memories of all devices with that space, in the order of the devices. Returns their number. */
int report_memories(const struct report *report, enum memory_space space, const struct memory *memories[PLAYED_MAX]);

/* ---- facts ---- */

static inline struct memory *report_memory(const struct report *report, int played, enum memory_space space) {
    return report->input.played[played].dev->memory[space];
}

/* The output that contains a byte, judged from the memories of all devices; NULL if no launch writes there. */
const struct launch_output *report_output(const struct report *report, enum memory_space space, uint64_t address);

/* The most useful failed check, and the index of its device: the first that failed; if that is a CRC or a memory check,
 * the memory check of the first faulty layer. NULL if none failed. */
const struct play_failure *report_first_failure(const struct report *report, int *played);

/* An AXI data beat that wrote the neighbours of a byte but not the byte itself. */
struct partial_beat {
    uint64_t address;            /* of its first byte, a multiple of bytes */
    int bytes;                   /* width of the port */
    uint64_t strobe;             /* bit i: the beat wrote the byte at address + i */
    struct memory_origin origin; /* cycle, launch, AXI ID */
};

/* Finds the beat of the launch of `output` that wrote next to the byte, if the launch did not write the byte itself: a
 * strobe may be wrong. False if there is none, or if the device has no clock. */
bool report_beat(const struct report *report, int played, enum memory_space space, uint64_t address,
                 const struct launch_output *output, struct partial_beat *beat);

/* The clock of the beat that wrote a byte, or of the one that skipped it (report_beat), or 0. */
uint64_t report_cycle(const struct report *report, int played, enum memory_space space, uint64_t address,
                      const struct launch_output *output);

/* True if the first device was stopped before its end. */
bool report_stopped(const struct report *report);

/* The launch of the first wrong beat, or NULL. */
const struct launch *report_wrong_launch(const struct report *report);

/* First address of the hex window around a byte. */
uint64_t report_window(uint64_t address);

/* Launches that feed a layer, from the output back. Returns their number. */
enum { REPORT_FEEDERS = 7 };
int report_feeders(const struct report *report, const struct launch *launch,
                   const struct launch *feeders[REPORT_FEEDERS]);

/* Calls back for every described register of a launch; block: the BDMA descriptor of the registers, else -1. */
void report_each_register(const struct report *report, const struct launch *launch, int block,
                          void (*visit)(void *context, const struct nvdla_register *reg, uint32_t value),
                          void *context);

/* Golden bytes of a memory check as an image. */
struct memory *report_golden(const struct op *check);

/* Names of dumps, without directory: of an area that differs ("primary_80010000_rtl.bin.gz"), or of a failed memory
 * check, with its number among the trace's memory checks ("primary_80010000_check2_rtl.bin.gz"; owner NULL: the golden
 * bytes). */
char *report_area_dump(const struct report *report, const struct mismatch *mismatch, int played, char *text,
                       size_t size);
char *report_check_dump(const struct report *report, const struct op *check, const struct device *owner, char *text,
                        size_t size);
