/* Patterns of messages, searched for by their first character. See messages.h. */
#include "doctor/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"

const char *const driver_unit_names[] = {"BDMA", "Convolution", "SDP", "PDP", "CDP", "RUBIK"};
enum { UNITS = sizeof driver_unit_names / sizeof *driver_unit_names };

/* %u: name of a unit; %d, %x: a number. nvdla: only in lines that name the device. */
struct pattern {
    const char *text;
    enum message_kind kind;
    enum cause cause;
    bool nvdla;
};

#define FAULT(text, cause) {text, MESSAGE_FAULT, cause, false}
#define DEVICE_FAULT(text, cause) {text, MESSAGE_FAULT, cause, true}
#define PATTERN(text, kind) {text, kind, CAUSE_GOOD, false}

static const struct pattern patterns[] = {
    PATTERN("Probe NVDLA config ", MESSAGE_PROBE),
    PATTERN("Enter:dla_read_network_config", MESSAGE_NETWORK),
    PATTERN("Enter: dla_initiate_processors", MESSAGE_INITIATE),
    PATTERN("Exit: dla_initiate_processors status=%d", MESSAGE_INITIATED),
    PATTERN("reset engine done", MESSAGE_RESET),
    PATTERN("Prepare %u operation index %d ROI %d dep_count %d", MESSAGE_PREPARE),
    PATTERN("Enter: dla_prepare_operation", MESSAGE_PREPARING),
    PATTERN("processor:%u group:%d", MESSAGE_GROUP),
    PATTERN("Program %u operation index %d", MESSAGE_PROGRAM),
    PATTERN("Update dependency operation index %d ROI %d DEP_COUNT=%d", MESSAGE_EDGE),
    PATTERN("Enable %u operation index %d", MESSAGE_ENABLE),
    PATTERN("Enter: dla_op_enabled", MESSAGE_ENABLED),
    PATTERN("Exit: dla_op_enabled", MESSAGE_ENABLED_END),
    PATTERN("Enter:dla_handle_events, processor:%u", MESSAGE_ROUND_UNIT),
    PATTERN("Exit:dla_handle_events, ret:%x", MESSAGE_ROUND_LEFT),
    PATTERN("Handle cdma weight done event, processor %u group %d", MESSAGE_WEIGHTS),
    PATTERN("Handle cdma data done event, processor %u group %d", MESSAGE_DATA),
    PATTERN("Handle op complete event, processor %u group %d", MESSAGE_DONE),
    PATTERN("Completed %u operation index %d", MESSAGE_COMPLETED),
    PATTERN("HWLs done, totally %d", MESSAGE_LAYERS),
    PATTERN("Assertion Fail(", MESSAGE_ASSERTION),
    PATTERN("Task execution failed", MESSAGE_TASK_FAILED),
    PATTERN("Enter: dla_", MESSAGE_OTHER),
    PATTERN("Exit: dla_", MESSAGE_OTHER),
    PATTERN("Exit:dla_", MESSAGE_OTHER),
    PATTERN("no desc get due to index==-1", MESSAGE_OTHER),
    FAULT("is not supported for this configuration", CAUSE_CONFIGURATION),
    FAULT("Already some task in progress", CAUSE_BUSY),
    FAULT("register groups are busy", CAUSE_BUSY),
    FAULT("Invalid src_data.mem_type", CAUSE_LOADABLE),
    FAULT("Invalid dst_data.mem_type", CAUSE_LOADABLE),
    FAULT("Invalid SrcInput", CAUSE_LOADABLE),
    FAULT("Invalid DstInput", CAUSE_LOADABLE),
    FAULT("Invalid precision: ", CAUSE_LOADABLE),
    FAULT("Invalid Stride (x[", CAUSE_LOADABLE),
    FAULT("Invalid split_num", CAUSE_LOADABLE),
    FAULT("Invalid pool_", CAUSE_LOADABLE),
    FAULT("Destination buffer for PDP", CAUSE_LOADABLE),
    FAULT("CDP does not support precision", CAUSE_LOADABLE),
    FAULT("Invalid source/destination memory type", CAUSE_LOADABLE),
    FAULT("Invalid number of transfers", CAUSE_LOADABLE),
    FAULT("Invalid op_head ", CAUSE_LOADABLE),
    FAULT("Invalid fused op type", CAUSE_LOADABLE),
    FAULT("Failed to update dependency for", CAUSE_LOADABLE),
    FAULT("Operation descriptor is NULL", CAUSE_LOADABLE),
    FAULT("Fetched [op_type=", CAUSE_LOADABLE),
    FAULT("op_cache[op=", CAUSE_LOADABLE),
    FAULT("unrecognized interface", CAUSE_LOADABLE),
    PATTERN("Mismatched channel", MESSAGE_PICTURE),
    FAULT("Failed to allocate memory for op_head", CAUSE_ENVIRONMENT),
    FAULT("Failed get dma_buf", CAUSE_ENVIRONMENT),
    FAULT("Failed to vmap dma_buf", CAUSE_ENVIRONMENT),
    FAULT("failed to copy address list", CAUSE_ENVIRONMENT),
    FAULT("failed to allocate sgt", CAUSE_ENVIRONMENT),
    FAULT("Failed to allocate handle", CAUSE_ENVIRONMENT),
    FAULT("failed to open dla device", CAUSE_ENVIRONMENT),
    FAULT("Out of bounds DLA instance", CAUSE_ENVIRONMENT),
    FAULT("ynchronous External Abort", CAUSE_ENVIRONMENT),
    FAULT("ynchronous external abort", CAUSE_ENVIRONMENT),
    FAULT("SError Interrupt", CAUSE_ENVIRONMENT),
    FAULT("Bad mode in ", CAUSE_ENVIRONMENT),
    DEVICE_FAULT("failed to register drm device", CAUSE_ENVIRONMENT),
    DEVICE_FAULT("failed with error -", CAUSE_ENVIRONMENT),
    DEVICE_FAULT("no irq resource", CAUSE_ENVIRONMENT),
    DEVICE_FAULT("Missing DT entry!", CAUSE_ENVIRONMENT),
    {"blocked for more than %d", MESSAGE_BLOCKED, CAUSE_GOOD, true},
    PATTERN("detected stall", MESSAGE_STALL),
    PATTERN("soft lockup", MESSAGE_STALL),
    PATTERN("ard LOCKUP", MESSAGE_STALL),
    PATTERN("body cared", MESSAGE_UNCLAIMED),
    PATTERN("Disabling IRQ #", MESSAGE_UNCLAIMED),
    PATTERN("NULL pointer dereference", MESSAGE_NULL_POINTER),
    PATTERN("dla_handle_events+0x", MESSAGE_IN_HANDLER),
    PATTERN("dla_op_completion+0x", MESSAGE_IN_HANDLER),
    PATTERN("dma_addr: 0x%x", MESSAGE_ADDRESS),
    PATTERN("dma_addr: %x", MESSAGE_ADDRESS),
    PATTERN("creating new runtime context", MESSAGE_RUN),
    PATTERN("submitting tasks...", MESSAGE_SUBMIT),
    PATTERN("Error IOCTL failed (", MESSAGE_IOCTL),
    PATTERN("Test pass", MESSAGE_PASS),
    PATTERN("Unknown image type", MESSAGE_NO_PICTURE),
};

enum { PATTERNS = sizeof patterns / sizeof *patterns, LAST = -1 };

/* Patterns by their first character: head of a list, and the next of each. */
struct index {
    signed char head[256], next[PATTERNS];
};

static void index_patterns(struct index *index) {
    memset(index->head, LAST, sizeof index->head);
    for (int i = PATTERNS; i-- > 0;) {
        const unsigned char first = (unsigned char)patterns[i].text[0];
        index->next[i] = index->head[first];
        index->head[first] = (signed char)i;
    }
}

static bool take_unit(struct span *rest, int *unit) {
    for (int i = 0; i < UNITS; i++)
        if (span_starts(*rest, driver_unit_names[i])) {
            *unit = i;
            rest->at += strlen(driver_unit_names[i]);
            rest->n -= strlen(driver_unit_names[i]);
            return true;
        }
    return false;
}

static bool take_number(struct span *rest, int base, long *value) {
    char digits[24];
    size_t n = 0;
    while (n < rest->n && n < sizeof digits - 1 && strchr("-0123456789abcdef", rest->at[n]))
        n++;
    memcpy(digits, rest->at, n);
    digits[n] = '\0';
    char *end;
    *value = strtol(digits, &end, base);
    rest->at += end - digits;
    rest->n -= (size_t)(end - digits);
    return end != digits;
}

/* Whether the text begins with the pattern; fills in what it contains. */
static bool matches(const struct pattern *pattern, struct span rest, struct message *message) {
    int numbers = 0;
    for (const char *p = pattern->text; *p; p++) {
        if (*p != '%') {
            if (!rest.n || *rest.at != *p)
                return false;
            rest.at++, rest.n--;
            continue;
        }
        p++;
        if (*p == 'u' ? !take_unit(&rest, &message->unit)
                      : !take_number(&rest, *p == 'x' ? 16 : 10, &message->numbers[numbers++]))
            return false;
    }
    message->rest = rest;
    return true;
}

/* The number in front of " HWLs done". */
static long number_before(struct span line, size_t at) {
    long value = 0, digit = 1;
    while (at > 0 && line.at[at - 1] == ' ')
        at--;
    for (; at > 0 && line.at[at - 1] >= '0' && line.at[at - 1] <= '9' && digit < 1000000000; at--, digit *= 10)
        value += digit * (line.at[at - 1] - '0');
    return value;
}

/* The kernel's time stamp, "[    4.864097]". */
static double time_of(struct span line) {
    const char *open = memchr(line.at, '[', line.n);
    char text[32];
    size_t n = 0;
    if (!open)
        return -1;
    for (const char *p = open + 1; p < line.at + line.n && *p != ']' && n < sizeof text - 1; p++)
        if (*p != ' ')
            text[n++] = *p;
    text[n] = '\0';
    char *end;
    const double time = strtod(text, &end);
    return end != text && *end == '\0' && strchr(text, '.') && time >= 0 && time < 1e12 ? time : -1;
}

static bool names_device(struct span line) {
    char text[MESSAGE_LINE_MOST + 1];
    memcpy(text, line.at, line.n);
    text[line.n] = '\0';
    return strcasestr(text, "nvdla") != NULL;
}

static void find_messages(const struct index *index, struct span line, uint64_t number,
                          void (*each)(void *context, const struct message *message), void *context) {
    for (size_t at = 0; at < line.n; at++)
        for (int i = index->head[(unsigned char)line.at[at]]; i != LAST; i = index->next[i]) {
            const struct pattern *pattern = &patterns[i];
            struct message message = {.kind = pattern->kind, .cause = pattern->cause, .line = line, .number = number};
            if (!matches(pattern, (struct span){line.at + at, line.n - at}, &message) ||
                (pattern->nvdla && !names_device(line)))
                continue;
            if (pattern->kind == MESSAGE_LAYERS) {
                message.numbers[1] = message.numbers[0];
                message.numbers[0] = number_before(line, at);
            }
            message.time = time_of(line);
            each(context, &message);
            at = (size_t)(message.rest.at - line.at) - 1;
            break;
        }
}

void messages_in_line(struct span line, uint64_t number, void (*each)(void *context, const struct message *message),
                      void *context) {
    struct index index;
    index_patterns(&index);
    if (line.n > MESSAGE_LINE_MOST)
        line.n = MESSAGE_LINE_MOST;
    find_messages(&index, line, number, each, context);
}

/* Lines of a log that is read piece by piece: zero bytes and lines of any length do no harm. */
struct reading {
    struct index index;
    uint64_t line;
    size_t n; /* bytes of the current line in text */
    char text[MESSAGE_LINE_MOST];
    void (*each)(void *context, const struct message *message);
    void *context;
};

static void end_line(struct reading *reading) {
    reading->line++;
    find_messages(&reading->index, (struct span){reading->text, reading->n}, reading->line, reading->each,
                  reading->context);
    reading->n = 0;
}

static void take_bytes(struct reading *reading, const char *bytes, size_t n) {
    while (n > 0) {
        const char *end = memchr(bytes, '\n', n);
        const size_t part = end ? (size_t)(end - bytes) : n, room = sizeof reading->text - reading->n,
                     kept = part < room ? part : room;
        memcpy(reading->text + reading->n, bytes, kept);
        reading->n += kept;
        if (end)
            end_line(reading);
        bytes += part + (end != NULL);
        n -= part + (end != NULL);
    }
}

bool messages_read(const char *path, void (*each)(void *context, const struct message *message), void *context,
                   struct error *err) {
    enum { PIECE = 1 << 16 };
    struct file_reader *file = strcmp(path, "-") == 0 ? file_reader_take(dup(STDIN_FILENO), "standard input", err)
                                                      : file_reader_open(path, err);
    if (!file)
        return false;
    struct reading *reading = xcalloc(1, sizeof *reading);
    char *piece = xmalloc(PIECE);
    reading->each = each;
    reading->context = context;
    index_patterns(&reading->index);
    ssize_t got;
    uint64_t bytes = 0;
    while ((got = file_reader_read(file, piece, PIECE, err)) > 0) {
        take_bytes(reading, piece, (size_t)got);
        bytes += (uint64_t)got;
    }
    if (reading->n > 0)
        end_line(reading);
    free(piece);
    free(reading);
    file_reader_close(file);
    if (got == 0 && bytes == 0)
        return error_set(err, "%s: found an empty file; expected the log of the driver (dmesg, journalctl -k)", path);
    return got == 0;
}
