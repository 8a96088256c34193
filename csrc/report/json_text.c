/* Text in JSON. See json_text.h. */
#include "report/json_text.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

json_t *json_text(const char *text) {
    json_t *json = json_string(text);
    if (json)
        return json;
    char *ascii = xstrdup(text);
    for (char *c = ascii; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json = json_string(ascii);
    free(ascii);
    return json;
}

char *json_to_text(json_t *json, size_t flags) {
    char *text = json_dumps(json, flags);
    if (!text)
        xexhausted();
    json_decref(json);
    return text;
}
