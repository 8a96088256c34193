/* Opens the device of a live session; see live.h. */
#include "run/session/live.h"

#include "live/server.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "run/session/diagnose.h"

/* rtl: must outlive the device. */
static struct device *open_device(const struct run_options *options, const struct rtl_options *rtl, const char *name,
                                  rtl_open open, void *context, struct error *err) {
    if (!open) {
        const struct model_options model = model_options_of(options);
        return model_new(options->config, &model);
    }
    struct device *dev = open(context, options->config, rtl, err);
    if (dev)
        dev->name = name;
    return dev;
}

int live_one(const struct run_options *options, const char *name, rtl_open open, void *context) {
    const struct server_options server = {.path = options->live.socket,
                                          .connected = options->live.connected,
                                          .once = options->live.once,
                                          .quiet = options->quiet || !options->live.socket};
    struct error err;
    struct live_device live;
    bool found = false;
    struct rtl_options rtl = options->rtl;
    rtl.axi.seed = options->seed;
    struct device *dev = open_device(options, &rtl, name, open, context, &err);
    bool good = dev != NULL;
    if (good) {
        good = live_device_open(&live, dev, options->verbose ? stdout : NULL, &err) &&
               server_run(&server, &live, &found, &err);
        live_device_close(&live);
    }
    if (!good)
        text_print_line(stderr, "nvcosim serve: %s", err.text);
    return !good ? EXIT_BAD_INPUT : found ? EXIT_DIFFERENT : EXIT_OK;
}
