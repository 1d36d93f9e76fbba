/* See fields.h. */
#include "fields.h"

#include <stdlib.h>
#include <string.h>

#include "program.h"

#define MOST_FIELDS 200

static char composed_path[4096];

/* The next text that a zero byte ends. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *zero = memchr(text, 0, (size_t)(end - text));
    if (zero == NULL)
        die("a request is cut off");
    *at = zero + 1;
    return text;
}

static void take_field(struct fields *fields, struct field *list, const char *name, const char *value)
{
    if (fields->count == MOST_FIELDS)
        die("at most %d headers", MOST_FIELDS);
    list[fields->count++] = (struct field){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value),
                                           FIELD_KEEPS_NAME | FIELD_KEEPS_VALUE};
}

struct fields fields_of(const struct message *message)
{
    struct fields fields = {0};
    struct field list[MOST_FIELDS];
    const char *at = message->text, *end = at + message->size, *place = at + message->before, *name;
    size_t numbered = MOST_FIELDS;
    while (*(name = next_text(&at, end)) != 0) {
        const char *value = next_text(&at, end);
        if (message->choice != CHOICE_FIXED && place >= value && place < at) {
            numbered = fields.count;
            fields.path = (struct message){.text = value, .size = strlen(value), .before = (size_t)(place - value)};
        }
        take_field(&fields, list, name, value);
    }
    fields.body = at;
    fields.body_size = (size_t)(end - at);
    fields.list = malloc(fields.count * sizeof *list);
    if (fields.list == NULL)
        die("no memory for the requests");
    memcpy(fields.list, list, fields.count * sizeof *list);
    if (numbered < MOST_FIELDS) {
        fields.numbered = &fields.list[numbered];
        fields.numbered->flags = FIELD_KEEPS_NAME; /* the library copies the value */
        if (fields.path.size + LONGEST_NUMBER > sizeof composed_path)
            die("a path is longer than %zu bytes", sizeof composed_path - LONGEST_NUMBER);
    }
    return fields;
}

void fields_fill_in(const struct fields *fields, uint64_t number)
{
    if (fields->numbered == NULL)
        return;
    struct drawn drawn = {.message = &fields->path, .number = number};
    fields->numbered->value = (uint8_t *)composed_path;
    fields->numbered->value_size = compose(&drawn, composed_path);
}
