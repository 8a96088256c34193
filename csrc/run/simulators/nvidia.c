/* The file list for NVIDIA's own RTL, which scripts/nvidia_list.py writes. See nvidia.h. */
#include "run/simulators/nvidia.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

const char *const nvidia_pins[NVIDIA_PIN_COUNT] = {"tmc2slcg_disable_clock_gating=1"};

double nvidia_memory(const struct nvdla_config *config) {
    return strcmp(config->name, "full") == 0 ? 6.6e9 : 0; /* measured, with Verilator 5.006 */
}

char *nvidia_file_list(const struct nvdla_config *config, const char *checkout, const char *rams, const char *directory,
                       struct error *err) {
    struct install_paths paths;
    struct words words = {0};
    int status;
    if (!install_paths_find(&paths, err))
        return NULL;
    words_put(&words, "python3");
    words_add(&words, "%s/scripts/nvidia_list.py", paths.sources ? paths.sources : paths.ready);
    words_put(&words, config->name);
    words_put(&words, checkout);
    words_put(&words, directory);
    if (rams)
        words_put(&words, rams);
    char *output = process_output(words.items, &status, err);
    if (output && status != 0) {
        char *last = text_last_line(output, strlen(output));
        error_set(err, "%s", last);
        free(last);
    }
    const bool good = output && status == 0;
    free(output);
    words_free(&words);
    install_paths_free(&paths);
    return good ? xprintf("%s/vmod.f", directory) : NULL;
}
