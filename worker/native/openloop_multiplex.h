/* Connections that carry many requests at once: what HTTP/2 and HTTP/3 have in common, which is when a request is sent,
 * on which connection, and how it is counted. A protocol says how (struct protocol).
 *
 * Each connection carries up to `options.streams` requests at once, or as many as its server allows if those are fewer.
 * A server that ends a connection in order (GOAWAY) names the last request that it has looked at. Later ones were never
 * processed: they are sent again on another connection, still counted from when they were due. The connection is
 * closed once its last answer has come, and opened anew. */
#ifndef NGXLAB_OPENLOOP_MULTIPLEX_H
#define NGXLAB_OPENLOOP_MULTIPLEX_H

#include "fields.h"
#include "openloop.h"

#define WINDOW ((1 << 30) - 1) /* of flow control, bytes: for each answer and for the connection, so that none waits for us */

enum reset { NOT_RESET, RESET, REFUSED };

/* One request. In `sent` by the instant when it times out, or in `returned`, where it has no connection. */
struct request {
    struct link link;
    struct carrier *carrier;
    struct request *older, *younger; /* of the same connection */
    struct instants instants;
    const struct fields *fields;
    uint64_t number; /* in its path, where the fields have one */
    size_t body_sent;
    int64_t stream;
    unsigned status;
    enum reset reset; /* by the server */
    bool written, answered;
};

/* A connection, as the first member of what its protocol knows of it. */
struct carrier {
    struct link unflushed; /* its place among those with something to write */
    struct shard *shard;
    struct connection *connection;
    struct request *oldest, *youngest;
    uint64_t requests; /* that wait for an answer here */
    uint64_t streams;  /* open, with those of requests that were given up */
    uint64_t limit;
    uint64_t heard_ns; /* when bytes came last */
    int64_t last;      /* draining: the last stream that the server processes */
    bool draining;
    bool blocked; /* nothing new is sent for now */
};

struct protocol {
    bool over_udp; /* and with TLS of its own */
    /* Load the libraries; what ends the process with a message where it cannot be. */
    void (*set_up)(const struct options *options);
    /* The connection is open; over TCP, after the handshake of TLS. Makes its carrier. */
    void (*begin)(struct shard *shard, struct connection *connection);
    void (*event)(struct shard *shard, struct connection *connection, uint32_t events);
    /* False: the connection takes no more requests, ever. */
    bool (*send)(struct carrier *carrier, struct request *request);
    /* Its answer is not waited for any more. */
    void (*give_up)(struct carrier *carrier, struct request *request);
    /* Write what the connection has to say. It is in no list of those that have. */
    void (*flush)(struct carrier *carrier);
    /* Do what is due by now, and say when something is next (SCHEDULE_NEVER: unknown). Either may be NULL. */
    void (*turn)(struct shard *shard, uint64_t now);
    uint64_t (*due)(void);
    /* The connection ends. */
    void (*end)(struct carrier *carrier);
};

extern const struct protocol http2_protocol, http3_protocol;

/* Take the requests: each is pairs of a header's name and its value (pseudo-headers first), each ended by a zero byte,
 * an empty name, and the body. */
void multiplex_set_up(const struct options *options);

/* Whether some request has a body. */
bool multiplex_has_bodies(void);

void multiplex_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now);

/* Send the first of the returned requests. */
void multiplex_repeat_request(struct shard *shard, struct connection *connection);

/* One of the requests in `sent` or `returned` has waited too long. */
void multiplex_time_out(struct shard *shard, struct link *link, uint64_t now);

/* Write what all connections have to say. */
void multiplex_flush(struct shard *shard);

/* The connection is let go; requests that it still has are not counted here. */
void multiplex_forget(struct shard *shard, struct connection *connection);

/* For protocols. */

void carrier_begin(struct carrier *carrier, struct shard *shard, struct connection *connection);

/* It can carry requests from now on. */
void carrier_established(struct carrier *carrier);

void carrier_want_flush(struct carrier *carrier);

/* Whether it may take another request, by its place in `free`; a connection that has done its work is closed. */
void carrier_settle(struct carrier *carrier, uint64_t now);

/* The first bytes of a request have gone out. */
void carrier_written(struct carrier *carrier, struct request *request, uint64_t now);

/* Count what became of a request, and forget it. */
void carrier_ended(struct carrier *carrier, struct request *request, bool whole);

/* A request that was not processed. */
void carrier_give_back(struct carrier *carrier, struct request *request);

/* Count what the connection still owes, and begin anew. */
void carrier_broken(struct carrier *carrier, enum page_counter kind, uint64_t errors);

/* What came is none of the protocol. */
void carrier_not_spoken(struct carrier *carrier);

#endif
