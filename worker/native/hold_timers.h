/* When each connection is next to be looked at: a binary heap of connection numbers, soonest first. 12 bytes a
   connection. */
#ifndef NGXLAB_HOLD_TIMERS_H
#define NGXLAB_HOLD_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct timers {
    uint32_t *due;      /* by connection, since the start, in the unit that the owner counts in */
    uint32_t *position; /* by connection: where it stands in the heap */
    uint32_t *heap;
    uint32_t count;
};

/* Room for connections 0 to `connections` - 1. False where there is no memory. */
bool timers_make(struct timers *timers, uint32_t connections);

/* Look at a connection at `due`, instead of whenever it was to be looked at before. */
void timers_set(struct timers *timers, uint32_t connection, uint32_t due);

/* Whether some connection is due now; if so it is taken out. */
bool timers_take(struct timers *timers, uint32_t now, uint32_t *connection);

/* When the soonest is due; `latest` where none is due before. */
uint32_t timers_next(const struct timers *timers, uint32_t latest);

#endif
