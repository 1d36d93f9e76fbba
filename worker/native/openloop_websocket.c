#include "openloop_websocket.h"

#include <sys/epoll.h>

/* It can carry messages from now on: what came after the handshake's answer are frames. */
static bool upgraded(struct shard *shard, struct connection *connection, size_t answered, size_t size)
{
    uint64_t now = now_ns();
    histogram_add(&shard->block.histograms[HISTOGRAM_CONNECT], (now - connection->dialed_ns) / NS_PER_US);
    frame_begin(&connection->frame);
    connection->control_size = connection->control_put = 0;
    connection_established(shard, connection);
    connection_be_free(shard, connection, now);
    if (answered == size)
        return true;
    for (size_t i = answered; i < size; i++)
        shard->buffer[i - answered] = shard->buffer[i];
    return websocket_take(shard, connection, size - answered);
}

/* False: the connection is not to be read any more. */
static bool take_answer(struct shard *shard, struct connection *connection, size_t size)
{
    size_t used;
    enum response_result result = response_feed(&connection->response, shard->buffer, size, &used);
    unsigned status = connection->response.status;
    if (result == RESPONSE_MORE && status < 200)
        return true;
    if (result == RESPONSE_DONE && status == 101)
        return upgraded(shard, connection, used, size);
    word_set(&shard->counters[COUNT_LAST_ERRNO], status);
    connection_fail(shard, connection, COUNT_ERRORS_CONNECT, 1);
    return false;
}

static void read_answer(struct shard *shard, struct connection *connection)
{
    do {
        size_t got;
        enum transfer result = transport_read(&connection->transport, shard->buffer, READ_BUFFER, &got);
        if (result == TRANSFER_WANTS_READ || result == TRANSFER_WANTS_WRITE)
            return;
        if (result != TRANSFER_OK) {
            connection_fail(shard, connection, COUNT_ERRORS_CONNECT, 1);
            return;
        }
        word_add(&shard->counters[COUNT_BYTES_READ], got);
        if (!take_answer(shard, connection, got))
            return;
    } while (transport_has_more(&connection->transport) && connection->state == STATE_SETTLING);
}

static void send_handshake(struct shard *shard, struct connection *connection)
{
    const struct upgrade *upgrade = &shard->options->upgrade;
    while (connection->written < upgrade->size) {
        size_t put;
        enum transfer result = transport_write(&connection->transport, upgrade->request + connection->written,
                                               upgrade->size - connection->written, &put);
        if (result == TRANSFER_WANTS_READ || result == TRANSFER_WANTS_WRITE) {
            connection_watch_for(shard, connection, result);
            return;
        }
        if (result != TRANSFER_OK) {
            connection_fail(shard, connection, COUNT_ERRORS_CONNECT, 1);
            return;
        }
        connection->written += put;
    }
    connection_watch_for(shard, connection, TRANSFER_WANTS_READ);
}

void websocket_begin(struct shard *shard, struct connection *connection)
{
    connection->state = STATE_SETTLING;
    connection->written = 0;
    response_begin(&connection->response, false);
    connection->response.upgrades = true;
    send_handshake(shard, connection);
}

void websocket_event(struct shard *shard, struct connection *connection, uint32_t events)
{
    if (connection->written < shard->options->upgrade.size)
        send_handshake(shard, connection);
    if (connection->state == STATE_SETTLING && events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        read_answer(shard, connection);
}

/* The answer to its message is whole. */
static void echoed(struct shard *shard, struct connection *connection)
{
    uint64_t now = now_ns();
    const struct instants *instants = &connection->instants;
    struct histogram *histograms = shard->block.histograms;
    word_add(&shard->counters[COUNT_COMPLETED], 1);
    histogram_add(&histograms[HISTOGRAM_LATENCY], (now - instants->intended_ns) / NS_PER_US);
    histogram_add(&histograms[HISTOGRAM_SERVICE], (now - instants->first_write_ns) / NS_PER_US);
    histogram_add(&histograms[HISTOGRAM_FIRST_BYTE], (instants->first_byte_ns - instants->first_write_ns) / NS_PER_US);
    connection_answered(shard, connection, now);
}

enum transfer websocket_say(struct connection *connection)
{
    while (connection->control_put < connection->control_size) {
        const char *rest = (const char *)connection->control + connection->control_put;
        size_t put;
        enum transfer result = transport_write(&connection->transport, rest,
                                               (size_t)(connection->control_size - connection->control_put), &put);
        if (result != TRANSFER_OK)
            return result;
        connection->control_put += (uint8_t)put;
    }
    connection->control_size = connection->control_put = 0;
    return TRANSFER_OK;
}

/* Give back the payload of its frame, as soon as the line takes it. Where a message is half sent, which TLS may have begun
 * with before it says so, or another control frame waits, it has no place. False: nothing can be sent any more. */
static bool say(struct shard *shard, struct connection *connection, enum frame_opcode opcode)
{
    const struct frame *frame = &connection->frame;
    bool sends = connection->state == STATE_SENDING;
    if (connection->control_size || (sends && (connection->written || connection->transport.tls)))
        return true;
    connection->control_size =
        (uint8_t)frame_write_control(connection->control, opcode, frame->control, frame->controlled);
    enum transfer result = websocket_say(connection);
    if (result == TRANSFER_WANTS_WRITE && !sends)
        connection_watch_for(shard, connection, result);
    return result != TRANSFER_FAILED && result != TRANSFER_CLOSED;
}

/* False: the connection is not to be read any more. */
static bool take_frame(struct shard *shard, struct connection *connection)
{
    const struct frame *frame = &connection->frame;
    if (frame_is_control(frame)) {
        bool said = frame->opcode == FRAME_PONG || say(shard, connection, frame->opcode == FRAME_PING ? FRAME_PONG : FRAME_CLOSE);
        if (said && frame->opcode != FRAME_CLOSE)
            return true;
        connection_ended(shard, connection);
        return false;
    }
    if (!frame->final)
        return true;
    if (connection->state != STATE_RECEIVING) { /* no message was sent for it, or not all of it */
        connection_fail(shard, connection, COUNT_ERRORS_GARBAGE, 1);
        return false;
    }
    echoed(shard, connection);
    return true;
}

/* Of the answer: control frames may come before it, and what comes before the message is sent is none. */
static void note_first_byte(struct connection *connection)
{
    bool is_data = (connection->frame.head[0] & 0x0f) < FRAME_CLOSE;
    if (is_data && connection->written && !connection->instants.first_byte_ns)
        connection->instants.first_byte_ns = now_ns();
}

bool websocket_take(struct shard *shard, struct connection *connection, size_t size)
{
    for (size_t done = 0, used; done < size; done += used) {
        enum frame_result result = frame_feed(&connection->frame, shard->buffer + done, size - done, &used);
        note_first_byte(connection);
        if (result == FRAME_MORE)
            return true;
        if (result == FRAME_GARBAGE) {
            connection_fail(shard, connection, COUNT_ERRORS_GARBAGE, 1);
            return false;
        }
        if (!take_frame(shard, connection))
            return false;
        frame_begin(&connection->frame);
    }
    return true;
}
