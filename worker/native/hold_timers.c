#include "hold_timers.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

bool timers_make(struct timers *timers, uint32_t connections)
{
    timers->count = 0;
    timers->due = calloc(connections, sizeof(uint32_t));
    timers->position = malloc(connections * sizeof(uint32_t));
    timers->heap = malloc(connections * sizeof(uint32_t));
    if (!timers->due || !timers->position || !timers->heap)
        return false;
    for (uint32_t i = 0; i < connections; i++)
        timers->position[i] = NOWHERE;
    return true;
}

static void place(struct timers *timers, uint32_t position, uint32_t connection)
{
    timers->heap[position] = connection;
    timers->position[connection] = position;
}

static void rise(struct timers *timers, uint32_t position, uint32_t connection)
{
    while (position) {
        uint32_t parent = (position - 1) / 2;
        if (timers->due[timers->heap[parent]] <= timers->due[connection])
            break;
        place(timers, position, timers->heap[parent]);
        position = parent;
    }
    place(timers, position, connection);
}

static void sink(struct timers *timers, uint32_t position, uint32_t connection)
{
    for (;;) {
        uint32_t child = 2 * position + 1;
        if (child >= timers->count)
            break;
        if (child + 1 < timers->count && timers->due[timers->heap[child + 1]] < timers->due[timers->heap[child]])
            child++;
        if (timers->due[timers->heap[child]] >= timers->due[connection])
            break;
        place(timers, position, timers->heap[child]);
        position = child;
    }
    place(timers, position, connection);
}

void timers_set(struct timers *timers, uint32_t connection, uint32_t due)
{
    uint32_t position = timers->position[connection];
    bool sooner = position == NOWHERE || due < timers->due[connection];
    if (position == NOWHERE)
        position = timers->count++;
    timers->due[connection] = due;
    if (sooner)
        rise(timers, position, connection);
    else
        sink(timers, position, connection);
}

bool timers_take(struct timers *timers, uint32_t now, uint32_t *connection)
{
    if (!timers->count || timers->due[timers->heap[0]] > now)
        return false;
    *connection = timers->heap[0];
    timers->position[*connection] = NOWHERE;
    uint32_t last = timers->heap[--timers->count];
    if (timers->count)
        sink(timers, 0, last);
    return true;
}

uint32_t timers_next(const struct timers *timers, uint32_t latest)
{
    uint32_t due = timers->count ? timers->due[timers->heap[0]] : latest;
    return due < latest ? due : latest;
}
