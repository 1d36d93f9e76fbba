#include "hold_shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hold_timers.h"
#include "now.h"
#include "response.h"
#include "say.h"
#include "shards.h"

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

enum {
    MOST_EVENTS = 512,
    TIMERS_A_ROUND = 64,   /* then events get their turn */
    LONGEST_SLEEP_MS = 50, /* then see whether to stop */
    START_PAUSE_MS = 5,    /* connections have instants of their own: no process must be in time for the start */
    RETRY_MS = 1000,       /* after a connect that failed */
    BUFFER_BYTES = 65536,  /* one for all: nothing of an answer is kept */
};

enum { BY_SERVER = -1 };

enum stage { CLOSED, CONNECTING, ASLEEP, SENDING, AWAITING };

/* 24 bytes, and 12 for its timer. */
struct connection {
    struct response *partial; /* an answer of which a part has come; almost always there is none */
    int fd;
    uint32_t sent_us; /* the lower half of the instant: timeouts are far below its 71 minutes */
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
    struct response answer; /* the one that is being looked at */
    char buffer[BUFFER_BYTES];
};

static uint64_t now_us(void) { return now_ns() / NS_PER_US; }

static uint32_t since_ms(const struct holder *holder) { return (uint32_t)((now_us() - holder->began_us) / 1000); }

static void count(struct holder *holder, int counter) { word_add(&holder->shard.counters[counter], 1); }

static void fewer_connections(struct holder *holder)
{
    word *connections = &holder->shard.counters[COUNT_CONNECTIONS];
    word_set(connections, word_get(connections) - 1);
}

/* Uniform in [0, 1). splitmix64 (Steele, Lea, Flood 2014). */
static double draw(struct holder *holder)
{
    uint64_t z = holder->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static struct connection *at(struct holder *holder, uint32_t i) { return &holder->connections[i]; }

/* Open it when it is its turn: connections old and new are opened at one pace. */
static void open_in_turn(struct holder *holder, uint32_t i, uint32_t earliest_ms)
{
    if (holder->opening_us < earliest_ms * 1e3)
        holder->opening_us = earliest_ms * 1e3;
    timers_set(&holder->timers, i, (uint32_t)(holder->opening_us / 1e3));
    holder->opening_us += holder->opening_step_us;
}

static void forget_partial(struct connection *connection)
{
    free(connection->partial);
    connection->partial = NULL;
}

static void sleep_a_while(struct holder *holder, uint32_t i)
{
    const struct plan *plan = holder->plan;
    double span_s = plan->think_min_s + (plan->think_max_s - plan->think_min_s) * draw(holder);
    at(holder, i)->stage = ASLEEP;
    timers_set(&holder->timers, i, since_ms(holder) + (uint32_t)(span_s * 1e3));
}

/* Close it, count why, and open it again in its turn. `why` is a counter of errors, or BY_SERVER. */
static void drop(struct holder *holder, uint32_t i, int why, uint32_t pause_ms)
{
    struct connection *connection = at(holder, i);
    if (why != BY_SERVER)
        count(holder, why);
    if (connection->stage >= ASLEEP)
        fewer_connections(holder);
    forget_partial(connection);
    close(connection->fd); /* epoll forgets it with that */
    connection->stage = CLOSED;
    open_in_turn(holder, i, since_ms(holder) + pause_ms);
}

static void connect_failed(struct holder *holder, uint32_t i, int error)
{
    word_set(&holder->shard.counters[COUNT_LAST_ERRNO], (uint64_t)error);
    drop(holder, i, COUNT_ERRORS_CONNECT, RETRY_MS);
}

static void opened(struct holder *holder, uint32_t i)
{
    struct connection *connection = at(holder, i);
    count(holder, COUNT_CONNECTS);
    count(holder, COUNT_CONNECTIONS);
    word_raise(&holder->shard.counters[COUNT_CONNECTIONS_MAX], word_get(&holder->shard.counters[COUNT_CONNECTIONS]));
    if (connection->was_open)
        count(holder, COUNT_RECONNECTS);
    connection->was_open = true;
    sleep_a_while(holder, i);
}

static socklen_t size_of(const union address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}

/* Without the linger a million connections would wait in TIME_WAIT, and in the connection-tracking table, for
   minutes after the end: a reset leaves nothing. */
static int make_socket(const union address *target, const union address *source)
{
    int fd = socket(target->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    const int yes = 1;
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) < 0)
        goto failed;
    if (source && (setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes) < 0 ||
                   bind(fd, &source->any, size_of(source)) < 0))
        goto failed;
    return fd;
failed:;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void open_connection(struct holder *holder, uint32_t i)
{
    const struct plan *plan = holder->plan;
    struct connection *connection = at(holder, i);
    uint32_t of_all = holder->number + i * plan->shards;
    const union address *source = plan->source_count ? &plan->sources[of_all % plan->source_count] : NULL;
    uint32_t turn = plan->source_count ? of_all / plan->source_count : of_all;
    const union address *target = &plan->targets[turn % plan->target_count];
    connection->fd = make_socket(target, source);
    if (connection->fd < 0) {
        connect_failed(holder, i, errno);
        return;
    }
    connection->stage = CONNECTING;
    if (connect(connection->fd, &target->any, size_of(target)) < 0 && errno != EINPROGRESS) {
        connect_failed(holder, i, errno);
        return;
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u32 = i};
    if (epoll_ctl(holder->epoll, EPOLL_CTL_ADD, connection->fd, &event) < 0)
        die_errno("epoll takes no further connection");
    timers_set(&holder->timers, i, since_ms(holder) + plan->timeout_ms);
}

static void send_request(struct holder *holder, uint32_t i)
{
    const struct plan *plan = holder->plan;
    struct connection *connection = at(holder, i);
    while (connection->written < plan->request_bytes) {
        ssize_t written = send(connection->fd, plan->request + connection->written,
                               plan->request_bytes - connection->written, MSG_NOSIGNAL);
        if (written < 0 && errno == EAGAIN)
            return; /* goes on when epoll says that there is room */
        if (written < 0) {
            drop(holder, i, COUNT_ERRORS_WRITE, 0);
            return;
        }
        connection->written += (uint32_t)written;
    }
    connection->stage = AWAITING;
}

static void begin_request(struct holder *holder, uint32_t i)
{
    struct connection *connection = at(holder, i);
    connection->stage = SENDING;
    connection->written = 0;
    connection->sent_us = (uint32_t)now_us();
    count(holder, COUNT_SENT);
    timers_set(&holder->timers, i, since_ms(holder) + holder->plan->timeout_ms);
    send_request(holder, i);
}

static void on_time(struct holder *holder, uint32_t i)
{
    switch ((enum stage)at(holder, i)->stage) {
    case CLOSED:
        open_connection(holder, i);
        break;
    case CONNECTING:
        connect_failed(holder, i, ETIMEDOUT);
        break;
    case ASLEEP:
        begin_request(holder, i);
        break;
    case SENDING:
    case AWAITING:
        drop(holder, i, COUNT_ERRORS_TIMEOUT, 0);
        break;
    }
}

/* False where the connection is gone. */
static bool answered(struct holder *holder, uint32_t i, const struct response *answer)
{
    struct connection *connection = at(holder, i);
    histogram_add(&holder->shard.histograms[HISTOGRAM_LATENCY], (uint32_t)now_us() - connection->sent_us);
    count(holder, COUNT_COMPLETED);
    if (answer->status >= 400)
        count(holder, COUNT_ERRORS_STATUS);
    bool in_step = connection->stage == AWAITING; /* else the server answered before it had the whole request */
    if (!answer->keep_alive || !in_step) {
        drop(holder, i, BY_SERVER, 0);
        return false;
    }
    forget_partial(connection);
    sleep_a_while(holder, i);
    return true;
}

/* Keep what is known of an answer until the rest of it comes. */
static void keep_partial(struct connection *connection, const struct response *answer)
{
    if (answer == connection->partial)
        return;
    connection->partial = malloc(sizeof *connection->partial);
    if (!connection->partial)
        die_errno("there is no memory for an answer in parts");
    *connection->partial = *answer;
}

/* False where the connection is gone. */
static bool take(struct holder *holder, uint32_t i, size_t length)
{
    struct connection *connection = at(holder, i);
    struct response *answer = connection->partial;
    size_t used = 0;
    word_add(&holder->shard.counters[COUNT_BYTES_READ], length);
    if (connection->stage == SENDING || connection->stage == AWAITING) {
        if (!answer) {
            answer = &holder->answer;
            response_begin(answer, holder->plan->headers_only);
        }
        switch (response_feed(answer, holder->buffer, length, &used)) {
        case RESPONSE_MORE:
            keep_partial(connection, answer);
            return true;
        case RESPONSE_DONE:
            if (!answered(holder, i, answer))
                return false;
            break;
        case RESPONSE_GARBAGE:
            used = 0;
        }
    }
    if (used == length)
        return true;
    drop(holder, i, COUNT_ERRORS_GARBAGE, 0); /* nobody asked for that */
    return false;
}

static void ended_by_server(struct holder *holder, uint32_t i)
{
    struct connection *connection = at(holder, i);
    if (connection->stage == ASLEEP)
        drop(holder, i, BY_SERVER, 0);
    else if (connection->partial && response_closed(connection->partial) == RESPONSE_DONE)
        (void)answered(holder, i, connection->partial);
    else
        drop(holder, i, COUNT_ERRORS_READ, 0);
}

static void read_answer(struct holder *holder, uint32_t i, uint32_t events)
{
    for (;;) {
        ssize_t length = recv(at(holder, i)->fd, holder->buffer, BUFFER_BYTES, 0);
        if (length < 0 && errno == EAGAIN)
            return;
        if (length <= 0) {
            ended_by_server(holder, i);
            return;
        }
        if (!take(holder, i, (size_t)length))
            return;
        if (length < BUFFER_BYTES && !(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
            return; /* all there was: with edge triggering the next byte tells */
    }
}

static int error_of(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

static void on_event(struct holder *holder, uint32_t i, uint32_t events)
{
    struct connection *connection = at(holder, i);
    if (connection->stage == CLOSED)
        return; /* an event of this round, from before it was closed in it */
    if (connection->stage == CONNECTING) {
        int error = events & (EPOLLERR | EPOLLHUP) ? error_of(connection->fd) : 0;
        if (error) {
            connect_failed(holder, i, error);
            return;
        }
        if (!(events & EPOLLOUT))
            return;
        opened(holder, i);
    }
    if (connection->stage == SENDING && events & EPOLLOUT)
        send_request(holder, i);
    if (connection->stage != CLOSED && events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        read_answer(holder, i, events);
}

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

/* The instant to begin at, once it is there. Now, where it is to stop before. */
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
    uint64_t found = 0;
    for (uint32_t i = 0; i < holder->count; i++)
        found += holder->connections[i].stage >= SENDING;
    return found;
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
