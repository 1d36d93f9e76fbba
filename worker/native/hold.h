/* The idle-hold engine: connections that are opened at a set rate and held, each asleep most of the time.
 *
 *   hold.c             the program: options, processes, one process's loop
 *   hold_connection.c  a connection's life, event by event: opening, sleeping, asking, reading the answer, closing
 *   hold_timers.c      when each connection is next to be looked at */
#ifndef NGXLAB_HOLD_H
#define NGXLAB_HOLD_H

#include "hold_timers.h"
#include "page.h"
#include "program.h"
#include "response.h"

enum { MOST_SOURCES = 4096 };

/* What all shards have in common. Connection `g` of all goes from source `g % sources` to target
   `g / sources % targets`. Without sources the kernel chooses. */
struct plan {
    union address sources[MOST_SOURCES];
    struct targets targets;
    uint32_t source_count;
    uint32_t connections; /* of all shards */
    uint32_t shards;
    double connect_per_s; /* of all shards */
    double think_min_s, think_max_s;
    uint32_t timeout_ms;
    uint64_t seed;
    const char *request;
    size_t request_bytes;
    struct served served;
    bool headers_only; /* answers have no body: the request is a HEAD */
};

enum { BUFFER_BYTES = 65536 }; /* one buffer for all connections: no part of an answer is kept in it */

enum { BY_SERVER = -1 }; /* why a connection is dropped; else a counter of errors */

enum stage { CLOSED, CONNECTING, ASLEEP, SENDING, AWAITING };

/* 24 bytes, and 12 for its timer. */
struct connection {
    struct response *partial; /* an answer that has not arrived completely; NULL almost always */
    int fd;
    uint32_t sent_us; /* the lower half of the instant: its 71 minutes are far longer than any timeout */
    uint32_t written; /* of the request, while SENDING */
    uint8_t stage;
    bool was_open;
};

struct holder {
    const struct plan *plan;
    struct shard_block shard;
    struct connection *connections;
    struct timers timers;
    uint32_t number, count;
    int epoll;
    uint64_t began_us;
    double opening_us;   /* when the next connection may be opened, since the beginning */
    double opening_step_us;
    uint64_t random;
    struct response answer; /* the one that is being read */
    char buffer[BUFFER_BYTES];
};

static inline uint64_t now_us(void) { return now_ns() / NS_PER_US; }

static inline uint32_t since_ms(const struct holder *holder)
{
    return (uint32_t)((now_us() - holder->began_us) / 1000);
}

static inline void count(struct holder *holder, int counter) { word_add(&holder->shard.counters[counter], 1); }

static inline struct connection *at(struct holder *holder, uint32_t i) { return &holder->connections[i]; }

/* Open it when it is its turn: new and dropped connections are opened at one rate. */
void open_in_turn(struct holder *holder, uint32_t i, uint32_t earliest_ms);

/* Its timer is due. */
void on_time(struct holder *holder, uint32_t i);

/* epoll reports `events` for it. */
void on_event(struct holder *holder, uint32_t i, uint32_t events);

#endif
