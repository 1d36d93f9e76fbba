#include "hold_timers.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

bool timers_make(struct timers *timers, uint32_t connections)
{
    timers->count = 0;
    timers->due_ms = calloc(connections, sizeof(uint32_t));
    timers->position = malloc(connections * sizeof(uint32_t));
    timers->heap = malloc(connections * sizeof(uint32_t));
    if (!timers->due_ms || !timers->position || !timers->heap)
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
        if (timers->due_ms[timers->heap[parent]] <= timers->due_ms[connection])
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
        if (child + 1 < timers->count && timers->due_ms[timers->heap[child + 1]] < timers->due_ms[timers->heap[child]])
            child++;
        if (timers->due_ms[timers->heap[child]] >= timers->due_ms[connection])
            break;
        place(timers, position, timers->heap[child]);
        position = child;
    }
    place(timers, position, connection);
}

void timers_set(struct timers *timers, uint32_t connection, uint32_t due_ms)
{
    uint32_t position = timers->position[connection];
    bool sooner = position == NOWHERE || due_ms < timers->due_ms[connection];
    if (position == NOWHERE)
        position = timers->count++;
    timers->due_ms[connection] = due_ms;
    if (sooner)
        rise(timers, position, connection);
    else
        sink(timers, position, connection);
}

bool timers_take(struct timers *timers, uint32_t now_ms, uint32_t *connection)
{
    if (!timers->count || timers->due_ms[timers->heap[0]] > now_ms)
        return false;
    *connection = timers->heap[0];
    timers->position[*connection] = NOWHERE;
    uint32_t last = timers->heap[--timers->count];
    if (timers->count)
        sink(timers, 0, last);
    return true;
}

uint32_t timers_wait_ms(const struct timers *timers, uint32_t now_ms, uint32_t most_ms)
{
    if (!timers->count)
        return most_ms;
    uint32_t due_ms = timers->due_ms[timers->heap[0]];
    uint32_t wait_ms = due_ms > now_ms ? due_ms - now_ms : 0;
    return wait_ms < most_ms ? wait_ms : most_ms;
}
