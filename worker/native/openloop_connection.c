/* A connection's life, event by event, and HTTP/1.1 on it: see openloop.h.
 *
 * With keep-alive a connection is opened before it is needed, carries one request at a time, and is opened again when
 * it was closed. Without keep-alive it is opened for each request. A request that failed is counted, never repeated. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "openloop_multiplex.h"
#include "openloop_websocket.h"

#define REOPEN_AFTER_NS (10 * NS_PER_MS) /* after a connect that failed, to spare a target that refuses */

void record_lateness(struct shard *shard, uint64_t intended_ns, uint64_t free_since_ns, uint64_t now)
{
    uint64_t possible = intended_ns > free_since_ns ? intended_ns : free_since_ns;
    histogram_add(&shard->block.histograms[HISTOGRAM_SCHEDULE], (now - possible) / NS_PER_US);
}

static void record_first_write(struct shard *shard, struct connection *connection, uint64_t now)
{
    connection->instants.first_write_ns = now;
    word_add(&shard->counters[COUNT_SENT], 1);
    if (shard->options->keep_alive)
        record_lateness(shard, connection->instants.intended_ns, connection->free_since_ns, now);
}

void record_answer(struct shard *shard, unsigned status, const struct instants *instants, uint64_t now)
{
    uint64_t began_ns = instants->first_write_ns, latency_us = (now - instants->intended_ns) / NS_PER_US;
    struct histogram *histograms = shard->block.histograms;
    if (!count_answer(shard->block, &shard->options->served, status, latency_us))
        return;
    histogram_add(&histograms[HISTOGRAM_SERVICE], (now - began_ns) / NS_PER_US);
    histogram_add(&histograms[HISTOGRAM_FIRST_BYTE], (instants->first_byte_ns - began_ns) / NS_PER_US);
}

/* `operation`: EPOLL_CTL_ADD, _MOD or _DEL. */
static void watch(struct shard *shard, struct connection *connection, uint32_t events, int operation)
{
    if (operation == EPOLL_CTL_MOD && connection->watched == events)
        return;
    uint64_t index = (uint64_t)(connection - shard->connections);
    struct epoll_event event = {.events = events, .data.u64 = index << 32 | connection->generation};
    if (epoll_ctl(shard->epoll, operation, connection->transport.socket, &event) != 0)
        die_errno("epoll cannot watch another connection");
    connection->watched = events;
}

void connection_watch_for(struct shard *shard, struct connection *connection, enum transfer wanted)
{
    uint32_t writable = wanted == TRANSFER_WANTS_WRITE ? (uint32_t)EPOLLOUT : 0;
    watch(shard, connection, EPOLLIN | EPOLLRDHUP | writable, EPOLL_CTL_MOD);
}

/* Time out after `timeout` from `now`, wherever it was listed before. */
static void set_deadline(struct shard *shard, struct connection *connection, uint64_t now)
{
    if (connection->link.on_list)
        list_remove(&shard->busy, &connection->link);
    list_append(&shard->busy, &connection->link, now + shard->options->timeout_ns);
}

static void mark_tried(struct shard *shard, struct connection *connection)
{
    if (!connection->tried) {
        connection->tried = true;
        shard->untried--;
    }
}

static bool is_opening(const struct connection *connection)
{
    return connection->state == STATE_CONNECTING || connection->state == STATE_SHAKING_HANDS ||
           connection->state == STATE_SETTLING;
}

/* Close and forget. It is in no list afterwards. */
static void let_go(struct shard *shard, struct connection *connection)
{
    bool is_free = connection->state == STATE_IDLE || connection->state == STATE_SHARED;
    if (connection->link.on_list)
        list_remove(is_free ? &shard->free : &shard->busy, &connection->link);
    clients_forget(shard, connection);
    if (shard->options->protocol)
        multiplex_forget(shard, connection);
    if (is_opening(connection))
        shard->opening--;
    if (connection->established)
        count_gone(shard->counters);
    connection->established = false;
    if (connection->has_request) {
        connection->has_request = false;
        shard->in_flight--;
    }
    if (connection->transport.line) /* its socket may stay open for a while */
        epoll_ctl(shard->epoll, EPOLL_CTL_DEL, connection->transport.socket, NULL);
    if (connection->transport.socket >= 0)
        transport_close(&connection->transport);
    connection->state = STATE_CLOSED;
}

void connection_close(struct shard *shard, struct connection *connection, uint64_t now)
{
    let_go(shard, connection);
    list_append(&shard->closed, &connection->link, now);
}

void connection_fail(struct shard *shard, struct connection *connection, enum page_counter kind, uint64_t errors)
{
    uint64_t now = now_ns();
    word_add(&shard->counters[kind], errors);
    if (kind != COUNT_ERRORS_CONNECT) {
        connection_close(shard, connection, now);
        return;
    }
    mark_tried(shard, connection);
    let_go(shard, connection);
    list_append(&shard->failed, &connection->link, now + REOPEN_AFTER_NS);
}

static void fail(struct shard *shard, struct connection *connection, enum page_counter kind)
{
    connection_fail(shard, connection, kind, 1);
}

static void become_free(struct shard *shard, struct connection *connection, uint64_t now)
{
    connection->state = STATE_IDLE;
    connection->free_since_ns = now;
    shard_free(shard, connection);
}

void connection_answered(struct shard *shard, struct connection *connection, uint64_t now)
{
    list_remove(&shard->busy, &connection->link);
    clients_forget(shard, connection);
    connection->has_request = false;
    shard->in_flight--;
    become_free(shard, connection, now);
}

static void complete(struct shard *shard, struct connection *connection, uint64_t now)
{
    record_answer(shard, connection->response.status, &connection->instants, now);
    bool unsent = connection->written < connection->request_size;
    if (!shard->options->keep_alive || !connection->response.keep_alive || unsent) {
        connection_close(shard, connection, now);
        return;
    }
    connection_answered(shard, connection, now);
}

static void begin_flow(struct connection *connection)
{
    connection->flow_since_ns = 0;
    connection->flowed = 0;
}

/* Answers that come before the whole request was sent are still noticed. */
static void pause_sending(struct shard *shard, struct connection *connection)
{
    connection_watch_for(shard, connection, TRANSFER_WANTS_READ);
    clients_pause(shard, connection);
}

static void not_sent(struct shard *shard, struct connection *connection, enum transfer result)
{
    if (result == TRANSFER_FAILED || result == TRANSFER_CLOSED)
        fail(shard, connection, COUNT_ERRORS_WRITE);
    else
        connection_watch_for(shard, connection, result);
}

static void send_request(struct shard *shard, struct connection *connection)
{
    if (connection->pause.on_list)
        return;
    enum transfer said = shard->options->upgrade.size ? websocket_say(connection) : TRANSFER_OK;
    if (said != TRANSFER_OK) {
        not_sent(shard, connection, said);
        return;
    }
    while (connection->written < connection->request_size) {
        uint64_t now = connection->written ? 0 : now_ns();
        size_t left = connection->request_size - connection->written, put;
        size_t size = clients_may_move(shard, connection, shard->options->clients.send_per_s, left);
        if (size == 0) {
            pause_sending(shard, connection);
            return;
        }
        enum transfer result =
            transport_write(&connection->transport, connection->request + connection->written, size, &put);
        if (result != TRANSFER_OK) {
            not_sent(shard, connection, result);
            return;
        }
        if (connection->written == 0)
            record_first_write(shard, connection, now);
        connection->written += put;
        connection->flowed += (double)put;
        if (put == size && size < left) {
            pause_sending(shard, connection);
            return;
        }
    }
    connection->state = STATE_RECEIVING;
    begin_flow(connection);
    if (!clients_wait(shard, connection))
        return;
    connection_watch_for(shard, connection, TRANSFER_WANTS_READ);
}

/* With the first message of TLS, and the server has taken it so. */
static void was_sent_early(struct shard *shard, struct connection *connection)
{
    word_add(&shard->counters[COUNT_EARLY], 1);
    record_first_write(shard, connection, connection->transport.early_ns);
    connection->written = connection->request_size;
    connection->transport.early_ns = 0; /* the next request on this connection is not */
}

static void begin_sending(struct shard *shard, struct connection *connection, uint64_t now)
{
    connection->state = STATE_SENDING;
    connection->written = 0;
    connection->instants.first_byte_ns = 0;
    connection->leaves = clients_go_away(shard);
    begin_flow(connection);
    if (!shard->options->upgrade.size)
        response_begin(&connection->response, connection->of_head);
    set_deadline(shard, connection, now);
    if (transport_early_taken(&connection->transport))
        was_sent_early(shard, connection);
    send_request(shard, connection);
}

/* Draw the request that it is to send. */
static void take_request(struct shard *shard, struct connection *connection)
{
    struct drawn drawn = draws_next(&shard->draws);
    connection->of_head = drawn.message->of_head;
    connection->request = drawn.message->text;
    connection->request_size = drawn.message->size;
    if (drawn.message->choice == CHOICE_FIXED)
        return;
    if (connection->composed == NULL && (connection->composed = malloc(shard->draws.mix->longest)) == NULL)
        die("no memory for another request");
    connection->request = connection->composed;
    connection->request_size = compose(&drawn, connection->composed);
}

void connection_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now)
{
    if (shard->options->protocol) {
        multiplex_start_request(shard, connection, intended, now);
        return;
    }
    shard->in_flight++;
    connection->instants.intended_ns = intended;
    connection->has_request = true;
    take_request(shard, connection);
    list_remove(&shard->free, &connection->link);
    if (!shard->options->keep_alive) /* with keep-alive the first write is the beginning */
        record_lateness(shard, intended, connection->free_since_ns, now);
    if (connection->state == STATE_IDLE) {
        begin_sending(shard, connection, now);
        return;
    }
    connection_open(shard, connection, now);
}

void connection_established(struct shard *shard, struct connection *connection)
{
    shard->opening--;
    count_established(shard->counters, shard->options->keep_alive && connection->opened_before);
    connection->opened_before = connection->established = true;
    mark_tried(shard, connection);
}

void connection_be_free(struct shard *shard, struct connection *connection, uint64_t now)
{
    list_remove(&shard->busy, &connection->link);
    become_free(shard, connection, now);
    connection_watch_for(shard, connection, TRANSFER_WANTS_READ);
}

/* HTTP/1.1: the handshake is over. */
static void begin(struct shard *shard, struct connection *connection)
{
    uint64_t now = now_ns();
    connection_established(shard, connection);
    if (connection->has_request) {
        begin_sending(shard, connection, now);
        return;
    }
    connection_be_free(shard, connection, now);
}

static void record_handshake(struct shard *shard, const struct connection *connection)
{
    uint64_t took_us = (now_ns() - connection->transport.hello_ns) / NS_PER_US;
    histogram_add(&shard->block.histograms[HISTOGRAM_HANDSHAKE], took_us);
    word_add(&shard->counters[COUNT_HANDSHAKES], 1);
    if (transport_resumed(&connection->transport))
        word_add(&shard->counters[COUNT_RESUMED], 1);
}

static void shake_hands(struct shard *shard, struct connection *connection)
{
    bool goes_early = connection->has_request && shard->options->clients.send_per_s <= 0;
    const char *early = goes_early ? connection->request : NULL;
    enum transfer result =
        transport_shake_hands(&connection->transport, shard->options->tls, early, connection->request_size);
    if (result == TRANSFER_OK && shard->options->tls)
        record_handshake(shard, connection);
    if (result == TRANSFER_OK && shard->options->protocol) {
        shard->options->protocol->begin(shard, connection);
    } else if (result == TRANSFER_OK && shard->options->upgrade.size) {
        websocket_begin(shard, connection);
    } else if (result == TRANSFER_OK) {
        begin(shard, connection);
    } else if (result == TRANSFER_WANTS_READ || result == TRANSFER_WANTS_WRITE) {
        connection->state = STATE_SHAKING_HANDS;
        connection_watch_for(shard, connection, result);
    } else {
        fail(shard, connection, COUNT_ERRORS_CONNECT);
    }
}

static void connected(struct shard *shard, struct connection *connection)
{
    if (!shard->options->upgrade.size)
        histogram_add(&shard->block.histograms[HISTOGRAM_CONNECT], (now_ns() - connection->dialed_ns) / NS_PER_US);
    shake_hands(shard, connection);
}

static void dial(struct shard *shard, struct connection *connection)
{
    const struct targets *targets = &shard->options->targets;
    const union address *target = &targets->list[shard->opened++ % targets->count];
    const struct protocol *protocol = shard->options->protocol;
    bool over_udp = protocol && protocol->over_udp;
    bool opened = over_udp ? transport_open_udp(&connection->transport, target)
                           : transport_open(&connection->transport, target, shard->options->clients.receive_buffer);
    if (!opened) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            die_errno("a connection cannot be opened");
        fail(shard, connection, COUNT_ERRORS_CONNECT);
        return;
    }
    watch(shard, connection, over_udp ? EPOLLIN : EPOLLIN | EPOLLOUT | EPOLLRDHUP, EPOLL_CTL_ADD);
    if (over_udp)
        protocol->begin(shard, connection);
}

void connection_open(struct shard *shard, struct connection *connection, uint64_t now)
{
    connection->generation++;
    connection->state = STATE_CONNECTING;
    connection->dialed_ns = now_ns();
    shard->opening++;
    set_deadline(shard, connection, now);
    if (shard->options->round_trip_ns)
        list_append(&shard->dialing, &connection->pause, connection->dialed_ns + shard->options->round_trip_ns);
    else
        dial(shard, connection);
}

void connection_time_out(struct shard *shard, struct connection *connection)
{
    fail(shard, connection, is_opening(connection) ? COUNT_ERRORS_CONNECT : COUNT_ERRORS_TIMEOUT);
}

/* A response that is complete, and nothing after it. False: the connection is not to be read any more. */
static bool take_in(struct shard *shard, struct connection *connection, size_t size)
{
    if (shard->options->upgrade.size)
        return websocket_take(shard, connection, size);
    size_t used;
    enum response_result result = response_feed(&connection->response, shard->buffer, size, &used);
    if (result == RESPONSE_MORE)
        return true;
    if (result == RESPONSE_GARBAGE || used < size)
        fail(shard, connection, COUNT_ERRORS_GARBAGE);
    else
        complete(shard, connection, now_ns());
    return false;
}

void connection_ended(struct shard *shard, struct connection *connection)
{
    uint64_t now = now_ns();
    bool is_upgraded = shard->options->upgrade.size > 0;
    if (connection->state == STATE_IDLE)
        connection_close(shard, connection, now); /* as a server may with an idle connection */
    else if (!is_upgraded && response_closed(&connection->response) == RESPONSE_DONE)
        complete(shard, connection, now);
    else
        fail(shard, connection, COUNT_ERRORS_READ);
}

/* While it pauses, nothing is watched: the end of a connection, which the kernel always tells, comes after its bytes. */
static void pause_reading(struct shard *shard, struct connection *connection)
{
    watch(shard, connection, 0, EPOLL_CTL_DEL);
    clients_pause(shard, connection);
}

/* How much may be read now, at most what the buffer holds. */
static size_t room_for(struct shard *shard, struct connection *connection)
{
    bool paced = connection->state == STATE_RECEIVING;
    return clients_may_move(shard, connection, paced ? shard->options->clients.read_per_s : 0, READ_BUFFER);
}

static void receive(struct shard *shard, struct connection *connection)
{
    if (connection->state == STATE_RECEIVING && connection->pause.on_list)
        return;
    do {
        size_t got, room = room_for(shard, connection);
        if (room == 0) {
            pause_reading(shard, connection);
            return;
        }
        enum transfer result = transport_read(&connection->transport, shard->buffer, room, &got);
        if (result == TRANSFER_WANTS_READ || result == TRANSFER_WANTS_WRITE)
            return;
        if (result == TRANSFER_CLOSED || (result == TRANSFER_FAILED && connection->state == STATE_IDLE)) {
            connection_ended(shard, connection);
            return;
        }
        if (result == TRANSFER_FAILED) {
            fail(shard, connection, COUNT_ERRORS_READ);
            return;
        }
        word_add(&shard->counters[COUNT_BYTES_READ], got);
        connection->flowed += (double)got;
        if (connection->state == STATE_IDLE && !shard->options->upgrade.size) {
            fail(shard, connection, COUNT_ERRORS_GARBAGE); /* no request was sent for it */
            return;
        }
        if (!connection->instants.first_byte_ns && !shard->options->upgrade.size)
            connection->instants.first_byte_ns = now_ns();
        if (!take_in(shard, connection, got))
            return;
        if (got == room && room < READ_BUFFER) {
            pause_reading(shard, connection);
            return;
        }
    } while (transport_has_more(&connection->transport));
}

void connection_go_on(struct shard *shard, struct connection *connection)
{
    if (connection->state == STATE_CONNECTING) {
        dial(shard, connection);
        return;
    }
    if (connection->state == STATE_SENDING) {
        send_request(shard, connection);
        return;
    }
    watch(shard, connection, EPOLLIN | EPOLLRDHUP, EPOLL_CTL_ADD);
    receive(shard, connection);
}

void connection_event(struct shard *shard, struct connection *connection, uint32_t events)
{
    switch (connection->state) {
    case STATE_CONNECTING:
        if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
            return;
        if (socket_error(connection->transport.socket) != 0)
            fail(shard, connection, COUNT_ERRORS_CONNECT);
        else
            connected(shard, connection);
        return;
    case STATE_SHAKING_HANDS:
        shake_hands(shard, connection);
        return;
    case STATE_SENDING:
        if (events & EPOLLOUT || !(connection->watched & EPOLLOUT))
            send_request(shard, connection);
        if (connection->state != STATE_SENDING || !(events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
            return;
        receive(shard, connection); /* an answer before the whole request was sent */
        return;
    case STATE_IDLE:
    case STATE_RECEIVING:
        if (events & EPOLLOUT && shard->options->upgrade.size)
            connection_watch_for(shard, connection, websocket_say(connection));
        receive(shard, connection);
        return;
    case STATE_SETTLING:
        if (shard->options->upgrade.size) {
            websocket_event(shard, connection, events);
            return;
        }
        /* fall through */
    case STATE_SHARED:
        shard->options->protocol->event(shard, connection, events);
        return;
    case STATE_CLOSED:
        return;
    }
}
