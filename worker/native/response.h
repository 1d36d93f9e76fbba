/* HTTP/1.1 responses as they arrive, piece by piece (RFC 9112): where one ends, and its status. */
#ifndef NGXLAB_RESPONSE_H
#define NGXLAB_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_KEPT 256

enum response_result { RESPONSE_MORE, RESPONSE_DONE, RESPONSE_GARBAGE };

enum response_part {
    PART_STATUS_LINE,
    PART_HEADERS,
    PART_BODY_OF_LENGTH,
    PART_CHUNK_SIZE,
    PART_CHUNK_DATA,
    PART_CHUNK_END,
    PART_TRAILERS,
    PART_BODY_UNTIL_CLOSE,
};

struct response {
    enum response_part part;
    bool of_head;    /* an answer to HEAD has no body */
    bool upgrades;   /* 101 is its end: the connection speaks another protocol from then on */
    bool keep_alive; /* the connection may be used again, once done */
    bool chunked, has_length;
    unsigned status;
    uint64_t length;   /* left of the body or of the chunk */
    size_t head_bytes; /* of status line and headers, or of trailers, so far */
    size_t line_length;
    char line[LINE_KEPT]; /* the beginning of a line that has come in part */
};

void response_begin(struct response *response, bool of_head);

/* Parse the next bytes; `used` is how many of them belong to this response. */
enum response_result response_feed(struct response *response, const char *data, size_t size, size_t *used);

/* The peer has closed. RESPONSE_MORE: too early. */
enum response_result response_closed(const struct response *response);

#endif
