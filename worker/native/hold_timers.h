/* When each connection is next to be looked at: a binary heap of connection numbers, soonest first. 12 bytes a
   connection. */
#ifndef NGXLAB_HOLD_TIMERS_H
#define NGXLAB_HOLD_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct timers {
    uint32_t *due_ms;   /* by connection, since the start; 49 days are enough for anybody */
    uint32_t *position; /* by connection: where it stands in the heap */
    uint32_t *heap;
    uint32_t count;
};

/* Room for connections 0 to `connections` - 1. False where there is no memory. */
bool timers_make(struct timers *timers, uint32_t connections);

/* Look at a connection at `due_ms`, instead of whenever it was to be looked at before. */
void timers_set(struct timers *timers, uint32_t connection, uint32_t due_ms);

/* Whether some connection is due now; if so it is taken out. */
bool timers_take(struct timers *timers, uint32_t now_ms, uint32_t *connection);

/* Milliseconds until the soonest is due, at most `most_ms`. */
uint32_t timers_wait_ms(const struct timers *timers, uint32_t now_ms, uint32_t most_ms);

#endif
