/* One process that holds connections: its set-up and its loop. See hold_shard.h. */
#include "hold_shard.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "hold_connection.h"
#include "say.h"
#include "shards.h"

enum {
    MOST_EVENTS = 512,
    TIMERS_A_ROUND = 64,   /* then events are handled */
    LONGEST_SLEEP_MS = 50, /* then check whether to stop */
    START_PAUSE_MS = 5,    /* connections have their own instants, so the start need not be exact */
};

static void make(struct holder *holder)
{
    const struct plan *plan = holder->plan;
    holder->count = (plan->connections - holder->number + plan->shards - 1) / plan->shards;
    holder->connections = calloc(holder->count, sizeof *holder->connections);
    holder->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!holder->connections || !timers_make(&holder->timers, holder->count))
        die_errno("there is no memory for %u connections", holder->count);
    if (holder->epoll < 0)
        die_errno("epoll_create1");
    holder->random = plan->seed ^ (uint64_t)holder->number << 40;
    holder->opening_step_us = 1e6 * plan->shards / plan->connect_per_s;
    holder->opening_us = 1e6 * holder->number / plan->connect_per_s;
    for (uint32_t i = 0; i < holder->count; i++)
        open_in_turn(holder, i, 0);
}

/* Wait for the instant to begin at. Returns now where it is told to stop before. */
static uint64_t await_start(struct page page)
{
    const struct timespec pause = {.tv_nsec = START_PAUSE_MS * NS_PER_MS};
    uint64_t start_ns;
    while (!(start_ns = word_get(&page.header->start_ns)) || now_ns() < start_ns) {
        if (word_get(&page.header->stop) || shards_lost())
            return now_ns();
        nanosleep(&pause, NULL);
    }
    return start_ns;
}

static void run(struct holder *holder, struct page page)
{
    static struct epoll_event events[MOST_EVENTS];
    while (!word_get(&page.header->stop) && !shards_lost()) {
        uint32_t i;
        for (int round = 0; round < TIMERS_A_ROUND && timers_take(&holder->timers, since_ms(holder), &i); round++)
            on_time(holder, i);
        int wait_ms = (int)timers_wait_ms(&holder->timers, since_ms(holder), LONGEST_SLEEP_MS);
        int ready = epoll_wait(holder->epoll, events, MOST_EVENTS, wait_ms);
        if (ready < 0 && errno != EINTR)
            die_errno("epoll_wait");
        for (int k = 0; k < ready; k++)
            on_event(holder, events[k].data.u32, events[k].events);
    }
}

static uint64_t unanswered(const struct holder *holder)
{
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < holder->count; i++)
        waiting += holder->connections[i].stage >= SENDING;
    return waiting;
}

void hold(const struct plan *plan, uint32_t number, struct page page)
{
    static struct holder holder;
    holder.plan = plan;
    holder.number = number;
    holder.shard = page_shard(page, number);
    word *counters = holder.shard.counters;
    make(&holder);
    word_set(&counters[COUNT_STATE], SHARD_READY);
    holder.began_us = await_start(page) / NS_PER_US;
    word_set(&counters[COUNT_STATE], SHARD_LOADING);
    run(&holder, page);
    word_set(&counters[COUNT_UNFINISHED], unanswered(&holder));
    word_set(&counters[COUNT_STATE], SHARD_ENDED);
}
