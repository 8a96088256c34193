/* Commands of vfio-user; see function.h. */
#include "live/function.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "nvdla/registers.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { REFUSED_SHOWN = 20 };

enum { ACCESS_MOST = 4096, VERSION_TEXT = 256 };

/* Milliseconds for which a reply to an access waits for replies of the client. */
enum { PATIENCE = 20 };

/* Ends the session with a message. */
__attribute__((format(printf, 2, 3))) static void fail(struct function *function, const char *format, ...) {
    va_list arguments;
    if (function->failed)
        return;
    function->failed = true;
    va_start(arguments, format);
    autofree char *text = xvprintf(format, arguments);
    va_end(arguments);
    error_set(&function->err, "%s", text);
}

/* Replies; the session ends if the client has gone. */
static void reply(struct function *function, const struct vfio_header *command, const void *data, size_t n, int error) {
    if (!channel_reply(&function->channel, command, data, n, error) && !function->failed) {
        function->failed = true;
        function->err.text[0] = '\0';
    }
}

/* Refuses a command: prints why, and replies with the error number. */
__attribute__((format(printf, 4, 5))) static void refuse(struct function *function, const struct vfio_header *command,
                                                         int number, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    autofree char *text = xvprintf(format, arguments);
    va_end(arguments);
    if (function->refused++ < REFUSED_SHOWN)
        text_print_line(stderr, "nvcosim: refused a message of the client: %s", text);
    reply(function, command, NULL, 0, number);
}

/* ---- interrupts ---- */

static void send_event(struct function *function, int index) {
    const uint64_t one = 1;
    struct pollfd polled = {.fd = function->events[index], .events = POLLOUT};
    if (polled.fd >= 0 && poll(&polled, 1, 0) == 1 && polled.revents == POLLOUT &&
        write(polled.fd, &one, sizeof one) == (ssize_t)sizeof one)
        function->interrupts++;
}

/* Sends the line as the client has chosen. */
static void show_line(struct function *function) {
    const bool line = live_device_interrupt(function->live);
    const bool rose = line && (!function->line || function->again);
    function->line = line;
    function->again = false;
    pci_show_interrupt(&function->pci, line);
    if (pci_msi_enabled(&function->pci)) {
        if (rose)
            send_event(function, VFIO_IRQ_MSI);
    } else if (line && !function->intx_masked && !pci_intx_disabled(&function->pci) &&
               function->events[VFIO_IRQ_INTX] >= 0) {
        function->intx_masked = true;
        send_event(function, VFIO_IRQ_INTX);
    }
}

/* True for a descriptor that write() of an event does not block and that is not anything else. */
static bool is_eventfd(int fd) {
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    target[n < 0 ? 0 : n] = '\0';
    return strcmp(target, "anon_inode:[eventfd]") == 0;
}

static void set_event(struct function *function, uint32_t index, int fd) {
    if (function->events[index] >= 0)
        close(function->events[index]);
    function->events[index] = fd;
    if (index == VFIO_IRQ_INTX)
        function->intx_masked = false;
    function->line = false; /* a line that is up already is sent to the new receiver */
}

/* SET_IRQS of INTx or MSI with an action for one vector; false if it is none. */
static bool act_on_irq(struct function *function, const struct vfio_set_irqs *set, struct vfio_message *message) {
    const uint32_t data = set->flags & VFIO_DATA;
    const bool chosen = data == VFIO_DATA_NONE ||
                        (data == VFIO_DATA_BOOL && message->size > sizeof *set && message->payload[sizeof *set]);
    if (data == VFIO_DATA_BOOL && message->size <= sizeof *set)
        return false;
    switch (set->flags & ~(uint32_t)VFIO_DATA) {
    case VFIO_TRIGGER:
        if (data == VFIO_DATA_EVENTFD) {
            const int fd = channel_take_fd(message);
            if (fd >= 0 && !is_eventfd(fd)) {
                close(fd);
                return false;
            }
            set_event(function, set->index, fd);
        } else if (chosen) {
            send_event(function, (int)set->index);
        }
        return true;
    case VFIO_MASK:
    case VFIO_UNMASK:
        if (data == VFIO_DATA_EVENTFD || set->index != VFIO_IRQ_INTX)
            return false;
        if (chosen)
            function->intx_masked = (set->flags & VFIO_MASK) != 0;
        return true;
    default:
        return false;
    }
}

static void set_irqs(struct function *function, struct vfio_message *message) {
    const struct vfio_header *command = &message->header;
    struct vfio_set_irqs set;
    memcpy(&set, message->payload, sizeof set);
    const uint32_t data = set.flags & VFIO_DATA, most = set.index <= VFIO_IRQ_MSI ? 1 : 0;
    const bool plain = data == VFIO_DATA_NONE || data == VFIO_DATA_BOOL || data == VFIO_DATA_EVENTFD;
    if (set.index >= VFIO_IRQS || !plain || set.count > most || set.start + (uint64_t)set.count > 1)
        refuse(function, command, EINVAL,
               "SET_IRQS: found index %u, flags 0x%x, start %u, count %u, expected INTx (0) or MSI (1), one kind of "
               "data, and at most one vector",
               (unsigned)set.index, (unsigned)set.flags, (unsigned)set.start, (unsigned)set.count);
    else if (set.count == 0 && set.index <= VFIO_IRQ_MSI && (set.flags & VFIO_TRIGGER)) {
        set_event(function, set.index, -1);
        reply(function, command, NULL, 0, 0);
    } else if (set.count == 0 || act_on_irq(function, &set, message))
        reply(function, command, NULL, 0, 0);
    else
        refuse(function, command, EINVAL,
               "SET_IRQS: found flags 0x%x, expected TRIGGER with an eventfd, or for INTx MASK or UNMASK",
               (unsigned)set.flags);
}

/* ---- memory by messages ---- */

static void pump(struct function *function) {
    struct error err;
    if (!function->failed && !transfer_pump(&function->transfer, &err))
        fail(function, "%s", err.text);
}

static void take_reply(struct function *function) {
    struct error err;
    if (!transfer_take_reply(&function->transfer, function->channel.message, &err))
        fail(function, "%s", err.text);
}

/* Takes the next message into channel.message; at its end the session fails. */
static enum channel_event receive(struct function *function) {
    struct error err;
    const enum channel_event event = channel_receive(&function->channel, &err);
    if (event == CHANNEL_CLOSED && !function->failed) {
        function->failed = true;
        function->err = err;
    }
    return event;
}

static bool is_reply(const struct vfio_message *message) {
    return (message->header.flags & VFIO_TYPE) == VFIO_REPLY;
}

/* Before a reply to an access: sends what the device has written by then, and with an own clock reads what it will
 * read. A client that serves no DMA message while it waits for the reply (QEMU) gets the reply first. */
static void settle(struct function *function) {
    const bool own_clock = function->own_clock;
    pump(function);
    while (!function->failed && (dma_owes(&function->dma) || (own_clock && function_waits(function)))) {
        if (!channel_wait(&function->channel, own_clock ? -1 : PATIENCE) || !channel_ready(&function->channel))
            return;
        if (receive(function) != CHANNEL_MESSAGE)
            continue;
        if (!is_reply(function->channel.message)) {
            function->kept = true;
            return;
        }
        take_reply(function);
    }
}

/* A launch is about to be armed; as in struct live_listener. */
static void arming(void *context, const struct launch *launch) {
    struct function *function = context;
    if (!function->looked && !function->own_clock && dma_is_empty(&function->dma))
        device_report(function->live->dev,
                      &(struct finding){.cycle = function->live->dev->ops->time(function->live->dev),
                                        .rule = "memory-empty",
                                        .kind = FINDING_ACCESS,
                                        .owner = {.unit = -1, .ordinal = -1}},
                      "the memory that the client gave holds only zeros: it works in a copy; QEMU needs share=on for "
                      "its memory-backend (docs/live.md)");
    function->looked = true;
    dma_want(&function->dma, launch);
    pump(function);
}

/* As in struct live_listener. */
static bool has_left(void *context) {
    const struct function *function = context;
    return channel_ended(&function->channel);
}

/* ---- regions ---- */

static bool access_registers(struct function *function, bool write, uint64_t offset, uint8_t *bytes, size_t n) {
    struct live_device *live = function->live;
    for (size_t at = 0; at < n; at += 4) {
        uint32_t value;
        memcpy(&value, bytes + at, sizeof value);
        const uint32_t address = (uint32_t)(offset + at);
        if (write ? !live_device_write(live, address, value, &function->err)
                  : !live_device_read(live, address, &value, &function->err))
            return false;
        const uint32_t glb = address - live->glb;
        function->again |= write && (glb == GLB_S_INTR_STATUS || glb == GLB_S_INTR_MASK);
        memcpy(bytes + at, &value, sizeof value);
    }
    return true;
}

/* Reads the part of a register; 0 or an error number. */
static int read_part(struct function *function, uint64_t offset, uint8_t *bytes, size_t n) {
    uint8_t word[4] = {0};
    if (offset % 4 + n > 4)
        return EINVAL;
    if (!access_registers(function, false, offset & ~UINT64_C(3), word, sizeof word))
        return EIO;
    memcpy(bytes, word + offset % 4, n);
    return 0;
}

static int access_bar(struct function *function, bool write, const struct vfio_access *access, uint8_t *bytes) {
    if (access->count == 0 || access->offset >= PCI_BAR_SIZE || access->count > PCI_BAR_SIZE - access->offset)
        return EINVAL;
    if (access->offset % 4 || access->count % 4)
        return write ? EINVAL : read_part(function, access->offset, bytes, access->count);
    return access_registers(function, write, access->offset, bytes, access->count) ? 0 : EIO;
}

static int write_control(struct function *function, const struct vfio_access *access, const uint8_t *bytes) {
    struct control_run run;
    if (access->offset != CONTROL_RUN || access->count != sizeof run)
        return EINVAL;
    memcpy(&run, bytes, sizeof run);
    return live_device_run(function->live, run.clocks, run.until_interrupt != 0, &function->err) ? 0 : EIO;
}

static int read_control(struct function *function, const struct vfio_access *access, uint8_t *bytes) {
    const struct device *dev = function->live->dev;
    const uint64_t index = (access->offset - CONTROL_FINDINGS) / CONTROL_TEXT;
    if (access->offset == CONTROL_STATE && access->count == sizeof(struct control_state)) {
        const struct control_state state = {.clock = live_device_clocks(function->live),
                                            .interrupt = live_device_interrupt(function->live),
                                            .findings = (uint32_t)(dev->finding_count + dev->findings_dropped)};
        memcpy(bytes, &state, sizeof state);
        return 0;
    }
    if (access->count != CONTROL_TEXT || (access->offset != CONTROL_FAILURE && index >= dev->finding_count))
        return EINVAL;
    memset(bytes, 0, CONTROL_TEXT);
    if (access->offset == CONTROL_FAILURE)
        snprintf((char *)bytes, CONTROL_TEXT, "%s", function->err.text);
    else
        snprintf((char *)bytes, CONTROL_TEXT, "%s", dev->findings[index].text);
    return 0;
}

/* The state after reset; configuration space, maps and descriptors stay. */
static bool restart(struct function *function) {
    function->line = function->again = function->intx_masked = false;
    transfer_forget(&function->transfer);
    return live_device_reset(function->live, &function->err);
}

static int access_config(struct function *function, bool write, const struct vfio_access *access, uint8_t *bytes) {
    struct pci *pci = &function->pci;
    if (!write)
        return pci_read(pci, access->offset, bytes, access->count) ? 0 : EINVAL;
    if (!pci_write(pci, access->offset, bytes, access->count))
        return EINVAL;
    return !pci_take_reset(pci) || restart(function) ? 0 : EIO;
}

static int access_region(struct function *function, bool write, const struct vfio_access *access, uint8_t *bytes) {
    switch (access->region) {
    case VFIO_BAR0:
        return access_bar(function, write, access, bytes);
    case VFIO_CONFIG_SPACE:
        return access_config(function, write, access, bytes);
    case VFIO_CONTROL:
        if (function->own_clock)
            return write ? write_control(function, access, bytes) : read_control(function, access, bytes);
        return EINVAL;
    default:
        return EINVAL;
    }
}

static void access_message(struct function *function, struct vfio_message *message) {
    const struct vfio_header command = message->header;
    const bool write = command.command == VFIO_REGION_WRITE;
    uint8_t bytes[sizeof(struct vfio_access) + ACCESS_MOST];
    struct vfio_access access;
    memcpy(&access, message->payload, sizeof access);
    if (access.count > ACCESS_MOST || (write && message->size - sizeof access != access.count)) {
        refuse(function, &command, E2BIG,
               "%s: found %u bytes of data and count %u, expected them equal, and at most %d",
               write ? "REGION_WRITE" : "REGION_READ", (unsigned)(message->size - sizeof access),
               (unsigned)access.count, ACCESS_MOST);
        return;
    }
    memcpy(bytes, &access, sizeof access);
    memcpy(bytes + sizeof access, message->payload + sizeof access, write ? access.count : 0);
    const int error = access_region(function, write, &access, bytes + sizeof access);
    if (error == EIO && !function->own_clock) {
        function->live->failures++;
        fail(function, "%s", function->err.text);
    }
    if (error == EINVAL)
        refuse(function, &command, error, "%s of %u bytes at offset 0x%" PRIx64 " of region %u",
               write ? "REGION_WRITE" : "REGION_READ", (unsigned)access.count, access.offset, (unsigned)access.region);
    else {
        if (!write || function->own_clock)
            settle(function);
        reply(function, &command, bytes, sizeof access + (write ? 0 : access.count), error);
    }
}

/* ---- description ---- */

/* Takes the client's limit for DMA messages from its capabilities; false if they are no JSON. */
static bool read_capabilities(struct function *function, const char *text, size_t n) {
    json_t *json = json_loadb(text, n, JSON_DISABLE_EOF_CHECK, NULL);
    const json_t *most = json_object_get(json_object_get(json, "capabilities"), "max_data_xfer_size");
    const json_int_t limit = json_is_integer(most) ? json_integer_value(most) : VFIO_DATA_MOST;
    const bool good = json_is_object(json) && limit > 0;
    function->transfer.most = limit < VFIO_DATA_MOST ? (uint32_t)limit : VFIO_DATA_MOST;
    json_decref(json);
    return good;
}

static void exchange_versions(struct function *function, struct vfio_message *message) {
    uint16_t version[2];
    char answer[VERSION_TEXT];
    memcpy(version, message->payload, sizeof version);
    const char *text = (const char *)message->payload + sizeof version;
    const size_t n = message->size - sizeof version;
    if (version[0] != 0 || (n > 0 && (text[n - 1] || !read_capabilities(function, text, n - 1)))) {
        refuse(function, &message->header, EINVAL,
               "VERSION: found %u.%u, expected 0.x with capabilities as JSON text that ends with 0", version[0],
               version[1]);
        fail(function, "the versions do not fit");
        return;
    }
    version[1] = 0;
    memcpy(answer, version, sizeof version);
    const int size =
        snprintf(answer + sizeof version, sizeof answer - sizeof version,
                 "{\"capabilities\":{\"max_msg_fds\":%d,\"max_data_xfer_size\":%d,\"write_multiple\":false}}",
                 VFIO_FDS_MOST, VFIO_DATA_MOST);
    function->versioned = true;
    reply(function, &message->header, answer, sizeof version + (size_t)size + 1, 0);
}

static void describe_device(struct function *function, struct vfio_message *message) {
    const struct vfio_info info = {.argsz = sizeof info,
                                   .flags = VFIO_INFO_RESET | VFIO_INFO_PCI,
                                   .regions = VFIO_REGIONS + (function->own_clock ? 1 : 0),
                                   .irqs = VFIO_IRQS};
    reply(function, &message->header, &info, sizeof info, 0);
}

static void describe_region(struct function *function, struct vfio_message *message) {
    struct vfio_region_info info;
    memcpy(&info, message->payload, sizeof info);
    const uint32_t index = info.index;
    info = (struct vfio_region_info){.argsz = sizeof info, .index = index};
    info.size = index == VFIO_BAR0           ? PCI_BAR_SIZE
                : index == VFIO_CONFIG_SPACE ? PCI_SPACE
                : index == VFIO_CONTROL      ? UINT32_MAX
                                             : 0;
    info.flags = info.size ? VFIO_REGION_READABLE | VFIO_REGION_WRITABLE : 0;
    if (index < VFIO_REGIONS || (index == VFIO_CONTROL && function->own_clock))
        reply(function, &message->header, &info, sizeof info, 0);
    else
        refuse(function, &message->header, EINVAL, "GET_REGION_INFO of region %u", (unsigned)index);
}

static void describe_irq(struct function *function, struct vfio_message *message) {
    struct vfio_irq_info info;
    memcpy(&info, message->payload, sizeof info);
    const uint32_t index = info.index;
    info = (struct vfio_irq_info){.argsz = sizeof info, .index = index, .count = index <= VFIO_IRQ_MSI};
    if (index == VFIO_IRQ_INTX)
        info.flags = VFIO_IRQ_EVENTFD | VFIO_IRQ_MASKABLE | VFIO_IRQ_AUTOMASKED;
    else if (index == VFIO_IRQ_MSI)
        info.flags = VFIO_IRQ_EVENTFD | VFIO_IRQ_NORESIZE;
    if (index < VFIO_IRQS)
        reply(function, &message->header, &info, sizeof info, 0);
    else
        refuse(function, &message->header, EINVAL, "GET_IRQ_INFO of index %u", (unsigned)index);
}

/* ---- commands ---- */

static void map_memory(struct function *function, struct vfio_message *message) {
    struct vfio_dma_map map;
    struct error err;
    memcpy(&map, message->payload, sizeof map);
    const int fd = channel_take_fd(message);
    const int number = dma_map(&function->dma, &map, fd, &err);
    if (fd >= 0)
        close(fd);
    if (number)
        refuse(function, &message->header, number, "%s", err.text);
    else
        reply(function, &message->header, NULL, 0, 0);
}

static void unmap_memory(struct function *function, struct vfio_message *message) {
    struct vfio_dma_unmap range;
    struct error err;
    memcpy(&range, message->payload, sizeof range);
    const int number = dma_unmap(&function->dma, &range, &err);
    if (number)
        refuse(function, &message->header, number, "%s", err.text);
    else
        reply(function, &message->header, &range, sizeof range, 0);
}

static void reset_device(struct function *function, struct vfio_message *message) {
    if (restart(function))
        reply(function, &message->header, NULL, 0, 0);
    else
        fail(function, "%s", function->err.text);
}

static const struct {
    size_t least; /* bytes of its payload */
    void (*serve)(struct function *function, struct vfio_message *message);
} commands[] = {
    [VFIO_VERSION] = {2 * sizeof(uint16_t), exchange_versions},
    [VFIO_DMA_MAP] = {sizeof(struct vfio_dma_map), map_memory},
    [VFIO_DMA_UNMAP] = {sizeof(struct vfio_dma_unmap), unmap_memory},
    [VFIO_GET_INFO] = {sizeof(struct vfio_info), describe_device},
    [VFIO_GET_REGION_INFO] = {sizeof(struct vfio_region_info), describe_region},
    [VFIO_GET_IRQ_INFO] = {sizeof(struct vfio_irq_info), describe_irq},
    [VFIO_SET_IRQS] = {sizeof(struct vfio_set_irqs), set_irqs},
    [VFIO_REGION_READ] = {sizeof(struct vfio_access), access_message},
    [VFIO_REGION_WRITE] = {sizeof(struct vfio_access), access_message},
    [VFIO_RESET] = {0, reset_device},
};

static void serve_command(struct function *function, struct vfio_message *message) {
    const struct vfio_header *header = &message->header;
    const unsigned number = header->command;
    const bool known = number < sizeof commands / sizeof *commands && commands[number].serve;
    if (!function->versioned && number != VFIO_VERSION)
        fail(function, "found command %u, expected VERSION (1) first", number);
    else if (!known || message->size < commands[number].least)
        refuse(function, header, known ? EINVAL : ENOSYS, "command %u with %u bytes", number, (unsigned)message->size);
    else
        commands[number].serve(function, message);
}

bool function_serve(struct function *function) {
    const enum channel_event event = function->kept ? CHANNEL_MESSAGE : receive(function);
    function->kept = false;
    if (event == CHANNEL_MESSAGE) {
        struct vfio_message *message = function->channel.message;
        function->posted = message->header.flags & VFIO_NO_REPLY;
        if (is_reply(message))
            take_reply(function);
        else
            serve_command(function, message);
    }
    return !function->failed;
}

bool function_show(struct function *function) {
    pump(function);
    if (!transfer_owes(&function->transfer))
        show_line(function);
    return !function->failed;
}

void function_open(struct function *function, struct live_device *live, int socket, int stop, bool own_clock) {
    *function = (struct function){.live = live, .events = {-1, -1}, .own_clock = own_clock};
    function->transfer = (struct transfer){&function->channel, &function->dma, .most = VFIO_DATA_MOST};
    channel_open(&function->channel, socket, stop);
    pci_reset(&function->pci);
    dma_open(&function->dma, live->dev, live->recording);
    live->listener = (struct live_listener){arming, has_left, function};
}

void function_close(struct function *function) {
    function->transfer.reads = 0;
    transfer_forget(&function->transfer);
    function->live->listener = (struct live_listener){0};
    for (int i = 0; i < 2; i++)
        if (function->events[i] >= 0)
            close(function->events[i]);
    dma_close(&function->dma);
    channel_close(&function->channel);
}
