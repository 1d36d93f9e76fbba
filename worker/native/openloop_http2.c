/* HTTP/2 on the open-loop engine's connections (RFC 9113). Priorities are off, and nothing is pushed. */
#include "openloop_multiplex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "http2_library.h"

#ifdef HTTP2_BUILT

#define LARGEST_PIECE (20u << 10) /* of what libnghttp2 gives at once: a frame of 16 KiB with its head */

struct http2 {
    struct carrier carrier;
    nghttp2_session *session;
    bool settled; /* the server has told its settings */
    char *unsent; /* what the socket did not take; nothing new is sent until it has */
    size_t unsent_size, unsent_begin;
};

_Static_assert(sizeof(struct field) == sizeof(nghttp2_nv) && offsetof(struct field, flags) == offsetof(nghttp2_nv, flags),
               "a header is laid out as libnghttp2's is");

static nghttp2_session_callbacks *callbacks;

static struct http2 *http2_of(struct carrier *carrier) { return (struct http2 *)carrier; }

static void must(int result, const char *what)
{
    if (result != 0)
        die("libnghttp2 cannot %s: %s", what, nghttp2.strerror(result));
}

static void set_limit(struct http2 *http2)
{
    uint64_t allowed = nghttp2.session_get_remote_settings(http2->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    uint64_t wanted = http2->carrier.shard->options->streams;
    http2->carrier.limit = allowed < wanted ? allowed : wanted;
    http2->settled = true;
}

static void on_end_of_stream(struct http2 *http2, int32_t stream)
{
    struct request *request = nghttp2.session_get_stream_user_data(http2->session, stream);
    if (request == NULL || request->fields->body_size == 0)
        return;
    request->answered = true;
    if (request->body_sent < request->fields->body_size) /* the rest of the body is not wanted any more */
        must(nghttp2.submit_rst_stream(http2->session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL), "reset a stream");
}

static void on_reset(struct http2 *http2, const nghttp2_rst_stream *frame)
{
    struct request *request = nghttp2.session_get_stream_user_data(http2->session, frame->hd.stream_id);
    if (request != NULL)
        request->reset = frame->error_code == NGHTTP2_REFUSED_STREAM ? REFUSED : RESET;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    (void)session;
    struct http2 *http2 = user_data;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
        if (multiplex_has_bodies() && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
            on_end_of_stream(http2, frame->hd.stream_id);
        break;
    case NGHTTP2_RST_STREAM:
        on_reset(http2, &frame->rst_stream);
        break;
    case NGHTTP2_SETTINGS:
        if (!(frame->hd.flags & NGHTTP2_FLAG_ACK))
            set_limit(http2);
        break;
    case NGHTTP2_GOAWAY:
        http2->carrier.draining = true;
        http2->carrier.last = frame->goaway.last_stream_id;
        word_add(&http2->carrier.shard->counters[COUNT_GOAWAYS], 1);
        break;
    }
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user_data)
{
    (void)flags;
    const struct http2 *http2 = user_data;
    if (name_size != 7 || memcmp(name, ":status", 7) != 0 || value_size != 3)
        return 0;
    struct request *request = nghttp2.session_get_stream_user_data(session, frame->hd.stream_id);
    if (request == NULL)
        return 0;
    if (!request->instants.first_byte_ns)
        request->instants.first_byte_ns = http2->carrier.heard_ns;
    /* libnghttp2 has seen to it that these are digits */
    request->status = ((unsigned)(value[0] - '0') * 10 + (unsigned)(value[1] - '0')) * 10 + (unsigned)(value[2] - '0');
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user_data)
{
    struct carrier *carrier = user_data;
    struct request *request = nghttp2.session_get_stream_user_data(session, stream);
    carrier->streams--;
    if (request != NULL) /* else it was given up */
        carrier_ended(carrier, request, request->answered || (error == NGHTTP2_NO_ERROR && request->reset == NOT_RESET));
    return 0;
}

static ssize_t on_body_wanted(nghttp2_session *session, int32_t stream, uint8_t *data, size_t size, uint32_t *flags,
                              nghttp2_data_source *source, void *user_data)
{
    (void)source, (void)user_data;
    struct request *request = nghttp2.session_get_stream_user_data(session, stream);
    if (request == NULL)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const struct fields *fields = request->fields;
    size_t left = fields->body_size - request->body_sent, now = left < size ? left : size;
    memcpy(data, fields->body + request->body_sent, now);
    request->body_sent += now;
    if (request->body_sent == fields->body_size)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)now;
}

static void set_up(const struct options *options)
{
    (void)options;
    const char *missing = http2_load();
    if (missing)
        die("%s", missing);
    must(nghttp2.session_callbacks_new(&callbacks), "be set up");
    nghttp2.session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2.session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2.session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}

static void begin(struct shard *shard, struct connection *connection)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    if (shard->options->tls && !transport_speaks_http2(&connection->transport)) {
        connection_fail(shard, connection, COUNT_ERRORS_CONNECT, 1);
        return;
    }
    struct http2 *http2 = calloc(1, sizeof *http2);
    if (http2 == NULL)
        die("no memory for another connection");
    must(nghttp2.session_client_new(&http2->session, callbacks, http2), "begin a connection");
    must(nghttp2.submit_settings(http2->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof *settings),
         "send settings");
    must(nghttp2.session_set_local_window_size(http2->session, NGHTTP2_FLAG_NONE, 0, WINDOW), "widen its window");
    carrier_begin(&http2->carrier, shard, connection);
}

static void end(struct carrier *carrier)
{
    struct http2 *http2 = http2_of(carrier);
    nghttp2.session_del(http2->session);
    free(http2->unsent);
    free(http2);
}

static bool send_request(struct carrier *carrier, struct request *request)
{
    const struct fields *fields = request->fields;
    nghttp2_data_provider provider = {.read_callback = on_body_wanted};
    int32_t stream = nghttp2.submit_request(http2_of(carrier)->session, NULL, (const nghttp2_nv *)fields->list,
                                            fields->count, fields->body_size ? &provider : NULL, request);
    if (stream < 0 && stream != NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE)
        die("libnghttp2 cannot send a request: %s", nghttp2.strerror(stream));
    request->stream = stream;
    return stream >= 0; /* else after 2^30 requests on one connection */
}

static void give_up(struct carrier *carrier, struct request *request)
{
    nghttp2_session *session = http2_of(carrier)->session;
    int32_t stream = (int32_t)request->stream;
    must(nghttp2.session_set_stream_user_data(session, stream, NULL), "give up a request");
    must(nghttp2.submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL), "reset a stream");
}

/* What libnghttp2 has to write, as much as fits into the buffer. */
static size_t gather(struct http2 *http2, char *buffer)
{
    size_t size = 0;
    while (size + LARGEST_PIECE <= READ_BUFFER) {
        const uint8_t *piece;
        ssize_t got = nghttp2.session_mem_send(http2->session, &piece);
        if (got < 0 || got > (ssize_t)LARGEST_PIECE)
            die("libnghttp2 cannot write: %s", got < 0 ? nghttp2.strerror((int)got) : "a frame is too large");
        if (got == 0)
            break;
        memcpy(buffer + size, piece, (size_t)got);
        size += (size_t)got;
    }
    return size;
}

/* The first bytes of all requests that were not written so far have gone out. */
static void record_written(struct carrier *carrier, uint64_t now)
{
    for (struct request *one = carrier->youngest; one && !one->written; one = one->older)
        carrier_written(carrier, one, now);
}

static void keep_unsent(struct http2 *http2, const char *data, size_t size)
{
    http2->unsent = malloc(size);
    if (http2->unsent == NULL)
        die("no memory for what a connection has to write");
    memcpy(http2->unsent, data, size);
    http2->unsent_size = size;
    http2->unsent_begin = 0;
    http2->carrier.blocked = true;
}

/* False: the socket takes no more for now, or the connection has failed. */
static bool write_some(struct http2 *http2, size_t gathered)
{
    struct shard *shard = http2->carrier.shard;
    struct connection *connection = http2->carrier.connection;
    const char *data = http2->unsent ? http2->unsent + http2->unsent_begin : shard->buffer;
    size_t size = http2->unsent ? http2->unsent_size - http2->unsent_begin : gathered, put;
    uint64_t now = now_ns();
    enum transfer result = transport_write(&connection->transport, data, size, &put);
    if (result == TRANSFER_FAILED || result == TRANSFER_CLOSED) {
        carrier_broken(&http2->carrier, COUNT_ERRORS_WRITE, http2->carrier.requests);
        return false;
    }
    if (put)
        record_written(&http2->carrier, now);
    if (http2->unsent) {
        http2->unsent_begin += put;
        if (http2->unsent_begin == http2->unsent_size) {
            free(http2->unsent);
            http2->unsent = NULL;
            http2->carrier.blocked = false;
        }
    } else if (put < size) {
        keep_unsent(http2, data + put, size - put);
    }
    if (result == TRANSFER_OK)
        return true;
    connection_watch_for(shard, connection, result);
    carrier_settle(&http2->carrier, now);
    return false;
}

static void flush(struct carrier *carrier)
{
    struct http2 *http2 = http2_of(carrier);
    struct shard *shard = carrier->shard;
    size_t gathered = 0;
    while (http2->unsent || (gathered = gather(http2, shard->buffer)))
        if (!write_some(http2, gathered))
            return;
    bool done = carrier->draining && carrier->requests == 0;
    if (!done && !nghttp2.session_want_read(http2->session)) { /* libnghttp2 has told the server what is wrong */
        carrier_not_spoken(carrier);
        return;
    }
    connection_watch_for(shard, carrier->connection, TRANSFER_WANTS_READ);
    carrier_settle(carrier, now_ns());
}

/* Take in what has come. False: the connection was let go. */
static bool receive(struct http2 *http2)
{
    struct shard *shard = http2->carrier.shard;
    struct transport *transport = &http2->carrier.connection->transport;
    do {
        size_t got;
        enum transfer result = transport_read(transport, shard->buffer, READ_BUFFER, &got);
        if (result == TRANSFER_WANTS_READ || result == TRANSFER_WANTS_WRITE)
            return true;
        if (result != TRANSFER_OK) { /* as a server may, where nothing is asked of it */
            carrier_broken(&http2->carrier, COUNT_ERRORS_READ, http2->carrier.requests);
            return false;
        }
        word_add(&shard->counters[COUNT_BYTES_READ], got);
        http2->carrier.heard_ns = now_ns();
        if (nghttp2.session_mem_recv(http2->session, (const uint8_t *)shard->buffer, got) < 0) {
            carrier_not_spoken(&http2->carrier);
            return false;
        }
    } while (transport_has_more(transport));
    return true;
}

static void event(struct shard *shard, struct connection *connection, uint32_t events)
{
    (void)shard;
    struct carrier *carrier = connection->carrier;
    struct http2 *http2 = http2_of(carrier);
    if (events & EPOLLOUT)
        carrier_want_flush(carrier);
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) && !receive(http2))
        return;
    if (connection->state == STATE_SETTLING && http2->settled)
        carrier_established(carrier);
    if (nghttp2.session_want_write(http2->session))
        carrier_want_flush(carrier);
    carrier_settle(carrier, now_ns());
}

const struct protocol http2_protocol = {
    .set_up = set_up,
    .begin = begin,
    .event = event,
    .send = send_request,
    .give_up = give_up,
    .flush = flush,
    .end = end,
};

#else

static void set_up(const struct options *options)
{
    (void)options;
    die("%s", http2_load());
}

const struct protocol http2_protocol = {.set_up = set_up}; /* which ends the process before anything else is called */

#endif
