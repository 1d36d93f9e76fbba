/* An upstream server that speaks what nginx passes requests on by: FastCGI, uwsgi, SCGI or memcached. It reads a whole
   request, waits as it is told, and answers 200 with so many bytes, whatever was asked for. */
#ifndef NGXLAB_RESPOND_H
#define NGXLAB_RESPOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum protocol { FASTCGI, UWSGI, SCGI, MEMCACHED };

#define LARGEST_HEAD 65536
#define LONGEST_KEY 250
#define LARGEST_PREFIX (LONGEST_KEY + 48)

/* One request as far as it has arrived. Zeroed before the first; `request_next` makes it ready for another. */
struct request {
    uint8_t *head; /* what has to be read as a whole: a record of FastCGI, the variables, or the line */
    uint32_t held, room;
    uint64_t left; /* bytes of a body or of a record's content that are only counted */
    bool in_body;
    bool keep; /* whether the connection stays open for another */
};

enum progress { MORE, WHOLE, WRONG };

/* Takes `size` bytes that have come. WRONG: they are no request of the protocol, or there is no memory. */
enum progress request_read(struct request *request, enum protocol protocol, const uint8_t *data, size_t size);

/* What stands before the response's own bytes for this request; how many there are, at most LARGEST_PREFIX. */
size_t request_prefix(const struct request *request, enum protocol protocol, uint64_t bytes, char *prefix);

void request_next(struct request *request);
void request_free(struct request *request);

/* The bytes of each response but for its prefix. NULL where there is no memory. */
uint8_t *response_make(enum protocol protocol, uint64_t bytes, size_t *size);

#endif
