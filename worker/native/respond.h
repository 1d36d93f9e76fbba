/* An upstream server that speaks what nginx passes requests on by: FastCGI, uwsgi, SCGI or memcached. It reads a whole
   request, waits as it is told, and answers 200 with so many bytes, whatever was asked for. Or it speaks WebSocket, and
   sends each message back once it has waited; one after the other, as they came on a connection. */
#ifndef NGXLAB_RESPOND_H
#define NGXLAB_RESPOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum protocol { FASTCGI, UWSGI, SCGI, MEMCACHED, WEBSOCKET };

#define LARGEST_HEAD 65536
#define LONGEST_KEY 250
#define LARGEST_PREFIX (LONGEST_KEY + 48)
#define LARGEST_MESSAGE (1u << 20)
#define LARGEST_HELD (2 * LARGEST_MESSAGE) /* of messages that have not been sent back */

/* One request as far as it has arrived. Zeroed before the first; `request_next` makes it ready for another. */
struct request {
    uint8_t *head; /* what has to be read as a whole: a record of FastCGI, the variables, or the line */
    uint32_t held, room;
    uint64_t left; /* bytes of a body or of a record's content that are only counted */
    bool in_body;
    bool keep; /* whether the connection stays open for another */
    bool upgraded;  /* WebSocket: what comes are frames */
    uint32_t taken; /* WebSocket: bytes of what is being answered; others may have come after it */
};

enum progress { MORE, WHOLE, WRONG };

/* Takes `size` bytes that have come. WRONG: they are no request of the protocol, or there is no memory. */
enum progress request_read(struct request *request, enum protocol protocol, const uint8_t *data, size_t size);

/* What stands before the response's own bytes for this request; how many there are, at most LARGEST_PREFIX. */
size_t request_prefix(const struct request *request, enum protocol protocol, uint64_t bytes, char *prefix);

void request_next(struct request *request);
void request_free(struct request *request);

/* Hold bytes until there are `wanted` of them. False where there is no memory. */
bool request_hold(struct request *request, const uint8_t **data, size_t *size, size_t wanted);

/* WebSocket, once before processes are made: room for their counts. */
bool websocket_make(void);

/* As the functions above, with a state of their own: more than one message may have come. */
enum progress websocket_read(struct request *request, const uint8_t *data, size_t size);
enum progress websocket_whole(const struct request *request);
void websocket_next(struct request *request);

/* Whether a message is to be sent back, rather than a request or a control frame answered at once. */
bool websocket_is_message(const struct request *request);

/* The answer to what stands first: the bytes in `prefix`, which are counted, then those of `body`. */
size_t websocket_answer(struct request *request, char *prefix, const uint8_t **body, size_t *size);

/* The bytes of each response but for its prefix. NULL where there is no memory. */
uint8_t *response_make(enum protocol protocol, uint64_t bytes, size_t *size);

#endif
