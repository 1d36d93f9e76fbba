/* The requests of a mix as libnghttp2 wants them. */
#ifndef NGXLAB_HTTP2_FIELDS_H
#define NGXLAB_HTTP2_FIELDS_H

#include "http2_library.h"
#include "mix.h"

#ifdef HTTP2_BUILT

struct fields {
    nghttp2_nv *list;
    size_t count, body_size;
    const char *body;
    nghttp2_nv *numbered; /* the one whose value has a number, or NULL */
    struct message path;  /* that value without the number */
};

/* Take a message, whose text is described at http2_set_up. Ends the process where it is malformed. */
struct fields fields_of(const struct message *message);

/* Put the number into the path. Holds until the next call, for any fields. */
void fields_fill_in(const struct fields *fields, uint64_t number);

#endif
#endif
