/* The open-loop engine: requests leave when the schedule says so, whether or not earlier ones were answered.
 *
 *   openloop.c             the program: options, processes
 *   openloop_shard.c       one process's loop: schedule, backlog, waiting
 *   openloop_connection.c  a connection's life, event by event, and what is counted of it; HTTP/1.1
 *   openloop_clients.c     clients that are slow, or go away
 *   openloop_multiplex.c   many requests at once on a connection
 *   openloop_http2.c       HTTP/2, with libnghttp2
 *   openloop_http3.c       HTTP/3, with libngtcp2, libnghttp3 and GnuTLS
 *   http2_library.c, http3_library.c   these libraries, loaded where the host has them
 *   openloop_websocket.c   WebSocket on a connection: messages instead of requests
 *   websocket_frames.c     its frames, as they arrive
 *   mix.c                  which request comes next
 *   fields.c               the requests for HTTP/2 and HTTP/3
 *   line.c                 a round trip to the targets
 *   transport.c            a connection's bytes, plain or in TLS
 *   tls_sessions.c         sessions of TLS that later handshakes resume */
#ifndef NGXLAB_OPENLOOP_H
#define NGXLAB_OPENLOOP_H

#include "line.h"
#include "mix.h"
#include "page.h"
#include "program.h"
#include "response.h"
#include "schedule.h"
#include "transport.h"
#include "websocket_frames.h"

/* How the clients of a load behave (HTTP/1.1). */
struct clients {
    double read_per_s, send_per_s; /* bytes that they read of answers, and send of requests; 0: as fast as they can */
    double leaving;                /* of the requests, the share whose client goes away unless it is answered in time */
    uint64_t patience_ns;          /* how long it waits, from the end of its request on */
    uint64_t tick_ns;
    int receive_buffer; /* of the socket, bytes; 0: as the kernel likes */
};

/* The request that makes an HTTP/1.1 connection one of WebSocket, as it goes over the wire. */
struct upgrade {
    const char *request;
    size_t size; /* 0: connections stay what they are */
};

/* What is the same for all shards. */
struct options {
    struct targets targets;
    uint64_t connections; /* of all shards */
    uint64_t timeout_ns;
    struct mix mix;      /* the requests */
    const struct protocol *protocol; /* NULL: HTTP/1.1 */
    uint64_t streams; /* of other protocols: requests at once on a connection, at most */
    struct upgrade upgrade;
    bool keep_alive, tls;
    struct tls_client tls_client;
    struct clients clients;
    uint64_t round_trip_ns; /* of the line to the targets; 0: as it is */
    struct served served;
    bool closed_loop; /* without a schedule: each connection as fast as it is answered */
    bool steered;     /* the agent sets the rates as it goes, on the page; of a closed loop, how many connections are in use */
    struct rates rates;
};

enum connection_state {
    STATE_CLOSED, /* with keep-alive: it will be opened; else: free, to be opened for a request */
    STATE_CONNECTING,
    STATE_SHAKING_HANDS,
    STATE_SETTLING, /* HTTP/2: the server's settings have not come yet; HTTP/3: hands are not shaken; WebSocket: it is not upgraded */
    STATE_IDLE,
    STATE_SENDING,
    STATE_RECEIVING,
    STATE_SHARED, /* it carries many requests at once: in use, free for another request or not */
};

/* A place in a list, the first member of what is listed. */
struct link {
    struct link *previous, *next; /* neighbours in the one list it is in, if any */
    uint64_t due_ns;              /* its place in that list */
    bool on_list;
};

/* Of a request: when it was due and first written, and when the first byte of its answer came; 0: not yet. */
struct instants {
    uint64_t intended_ns, first_write_ns, first_byte_ns;
};

struct connection {
    struct link link;
    struct transport transport;
    enum connection_state state;
    struct link pause; /* until it may send or read on */
    struct link leave; /* until its client goes away */
    bool established, opened_before, tried, has_request, of_head, leaves;
    uint32_t generation; /* of its socket: an event of an earlier one is none of ours */
    uint32_t watched;    /* epoll events */
    uint64_t dialed_ns, free_since_ns;
    struct instants instants; /* of its request */
    const char *request; /* HTTP/1.1: whole, as it goes over the wire */
    size_t request_size, written;
    uint64_t flow_since_ns; /* a slow client has moved `flowed` bytes since; 0: it has not begun */
    double flowed;
    char *composed; /* room for a request with a number, from the first such request on */
    union {
        struct response response;
        struct { /* WebSocket: once it is upgraded */
            struct frame frame;
            uint8_t control[FRAME_HEAD + FRAME_CONTROL]; /* a frame that is to be sent before the next message */
            uint8_t control_size, control_put;
        };
        struct carrier *carrier; /* of many requests at once, from the protocol's begin to the end of the connection */
    };
};

/* First in, first out, by due_ns. Each link is in one list at most. */
struct list {
    struct link *first, *last;
};

static inline void list_append(struct list *list, struct link *link, uint64_t due_ns)
{
    link->due_ns = due_ns;
    link->on_list = true;
    link->previous = list->last;
    link->next = NULL;
    if (list->last)
        list->last->next = link;
    else
        list->first = link;
    list->last = link;
}

static inline void list_prepend(struct list *list, struct link *link)
{
    link->due_ns = 0;
    link->on_list = true;
    link->previous = NULL;
    link->next = list->first;
    if (list->first)
        list->first->previous = link;
    else
        list->last = link;
    list->first = link;
}

static inline void list_remove(struct list *list, struct link *link)
{
    if (link->previous)
        link->previous->next = link->next;
    else
        list->first = link->next;
    if (link->next)
        link->next->previous = link->previous;
    else
        list->last = link->previous;
    link->on_list = false;
}

static inline struct connection *connection_of(struct link *link) { return (struct connection *)link; }

struct shard {
    const struct options *options;
    struct page page;
    struct shard_block block;
    word *counters; /* of the block */
    int epoll;
    struct connection *connections;
    uint64_t count;
    struct list free;     /* ready to take a request */
    struct list busy;     /* by the instant when they time out */
    struct list closed;   /* by the instant when they are to be opened (keep-alive) or are free again (else) */
    struct list failed;   /* likewise, after a connect that failed: apart, as each list is in the order of its instants */
    struct list dialing;  /* connections whose connect is a round trip late, by `pause` */
    struct list paused;   /* connections of slow clients, by `pause` */
    struct list leaving;  /* those of clients that will go away, by `leave` */
    double leaving_credit;
    struct list sent;     /* many at once: requests by the instant when they time out */
    struct list returned; /* many at once: requests that a server gave back unprocessed; they are sent before the backlog */
    uint64_t returned_count;
    struct list unflushed; /* many at once: connections with something to write */
    uint64_t opening;    /* connecting or shaking hands */
    uint64_t untried;    /* never opened, nor failed to: while there are any, the shard is not ready */
    uint64_t in_flight;  /* requests that belong to a connection */
    uint64_t turn;       /* WebSocket: whose it is, modulo count */
    uint64_t opened;     /* connects so far: the next goes to target opened % targets.count */
    struct rates rates;  /* of the options, and those that the agent has set since */
    uint64_t rates_set;
    uint64_t number;     /* among the shards, from 0 */
    uint64_t in_use;     /* closed loop: the first so many connections send requests */
    uint64_t next_set_ns; /* when that changes by what the agent has set, after the start; SCHEDULE_NEVER: unknown */
    struct schedule due; /* the first instant that is not yet due */
    struct schedule next; /* the first instant whose request has no connection yet: what lies between is the backlog */
    struct draws draws;   /* which request belongs to `next` */
    uint64_t start_ns;
    bool loading;
    char *buffer;
};

#define READ_BUFFER (64u << 10)

/* Run one shard until the page says stop; then it has told all its counts. False where a process was lost. */
bool shard_run(const struct options *options, struct page page, uint64_t shard);

/* This connection may take a request from now on. In a closed loop those in use stand before the others. */
void shard_free(struct shard *shard, struct connection *connection);

/* Give backlogged requests to free connections. */
void shard_dispatch(struct shard *shard, uint64_t now);

/* Something may happen on this connection: look. `events` are epoll's. */
void connection_event(struct shard *shard, struct connection *connection, uint32_t events);

void connection_open(struct shard *shard, struct connection *connection, uint64_t now);
void connection_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now);
void connection_time_out(struct shard *shard, struct connection *connection);

/* Count `errors` of a kind, and continue with a new connection. */
void connection_fail(struct shard *shard, struct connection *connection, enum page_counter kind, uint64_t errors);

/* It can carry requests from now on. */
void connection_established(struct shard *shard, struct connection *connection);

/* HTTP/1.1 and WebSocket: it is open, or its request is answered, and it takes the next one. */
void connection_be_free(struct shard *shard, struct connection *connection, uint64_t now);
void connection_answered(struct shard *shard, struct connection *connection, uint64_t now);

/* The server has ended it: a request that it has is not answered any more. */
void connection_ended(struct shard *shard, struct connection *connection);
void connection_close(struct shard *shard, struct connection *connection, uint64_t now);
void connection_watch_for(struct shard *shard, struct connection *connection, enum transfer wanted);

/* A connection that paused may move bytes again. */
void connection_go_on(struct shard *shard, struct connection *connection);

/* Once, after the options are known. */
void clients_begin(struct clients *clients);

/* How many of `wanted` bytes a client of that rate may send or read now; 0: it has to pause. */
size_t clients_may_move(const struct shard *shard, struct connection *connection, double per_s, size_t wanted);
void clients_pause(struct shard *shard, struct connection *connection);

/* Whether the client of the next request goes away: evenly spread. */
bool clients_go_away(struct shard *shard);

/* The request is sent. False: the client has gone away, and the connection is closed. */
bool clients_wait(struct shard *shard, struct connection *connection);

/* Nothing is waited for on this connection any more. */
void clients_forget(struct shard *shard, struct connection *connection);

/* Do what is due by now. */
void clients_turn(struct shard *shard, uint64_t now);

/* A request begins: record how late that is, counted from when it was due and its connection was free. */
void record_lateness(struct shard *shard, uint64_t intended_ns, uint64_t free_since_ns, uint64_t now);
void record_answer(struct shard *shard, unsigned status, const struct instants *instants, uint64_t now);

#endif
