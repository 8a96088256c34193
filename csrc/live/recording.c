/* Writes the log of a live device; see recording.h. */
#include "live/recording.h"

#include <inttypes.h>
#include <unistd.h>

#include "nvdla/registers.h"

enum { LINE_BYTES = 1024 }; /* of memory, most in a line */

bool recording_open(struct recording *recording, struct error *err) {
    recording->log = tmpfile();
    return recording->log ||
           error_set(err, "--record: no temporary file can be created (%m); is there space for temporary files?");
}

void recording_close(struct recording *recording) {
    if (recording->log)
        fclose(recording->log);
}

static void begin_line(FILE *log, const char *adaptor, bool write, uint64_t address, size_t n) {
    fprintf(log, "nvdla.%s_adaptor: GP: iswrite=%d addr=0x%" PRIx64 " len=%zu data=0x", adaptor, write, address, n);
}

static void end_line(FILE *log) {
    fputs(" resp=TLM_OK_RESPONSE\n", log);
}

void recording_put(FILE *log, bool write, uint32_t address, uint32_t value) {
    begin_line(log, "csb", write, address, sizeof value);
    fprintf(log, " %08" PRIx32, value);
    end_line(log);
}

void recording_register(struct recording *recording, bool write, uint32_t address, uint32_t value) {
    if (!nvdla_register_at(recording->config, address)) {
        recording->skipped++;
        return;
    }
    recording->writes += write;
    recording_put(recording->log, write, address, value);
    if (recording->keeper.context)
        recording->keeper.access(recording->keeper.context, write, address, value);
}

void recording_memory(struct recording *recording, bool write, enum memory_space space, uint64_t address,
                      const uint8_t *bytes, size_t n) {
    for (size_t part; n > 0; address += part, bytes += part, n -= part) {
        part = n < LINE_BYTES ? n : LINE_BYTES;
        begin_line(recording->log, space == SPACE_PRIMARY ? "dbb" : "sram", write, address, part);
        for (size_t i = 0; i < part; i++)
            fprintf(recording->log, "%c%02x", i % 4 ? '_' : ' ', bytes[i]);
        end_line(recording->log);
    }
}

bool recording_show(struct recording *recording, struct error *err) {
    FILE *log = recording->log;
    if (fflush(log) != 0 || ferror(log))
        return error_set(err,
                         "--record: the temporary file cannot be written (%m); is there space for temporary files?");
    return recording->writes == 0 || recording->finish(recording->context, recording, recording->part + 1, err);
}

bool recording_end(struct recording *recording, struct error *err) {
    bool good = recording_show(recording, err);
    FILE *log = recording->log;
    recording->part += recording->writes > 0;
    clearerr(log);
    rewind(log);
    if (ftruncate(fileno(log), 0) != 0 && good)
        good = error_set(err, "--record: the temporary file cannot be emptied: %m");
    if (recording->keeper.context)
        recording->keeper.reset(recording->keeper.context);
    recording->writes = recording->skipped = 0;
    return good;
}
