/* The life of a held connection, event by event. */
#include "hold.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

enum { RETRY_MS = 1000 }; /* after a connect that failed */

void open_in_turn(struct holder *holder, uint32_t i, uint32_t earliest_ms)
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
    double span_s = plan->think_min_s + (plan->think_max_s - plan->think_min_s) * draw_uniform(&holder->random);
    at(holder, i)->stage = ASLEEP;
    timers_set(&holder->timers, i, since_ms(holder) + (uint32_t)(span_s * 1e3));
}

static void drop(struct holder *holder, uint32_t i, int why, uint32_t pause_ms)
{
    struct connection *connection = at(holder, i);
    if (why != BY_SERVER)
        count(holder, why);
    if (connection->stage >= ASLEEP)
        count_gone(holder->shard.counters);
    forget_partial(connection);
    close(connection->fd); /* which also removes it from epoll */
    connection->stage = CLOSED;
    open_in_turn(holder, i, since_ms(holder) + pause_ms);
}

/* False where the connection was dropped. */
static bool answered(struct holder *holder, uint32_t i, const struct response *answer)
{
    struct connection *connection = at(holder, i);
    uint32_t latency_us = (uint32_t)now_us() - connection->sent_us;
    (void)count_answer(holder->shard, &holder->plan->served, answer->status, latency_us);
    bool in_step = connection->stage == AWAITING; /* otherwise the server answered before it had the whole request */
    if (!answer->keep_alive || !in_step) {
        drop(holder, i, BY_SERVER, 0);
        return false;
    }
    forget_partial(connection);
    sleep_a_while(holder, i);
    return true;
}

/* Keep the state of an answer until the rest of it arrives. */
static void keep_partial(struct connection *connection, const struct response *answer)
{
    if (answer == connection->partial)
        return;
    connection->partial = malloc(sizeof *connection->partial);
    if (!connection->partial)
        die_errno("there is no memory for an incomplete answer");
    *connection->partial = *answer;
}

/* False where the connection was dropped. */
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
    drop(holder, i, COUNT_ERRORS_GARBAGE, 0); /* no request was sent for it */
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
            return; /* that was all: with edge triggering, the next byte causes an event */
    }
}

static void connect_failed(struct holder *holder, uint32_t i, int error)
{
    word_set(&holder->shard.counters[COUNT_LAST_ERRNO], (uint64_t)error);
    drop(holder, i, COUNT_ERRORS_CONNECT, RETRY_MS);
}

static void opened(struct holder *holder, uint32_t i)
{
    struct connection *connection = at(holder, i);
    count_established(holder->shard.counters, connection->was_open);
    connection->was_open = true;
    sleep_a_while(holder, i);
}

/* Closing sends a reset. Otherwise a million connections would stay in TIME_WAIT, and in the connection tracking table,
   for minutes after the end. */
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
                   bind(fd, &source->any, address_size(source)) < 0))
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
    const union address *target = &plan->targets.list[turn % plan->targets.count];
    connection->fd = make_socket(target, source);
    if (connection->fd < 0) {
        connect_failed(holder, i, errno);
        return;
    }
    connection->stage = CONNECTING;
    if (connect(connection->fd, &target->any, address_size(target)) < 0 && errno != EINPROGRESS) {
        connect_failed(holder, i, errno);
        return;
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u32 = i};
    if (epoll_ctl(holder->epoll, EPOLL_CTL_ADD, connection->fd, &event) < 0)
        die_errno("epoll cannot watch another connection");
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
            return; /* epoll reports when there is space again */
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

void on_time(struct holder *holder, uint32_t i)
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

void on_event(struct holder *holder, uint32_t i, uint32_t events)
{
    struct connection *connection = at(holder, i);
    if (connection->stage == CLOSED)
        return; /* an event of this round, from before it was closed */
    if (connection->stage == CONNECTING) {
        int error = events & (EPOLLERR | EPOLLHUP) ? socket_error(connection->fd) : 0;
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
