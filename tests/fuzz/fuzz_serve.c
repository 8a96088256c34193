/* Fuzzes the vfio-user server: inputs are messages of a client, most of them nearly right, small legal layers among
 * them, raw bytes, answers to the server's own messages, and time. Nothing may crash the server or keep it busy, or
 * make it read or write outside of what was mapped. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/function.h"
#include "live/recording_end.h"
#include "model/model.h"
#include "nvdla/xalloc.h"
#include "tests/unit/legal_layers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_STEPS = 2000, MOST_PAYLOAD = 64, ROOM = 1 << 18, MEMORY_FD = 0, FD_KINDS = 4 };
static const struct model_limits limits = {.atoms = 1 << 12, .products = 1 << 20, .elements = 1 << 16};

struct fuzz {
    const uint8_t *at, *end;
    struct live_device live;
    struct function function;
    int socket; /* the client's */
    int steps;
    bool over;
    uint16_t id;
    uint8_t *heard; /* from the server, ROOM bytes */
    size_t heard_count;
};

/* Of every input. */
static int fds[FD_KINDS], stop = -1;

static uint32_t byte(struct fuzz *f) {
    return f->at < f->end ? *f->at++ : 0;
}

static void open_files(void) {
    if (stop >= 0)
        return;
    fds[MEMORY_FD] = memfd_create("memory", 0);
    fds[1] = eventfd(0, EFD_NONBLOCK);
    fds[2] = open("/dev/null", O_RDWR);
    fds[3] = open("/proc/self/exe", O_RDONLY);
    stop = eventfd(1, 0); /* what would block ends the session */
    assert(stop >= 0 && ftruncate(fds[MEMORY_FD], LEGAL_MEMORY) == 0);
    stderr = fopen("/dev/null", "w"); /* reasons of refusals; libFuzzer and the sanitizers have kept the old one */
    assert(stderr);
}

/* ---- the client ---- */

static void send_bytes(struct fuzz *f, const void *bytes, size_t n, const int *files, size_t count) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * VFIO_FDS_MOST)];
    } control = {.bytes = {0}};
    struct iovec io = {(void *)bytes, n};
    struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(rights), files, sizeof(int) * count);
    }
    if (n > 0 && sendmsg(f->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)n)
        f->over = true;
}

static void send_message(struct fuzz *f, struct vfio_header header, const void *payload, size_t n, const int *files,
                         size_t count) {
    autofree uint8_t *whole = xmalloc(sizeof header + n);
    memcpy(whole, &header, sizeof header);
    if (n > 0)
        memcpy(whole + sizeof header, payload, n);
    send_bytes(f, whole, sizeof header + n, files, count);
}

/* Answers a message of the server, rightly or not. */
static void answer(struct fuzz *f, struct vfio_header header, const uint8_t *payload) {
    struct vfio_dma_access access;
    const uint32_t how = byte(f);
    assert(header.size >= sizeof header + sizeof access && !(header.flags & VFIO_TYPE));
    memcpy(&access, payload, sizeof access);
    assert(access.count > 0 && access.count <= VFIO_DATA_MOST);
    const bool read = header.command == VFIO_DMA_READ;
    size_t n = read ? sizeof access + access.count : 0;
    autofree uint8_t *data = xcalloc(1, n + 8);
    memcpy(data, &access, read ? sizeof access : 0);
    if (how == 255)
        n /= 2;
    header.id = (uint16_t)(header.id + (how == 254));
    header.flags = VFIO_REPLY | (how == 253 ? VFIO_ERROR : 0);
    header.size = (uint32_t)(sizeof header + n);
    if (how != 252)
        send_message(f, header, data, n, NULL, 0);
}

/* Takes what the server has sent. */
static void hear(struct fuzz *f) {
    struct vfio_header header;
    ssize_t got;
    while ((got = recv(f->socket, f->heard + f->heard_count, ROOM - f->heard_count, MSG_DONTWAIT)) > 0) {
        f->heard_count += (size_t)got;
        while (f->heard_count >= sizeof header) {
            memcpy(&header, f->heard, sizeof header);
            assert(header.size >= sizeof header && header.size <= ROOM);
            if (f->heard_count < header.size)
                break;
            if (!(header.flags & VFIO_REPLY))
                answer(f, header, f->heard + sizeof header);
            f->heard_count -= header.size;
            memmove(f->heard, f->heard + header.size, f->heard_count);
        }
    }
}

/* What the server does after something has arrived, as in live/server.c. */
static void serve(struct fuzz *f) {
    struct error err;
    for (bool more = true; more && !f->over && f->steps++ < MOST_STEPS;) {
        f->over = !function_serve(&f->function);
        if (!f->over && f->live.moving && !f->function.own_clock && !function_waits(&f->function))
            f->over = !live_device_work(&f->live, &err);
        f->over = f->over || !function_show(&f->function);
        hear(f);
        more = channel_ready(&f->function.channel);
    }
}

/* ---- messages ---- */

/* A word of a payload: a number that means something, or any. */
static uint32_t word(struct fuzz *f) {
    static const uint32_t words[] = {0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     5,
                                     7,
                                     8,
                                     9,
                                     16,
                                     20,
                                     24,
                                     32,
                                     33,
                                     34,
                                     255,
                                     256,
                                     4096,
                                     0x1004,
                                     0x1008,
                                     0x100c,
                                     0x10000,
                                     0x3fffc,
                                     0x40000,
                                     0x52,
                                     0x81,
                                     100,
                                     1024,
                                     0x80000000,
                                     0xffffffff,
                                     LEGAL_MEMORY,
                                     65536};
    const uint32_t choice = byte(f);
    if (choice < 0xf0)
        return words[choice % (sizeof words / sizeof *words)];
    uint32_t value = byte(f);
    for (int i = 1; i < 4; i++)
        value |= byte(f) << 8 * i;
    return value;
}

static void put_message(struct fuzz *f, uint32_t command) {
    uint8_t payload[MOST_PAYLOAD];
    const uint32_t flags = byte(f);
    const size_t n = flags & 1 ? byte(f) % (MOST_PAYLOAD + 1) : MOST_PAYLOAD / 4 * (flags >> 1 & 3);
    for (size_t i = 0; i < sizeof payload; i += 4) {
        const uint32_t value = i < n ? word(f) : 0;
        memcpy(payload + i, &value, sizeof value);
    }
    const int files[] = {fds[flags >> 5 & 3], fds[flags >> 6 & 3]};
    struct vfio_header header = {.id = f->id++,
                                 .command = (uint16_t)command,
                                 .size = (uint32_t)(sizeof header + n),
                                 .flags = flags & 8 ? VFIO_NO_REPLY : 0};
    send_message(f, header, payload, n, files, flags & 16 ? 1 + (flags >> 7) : 0);
}

static void put_access(struct fuzz *f, bool write, uint32_t region, uint64_t offset, uint32_t value) {
    uint8_t payload[sizeof(struct vfio_access) + sizeof value];
    const struct vfio_access access = {.offset = offset, .region = region, .count = sizeof value};
    const size_t n = sizeof access + (write ? sizeof value : 0);
    struct vfio_header header = {.id = f->id++,
                                 .command = write ? VFIO_REGION_WRITE : VFIO_REGION_READ,
                                 .size = (uint32_t)(sizeof header + n),
                                 .flags = write ? VFIO_NO_REPLY : 0};
    memcpy(payload, &access, sizeof access);
    memcpy(payload + sizeof access, &value, sizeof value);
    send_message(f, header, payload, n, NULL, 0);
}

static void write_register(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct fuzz *f = context;
    if (!f->over)
        put_access(f, true, VFIO_BAR0, nvdla_unit_base(f->live.dev->config, unit) + offset, value);
    serve(f);
}

static void put_map(struct fuzz *f, bool shared) {
    const struct vfio_dma_map map = {.argsz = sizeof map, .flags = 3, .size = LEGAL_MEMORY};
    struct vfio_header header = {.id = f->id++, .command = VFIO_DMA_MAP, .size = sizeof header + sizeof map};
    send_message(f, header, &map, sizeof map, &fds[MEMORY_FD], shared ? 1 : 0);
}

static void put_version(struct fuzz *f) {
    static const char payload[] = "\0\0\0\0{\"capabilities\":{\"max_data_xfer_size\":4096}}";
    struct vfio_header header = {.id = f->id++, .command = VFIO_VERSION, .size = sizeof header + sizeof payload};
    send_message(f, header, payload, sizeof payload, NULL, 0);
}

static void step(struct fuzz *f) {
    const struct legal_sink sink = {write_register, f};
    const uint32_t command = byte(f), argument = command >> 4;
    const int layer = (int)argument % LEGAL_LAYERS;
    const bool legal = legal_layer_exists(f->live.dev->config, layer);
    uint8_t raw[16];
    switch (command & 15) {
    case 0:
        if (legal)
            legal_layer(f->live.dev->config, layer, sink);
        break;
    case 1:
        if (legal)
            legal_layer_enable(f->live.dev->config, layer, sink);
        break;
    case 2:
        put_access(f, (argument & 1) != 0, argument & 2 ? VFIO_CONFIG_SPACE : VFIO_BAR0, word(f), word(f));
        break;
    case 3:
        put_map(f, argument & 1);
        break;
    case 4: /* half a message, or the rest of one */
        for (size_t i = 0; i < argument; i++)
            raw[i] = (uint8_t)byte(f);
        send_bytes(f, raw, argument, NULL, 0);
        break;
    case 5:
        for (uint32_t i = 0; i < argument; i++)
            serve(f);
        break;
    case 6: /* the client leaves */
        f->over = argument == 0;
        break;
    default:
        put_message(f, argument);
        break;
    }
    serve(f);
}

/* ---- the device ---- */

/* As in struct recording. */
static bool finish(void *context, const struct recording *recording, int part, struct error *err) {
    uint64_t kept, all;
    const struct recording_end *end = context;
    (void)part;
    FILE *log = end ? recording_end_log(end, recording->log, &kept, &all, err) : NULL;
    assert(!end || (log && kept <= all));
    if (log)
        fclose(log);
    return true;
}

/* As in struct judge_listener. */
static void judged(void *context, const struct judge_finding *finding, const char *text) {
    (void)context;
    assert(finding || text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    struct fuzz f = {.at = data, .end = data + n};
    struct recording recording = {.finish = finish};
    struct judge judge;
    int pair[2];
    open_files();
    const uint32_t kind = byte(&f);
    const struct model_options options = {.limits = limits};
    struct device *model = model_new(nvdla_config_find(kind & 1 ? "full" : "small"), &options);
    const bool records = (kind & 0xe0) == 0x20, judges = (kind & 0xe0) == 0x40;
    recording.config = model->config;
    struct recording_end *end =
        records && (kind & 16) ? recording_end_new(model->config, 1 + (kind >> 3 & 1), &err) : NULL;
    recording.context = end;
    if (end)
        recording.keeper = recording_end_keeper(end);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
        (records && !recording_open(&recording, &err)) ||
        !live_device_open(&f.live, model, NULL, records ? &recording : NULL, &err))
        abort();
    if (judges) {
        judge_open(&judge, model_new(model->config, &options), (struct judge_listener){judged, NULL});
        judge_attach(&judge, model);
        f.live.judge = &judge;
    }
    f.socket = pair[1];
    f.heard = xmalloc(ROOM);
    function_open(&f.function, &f.live, pair[0], stop, kind & 2);
    if (kind & 4) {
        put_version(&f);
        put_map(&f, kind & 8);
        serve(&f);
    }
    while (f.at < f.end && !f.over)
        step(&f);
    function_close(&f.function);
    if (!f.live.stop && !live_device_reset(&f.live, &err))
        assert(err.text[0]);
    live_device_close(&f.live);
    if (judges)
        judge_close(&judge);
    recording_close(&recording);
    recording_end_free(end);
    close(f.socket);
    free(f.heard);
    return 0;
}
