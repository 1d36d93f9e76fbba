/* Reading the answers on a held connection: see hold_connection.h. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "hold_connection.h"
#include "say.h"

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

void read_answer(struct holder *holder, uint32_t i, uint32_t events)
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
