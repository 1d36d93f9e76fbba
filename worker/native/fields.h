/* The requests of a mix as the libraries of HTTP/2 and HTTP/3 want them. */
#ifndef NGXLAB_FIELDS_H
#define NGXLAB_FIELDS_H

#include "mix.h"

/* A header, laid out as nghttp2_nv and nghttp3_nv are; its flags mean the same in both. */
struct field {
    uint8_t *name, *value;
    size_t name_size, value_size;
    uint8_t flags;
};

enum { FIELD_KEEPS_NAME = 2, FIELD_KEEPS_VALUE = 4 }; /* the library need not copy it */

struct fields {
    struct field *list;
    size_t count, body_size;
    const char *body;
    struct field *numbered; /* the one whose value has a number, or NULL */
    struct message path;    /* that value without the number */
};

/* Take a message, whose text is described at multiplex_set_up. Ends the process where it is malformed. */
struct fields fields_of(const struct message *message);

/* Put the number into the path. Holds until the next call, for any fields. */
void fields_fill_in(const struct fields *fields, uint64_t number);

#endif
