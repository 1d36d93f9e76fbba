/* One process's loop: schedule, backlog, waiting. See openloop.h. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "openloop_multiplex.h"

#define MOST_EVENTS 256
#define MOST_SKIPPED 64
#define MOST_OPENING 256                 /* at once: less than the usual backlog of a listening socket; see engines/open_loop.py */
#define LONGEST_WAIT_NS (10 * NS_PER_MS) /* how often the page's stop word is read */
#define GATE_NS (1 * NS_PER_MS)
#define LAST_ANSWERS_NS (100 * NS_PER_MS) /* how long answers may still arrive after a stop */

static uint64_t sooner(uint64_t a, uint64_t b) { return a < b ? a : b; }

static bool stopping(const struct shard *shard) { return word_get(&shard->page.header->stop) != 0; }

/* A child that has ended may have seen the stop before us. */
static bool crippled(const struct shard *shard) { return shards_lost() && !stopping(shard); }

/* How many of so many connections are this shard's, as they are dealt in set_up. */
static uint64_t share(const struct shard *shard, double connections)
{
    uint64_t all = (uint64_t)connections, shards = shard->page.header->shards;
    return sooner(shard->count, all / shards + (shard->number < all % shards));
}

static bool is_in_use(const struct shard *shard, const struct connection *connection)
{
    return (uint64_t)(connection - shard->connections) < shard->in_use;
}

void shard_free(struct shard *shard, struct connection *connection)
{
    if (is_in_use(shard, connection))
        list_prepend(&shard->free, &connection->link);
    else
        list_append(&shard->free, &connection->link, 0);
}

static void set_up(struct shard *shard, uint64_t number)
{
    const struct options *options = shard->options;
    uint64_t shards = shard->page.header->shards;
    shard->number = number;
    shard->count = options->connections / shards + (number < options->connections % shards);
    shard->connections = calloc(shard->count, sizeof *shard->connections);
    shard->buffer = malloc(READ_BUFFER);
    shard->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (shard->connections == NULL || shard->buffer == NULL || shard->epoll < 0)
        die_errno("%lu connections cannot be set up", (unsigned long)shard->count);
    for (uint64_t i = 0; i < shard->count; i++) {
        shard->connections[i].transport.socket = -1;
        shard->connections[i].tried = !options->keep_alive;
        list_append(options->keep_alive ? &shard->closed : &shard->free, &shard->connections[i].link, 0);
    }
    shard->untried = options->keep_alive ? shard->count : 0;
    shard->opened = number; /* so that the shards begin with different ports */
    shard->next_set_ns = SCHEDULE_NEVER;
    if (!options->closed_loop)
        shard->due = shard->next = schedule_begin(&shard->rates, number);
    else
        shard->in_use = options->steered ? share(shard, options->rates.steps[0].per_s) : shard->count;
    shard->draws = draws_begin(&options->mix, number, shards);
    if (options->tls && !(options->protocol && options->protocol->over_udp))
        transport_use_tls(options->protocol != NULL, &options->tls_client);
}

/* Due, and never yet given to a connection. */
static uint64_t waiting_first(const struct shard *shard) { return shard->due.taken - shard->next.taken; }

static uint64_t backlog(const struct shard *shard) { return waiting_first(shard) + shard->returned_count; }

/* Take up the rates that the agent has set. */
static void follow_agent(struct shard *shard)
{
    uint64_t begin_ns;
    double per_s;
    while (page_rate(shard->page, shard->rates_set + 1, &begin_ns, &per_s)) {
        shard->rates_set++;
        rates_change(&shard->rates, (double)begin_ns, per_s, shard->next.step);
        schedule_place(&shard->due);
        schedule_place(&shard->next);
    }
}

/* A closed loop: take up how many connections are in use, each at its instant. The free ones are sorted anew. */
static void use_connections(struct shard *shard, uint64_t now)
{
    uint64_t begin_ns;
    double connections;
    while (page_rate(shard->page, shard->rates_set + 1, &begin_ns, &connections)) {
        shard->next_set_ns = begin_ns;
        if (shard->start_ns + begin_ns > now)
            return;
        shard->rates_set++;
        shard->in_use = share(shard, connections);
        struct list free = shard->free;
        shard->free = (struct list){0};
        for (struct link *link = free.first, *next; link; link = next) {
            next = link->next;
            shard_free(shard, connection_of(link));
        }
    }
    shard->next_set_ns = SCHEDULE_NEVER;
}

static void dispatch_closed(struct shard *shard, uint64_t now)
{
    if (shard->options->steered)
        use_connections(shard, now);
    while (shard->free.first && is_in_use(shard, connection_of(shard->free.first))) {
        word_add(&shard->counters[COUNT_INTENDED], 1);
        connection_start_request(shard, connection_of(shard->free.first), now, now);
    }
    if (shard->options->steered) {
        word_set(&shard->counters[COUNT_OUTSTANDING], shard->in_flight);
        word_set(&shard->counters[COUNT_RATE], shard->rates_set);
    }
}

/* What the schedule says of now. */
static void advance(struct shard *shard, uint64_t now)
{
    if (shard->options->closed_loop)
        return;
    if (shard->options->steered)
        follow_agent(shard);
    uint64_t elapsed = now - shard->start_ns;
    while (shard->due.next_ns <= elapsed)
        schedule_advance(&shard->due);
    word_set(&shard->counters[COUNT_INTENDED], shard->due.taken);
}

/* For the next request, one of the free connections. WebSockets take turns, whichever were opened anew meanwhile. */
static struct connection *chosen(struct shard *shard)
{
    for (int tried = 0; shard->options->upgrade.size && tried < MOST_SKIPPED; tried++) {
        struct connection *next = &shard->connections[shard->turn++ % shard->count];
        if (next->state == STATE_IDLE)
            return next;
    }
    return connection_of(shard->free.first);
}

static void dispatch(struct shard *shard, uint64_t now)
{
    while (shard->returned.first && shard->free.first)
        multiplex_repeat_request(shard, connection_of(shard->free.first));
    if (shard->options->closed_loop) {
        dispatch_closed(shard, now);
        return;
    }
    advance(shard, now);
    while (waiting_first(shard) > 0 && shard->free.first) {
        uint64_t intended = shard->start_ns + shard->next.next_ns;
        schedule_advance(&shard->next);
        connection_start_request(shard, chosen(shard), intended, now_ns());
    }
    word_set(&shard->counters[COUNT_BACKLOG], backlog(shard));
    word_raise(&shard->counters[COUNT_BACKLOG_MAX], backlog(shard));
    if (shard->options->steered) {
        word_set(&shard->counters[COUNT_OUTSTANDING], backlog(shard) + shard->in_flight);
        word_set(&shard->counters[COUNT_RATE], shard->due.step);
    }
}

void shard_dispatch(struct shard *shard, uint64_t now)
{
    if (shard->loading)
        dispatch(shard, now);
    multiplex_flush(shard);
}

static bool may_open(const struct shard *shard) { return !shard->options->keep_alive || shard->opening < MOST_OPENING; }

static void open_what_is_due(struct shard *shard, struct list *list, uint64_t now)
{
    struct link *first;
    while ((first = list->first) && first->due_ns <= now && may_open(shard)) {
        list_remove(list, first);
        if (shard->options->keep_alive) {
            connection_open(shard, connection_of(first), now);
        } else {
            connection_of(first)->free_since_ns = now;
            shard_free(shard, connection_of(first));
        }
    }
}

static bool is_due(const struct list *list, uint64_t now) { return list->first && list->first->due_ns <= now; }

static void time_out(struct shard *shard, uint64_t now)
{
    clients_turn(shard, now);
    if (shard->options->protocol && shard->options->protocol->turn)
        shard->options->protocol->turn(shard, now);
    while (is_due(&shard->busy, now))
        connection_time_out(shard, connection_of(shard->busy.first));
    while (is_due(&shard->sent, now))
        multiplex_time_out(shard, shard->sent.first, now);
    while (is_due(&shard->returned, now))
        multiplex_time_out(shard, shard->returned.first, now);
}

/* The instant until which there is nothing to do except for events. */
static uint64_t next_deadline(const struct shard *shard, uint64_t now, uint64_t longest_ns)
{
    uint64_t until = now + longest_ns;
    if (shard->busy.first)
        until = sooner(until, shard->busy.first->due_ns);
    if (shard->options->round_trip_ns)
        until = sooner(until, lines_due());
    if (shard->options->protocol && shard->options->protocol->due)
        until = sooner(until, shard->options->protocol->due());
    if (shard->dialing.first)
        until = sooner(until, shard->dialing.first->due_ns);
    if (shard->paused.first)
        until = sooner(until, shard->paused.first->due_ns);
    if (shard->leaving.first)
        until = sooner(until, shard->leaving.first->due_ns);
    if (shard->sent.first)
        until = sooner(until, shard->sent.first->due_ns);
    if (shard->closed.first && may_open(shard))
        until = sooner(until, shard->closed.first->due_ns);
    if (shard->failed.first && may_open(shard))
        until = sooner(until, shard->failed.first->due_ns);
    if (shard->loading && shard->next_set_ns != SCHEDULE_NEVER)
        until = sooner(until, shard->start_ns + shard->next_set_ns);
    /* While no connection is free, the next arrival only waits with the others. */
    if (shard->loading && !shard->options->closed_loop && shard->free.first && shard->due.next_ns != SCHEDULE_NEVER)
        until = sooner(until, shard->start_ns + shard->due.next_ns);
    return until;
}

/* Sleep until an event or an instant, and handle all events. */
static void wait_and_handle(struct shard *shard, uint64_t now, uint64_t until)
{
    static struct epoll_event events[MOST_EVENTS];
    uint64_t left = until > now ? until - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S)};
    int found = epoll_pwait2(shard->epoll, events, MOST_EVENTS, &timeout, NULL);
    if (found < 0 && errno != EINTR)
        die_errno("waiting for events failed (Linux 5.11 or newer is needed)");
    for (int i = 0; i < found; i++) {
        struct connection *connection = &shard->connections[events[i].data.u64 >> 32];
        if (connection->generation != (uint32_t)events[i].data.u64)
            continue;
        connection_event(shard, connection, events[i].events);
        shard_dispatch(shard, now_ns());
    }
}

static void turn(struct shard *shard, uint64_t longest_ns)
{
    uint64_t now = now_ns();
    time_out(shard, now);
    open_what_is_due(shard, &shard->closed, now);
    open_what_is_due(shard, &shard->failed, now);
    shard_dispatch(shard, now);
    wait_and_handle(shard, now, next_deadline(shard, now, longest_ns));
}

/* Open the connections, then wait for the start. False where it was told to stop before. */
static bool await_start(struct shard *shard)
{
    while (!stopping(shard) && !crippled(shard)) {
        if (shard->untried == 0 && word_get(&shard->counters[COUNT_STATE]) == SHARD_PREPARING)
            word_set(&shard->counters[COUNT_STATE], SHARD_READY);
        uint64_t start = word_get(&shard->page.header->start_ns), now = now_ns();
        if (start && start <= now) {
            shard->start_ns = start;
            shard->loading = true;
            word_set(&shard->counters[COUNT_STATE], SHARD_LOADING);
            return true;
        }
        turn(shard, start ? sooner(GATE_NS, start - now) : GATE_NS);
    }
    return false;
}

/* Over UDP no kernel tells the server that connections end with the process. */
static void say_goodbye(struct shard *shard)
{
    for (uint64_t i = 0; i < shard->count; i++)
        multiplex_forget(shard, &shard->connections[i]);
}

/* Nothing new is sent; answers that are on their way are still counted, but not waited for long. */
static void end(struct shard *shard)
{
    uint64_t now = now_ns(), until = now + LAST_ANSWERS_NS, waiting = 0;
    if (shard->loading && !shard->options->closed_loop && waiting_first(shard)) {
        advance(shard, now); /* as nothing woke us for what only joined the others */
        waiting = waiting_first(shard);
    }
    shard->loading = false;
    for (; shard->in_flight && now < until; now = now_ns())
        wait_and_handle(shard, now, until);
    word_set(&shard->counters[COUNT_UNFINISHED], waiting + shard->returned_count + shard->in_flight);
    word_set(&shard->counters[COUNT_BACKLOG], 0);
    word_set(&shard->counters[COUNT_CONNECTIONS], 0);
    if (shard->options->protocol && shard->options->protocol->over_udp)
        say_goodbye(shard);
    word_set(&shard->counters[COUNT_STATE], SHARD_ENDED);
}

bool shard_run(const struct options *options, struct page page, uint64_t number)
{
    struct shard_block block = page_shard(page, number);
    struct shard shard = {
        .options = options, .page = page, .block = block, .counters = block.counters, .rates = options->rates};
    set_up(&shard, number);
    if (await_start(&shard))
        while (!stopping(&shard) && !crippled(&shard))
            turn(&shard, LONGEST_WAIT_NS);
    if (crippled(&shard))
        return false;
    end(&shard);
    return true;
}
