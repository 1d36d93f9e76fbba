/* One of the connections that a process holds: opening, sleeping, asking, reading the answer, closing.
 *
 *   hold_shard.c       the process's loop
 *   hold_connection.c  a connection's life, event by event */
#ifndef NGXLAB_HOLD_CONNECTION_H
#define NGXLAB_HOLD_CONNECTION_H

#include "hold_shard.h"
#include "hold_timers.h"
#include "now.h"
#include "response.h"

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
