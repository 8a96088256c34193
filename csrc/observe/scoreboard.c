/* Scoreboard entries as text. See scoreboard.h. */
#include "observe/scoreboard.h"

#include <stdio.h>

char *scoreboard_number(const uint8_t *bytes, size_t from, size_t to, char *text, size_t size) {
    const size_t most = (size - 1) / 2, end = to - from < most ? to : from + most;
    text[0] = '\0';
    for (size_t i = end, at = 0; i > from; i--, at += 2)
        snprintf(text + at, size - at, "%02x", bytes[i - 1]);
    return text;
}
