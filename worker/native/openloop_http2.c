/* HTTP/2: see openloop_http2.h. */
#include "openloop_http2.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "http2_fields.h"

#ifdef HTTP2_BUILT

#define LARGEST_PIECE (20u << 10) /* of what libnghttp2 gives at once: a frame of 16 KiB with its head */

enum reset { NOT_RESET, RESET, REFUSED };

/* One request. In `sent` by the instant when it times out, or in `returned`, where it has no connection. */
struct request {
    struct link link;
    struct connection *connection;
    struct request *older, *younger; /* of the same connection */
    struct instants instants;
    const struct fields *fields;
    uint64_t number; /* in its path, where the fields have one */
    size_t body_sent;
    int32_t stream;
    unsigned status;
    enum reset reset; /* by the server */
    bool written, answered;
};

struct http2 {
    struct link unflushed; /* its place among those with something to write */
    struct shard *shard;
    struct connection *connection;
    nghttp2_session *session;
    struct request *oldest, *youngest;
    uint64_t requests; /* that wait for an answer here */
    uint64_t streams;  /* open, with those of requests that were given up */
    uint64_t limit;
    uint64_t heard_ns; /* when bytes came last */
    int32_t last;      /* draining: the last stream that the server processes */
    bool settled, draining;
    char *unsent; /* what the socket did not take; nothing new is sent until it has */
    size_t unsent_size, unsent_begin;
};

static nghttp2_session_callbacks *callbacks;

static struct fields *messages; /* as those of the mix */
static bool have_bodies;        /* some of them */
static struct request *spare; /* linked by `older` */

static struct request *request_of(struct link *link) { return (struct request *)link; }

static void must(int result, const char *what)
{
    if (result != 0)
        die("libnghttp2 cannot %s: %s", what, nghttp2.strerror(result));
}

static struct request *request_new(struct draws *draws, uint64_t intended)
{
    struct request *request = spare ? spare : malloc(sizeof *request);
    if (request == NULL)
        die("no memory for another request");
    if (spare)
        spare = spare->older;
    struct drawn drawn = draws_next(draws);
    const struct fields *fields = &messages[drawn.message - draws->mix->messages];
    *request = (struct request){.instants.intended_ns = intended, .fields = fields, .number = drawn.number};
    return request;
}

static void request_free(struct request *request)
{
    request->older = spare;
    spare = request;
}

static void list_insert(struct list *list, struct link *link, uint64_t due_ns)
{
    struct link *before = list->last;
    while (before && before->due_ns > due_ns)
        before = before->previous;
    if (before == list->last) {
        list_append(list, link, due_ns);
        return;
    }
    struct link *after = before ? before->next : list->first;
    *link = (struct link){.previous = before, .next = after, .due_ns = due_ns, .on_list = true};
    *(before ? &before->next : &list->first) = link;
    after->previous = link;
}

static void attach(struct http2 *http2, struct request *request)
{
    request->connection = http2->connection;
    request->older = http2->youngest;
    request->younger = NULL;
    if (http2->youngest)
        http2->youngest->younger = request;
    else
        http2->oldest = request;
    http2->youngest = request;
    http2->requests++;
}

/* Take a request off its connection and out of `sent`. */
static void detach(struct http2 *http2, struct request *request)
{
    if (request->older)
        request->older->younger = request->younger;
    else
        http2->oldest = request->younger;
    if (request->younger)
        request->younger->older = request->older;
    else
        http2->youngest = request->older;
    request->connection = NULL;
    http2->requests--;
    list_remove(&http2->shard->sent, &request->link);
    http2->shard->in_flight--;
}

static void give_back(struct http2 *http2, struct request *request)
{
    struct shard *shard = http2->shard;
    uint64_t due_ns = request->link.due_ns;
    detach(http2, request);
    list_insert(&shard->returned, &request->link, due_ns);
    shard->returned_count++;
}

static void want_flush(struct http2 *http2)
{
    if (!http2->unflushed.on_list)
        list_append(&http2->shard->unflushed, &http2->unflushed, 0);
}

/* Whether it may take another request, by its place in `free`; a connection that has done its work is closed. */
static void settle(struct http2 *http2, uint64_t now)
{
    struct shard *shard = http2->shard;
    struct connection *connection = http2->connection;
    if (connection->state != STATE_SHARED)
        return;
    if (http2->draining && http2->requests == 0) {
        connection_close(shard, connection, now);
        return;
    }
    bool takes = !http2->draining && !http2->unsent && http2->streams < http2->limit;
    if (takes && !connection->link.on_list) {
        connection->free_since_ns = now;
        list_append(&shard->free, &connection->link, 0);
    } else if (!takes && connection->link.on_list) {
        list_remove(&shard->free, &connection->link);
    }
}

static void set_limit(struct http2 *http2)
{
    uint64_t allowed = nghttp2.session_get_remote_settings(http2->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    uint64_t wanted = http2->shard->options->streams;
    http2->limit = allowed < wanted ? allowed : wanted;
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
        if (have_bodies && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
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
        http2->draining = true;
        http2->last = frame->goaway.last_stream_id;
        word_add(&http2->shard->counters[COUNT_GOAWAYS], 1);
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
        request->instants.first_byte_ns = http2->heard_ns;
    /* libnghttp2 has seen to it that these are digits */
    request->status = ((unsigned)(value[0] - '0') * 10 + (unsigned)(value[1] - '0')) * 10 + (unsigned)(value[2] - '0');
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user_data)
{
    struct http2 *http2 = user_data;
    struct shard *shard = http2->shard;
    struct request *request = nghttp2.session_get_stream_user_data(session, stream);
    http2->streams--;
    if (request == NULL)
        return 0; /* given up */
    bool whole = request->answered || (error == NGHTTP2_NO_ERROR && request->reset == NOT_RESET);
    if (!whole && http2->draining && stream > http2->last) {
        give_back(http2, request);
        return 0;
    }
    if (whole && request->status < PAGE_STATUSES)
        record_answer(shard, request->status, &request->instants, http2->heard_ns);
    else if (request->reset == NOT_RESET)
        word_add(&shard->counters[COUNT_ERRORS_GARBAGE], 1);
    else
        word_add(&shard->counters[request->reset == REFUSED ? COUNT_ERRORS_REFUSED : COUNT_ERRORS_RESET], 1);
    detach(http2, request);
    request_free(request);
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

void http2_set_up(const struct options *options)
{
    const char *missing = http2_load();
    if (missing)
        die("%s", missing);
    messages = calloc(options->mix.count, sizeof *messages);
    if (messages == NULL)
        die("no memory for the requests");
    for (size_t i = 0; i < options->mix.count; i++) {
        messages[i] = fields_of(&options->mix.messages[i]);
        have_bodies |= messages[i].body_size > 0;
    }
    must(nghttp2.session_callbacks_new(&callbacks), "be set up");
    nghttp2.session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2.session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2.session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}

void http2_begin(struct shard *shard, struct connection *connection)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, HTTP2_WINDOW},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    if (shard->options->tls && !transport_speaks_http2(&connection->transport)) {
        connection_fail(shard, connection, COUNT_ERRORS_CONNECT, 1);
        return;
    }
    struct http2 *http2 = calloc(1, sizeof *http2);
    if (http2 == NULL)
        die("no memory for another connection");
    *http2 = (struct http2){.shard = shard, .connection = connection};
    connection->http2 = http2;
    connection->state = STATE_SETTLING;
    must(nghttp2.session_client_new(&http2->session, callbacks, http2), "begin a connection");
    must(nghttp2.submit_settings(http2->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof *settings),
         "send settings");
    must(nghttp2.session_set_local_window_size(http2->session, NGHTTP2_FLAG_NONE, 0, HTTP2_WINDOW), "widen its window");
    want_flush(http2);
}

void http2_forget(struct shard *shard, struct connection *connection)
{
    struct http2 *http2 = connection->http2;
    connection->http2 = NULL;
    if (http2 == NULL)
        return;
    while (http2->oldest) {
        struct request *request = http2->oldest;
        detach(http2, request);
        request_free(request);
    }
    if (http2->unflushed.on_list)
        list_remove(&shard->unflushed, &http2->unflushed);
    nghttp2.session_del(http2->session);
    free(http2->unsent);
    free(http2);
}

static void send_on(struct shard *shard, struct http2 *http2, struct request *request, uint64_t due_ns)
{
    struct connection *connection = http2->connection;
    const struct fields *fields = request->fields;
    nghttp2_data_provider provider = {.read_callback = on_body_wanted};
    fields_fill_in(fields, request->number);
    request->stream = nghttp2.submit_request(http2->session, NULL, fields->list, fields->count,
                                             fields->body_size ? &provider : NULL, request);
    request->written = false;
    attach(http2, request);
    list_insert(&shard->sent, &request->link, due_ns);
    shard->in_flight++;
    if (request->stream == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE) { /* after 2^30 requests on one connection */
        http2->draining = true;
        http2->last = INT32_MAX;
        give_back(http2, request);
        list_remove(&shard->free, &connection->link);
        settle(http2, now_ns());
        return;
    }
    if (request->stream < 0)
        die("libnghttp2 cannot send a request: %s", nghttp2.strerror(request->stream));
    http2->streams++;
    list_remove(&shard->free, &connection->link);
    if (http2->streams < http2->limit)
        list_append(&shard->free, &connection->link, 0); /* behind the others: they take turns */
    want_flush(http2);
}

void http2_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now)
{
    send_on(shard, connection->http2, request_new(&shard->draws, intended), now + shard->options->timeout_ns);
}

void http2_repeat_request(struct shard *shard, struct connection *connection)
{
    struct request *request = request_of(shard->returned.first);
    list_remove(&shard->returned, &request->link);
    shard->returned_count--;
    request->body_sent = 0;
    request->reset = NOT_RESET;
    word_add(&shard->counters[COUNT_REPEATED], 1);
    send_on(shard, connection->http2, request, request->link.due_ns);
}

void http2_time_out(struct shard *shard, struct link *link, uint64_t now)
{
    struct request *request = request_of(link);
    word_add(&shard->counters[COUNT_ERRORS_TIMEOUT], 1);
    if (request->connection == NULL) {
        list_remove(&shard->returned, link);
        shard->returned_count--;
        request_free(request);
        return;
    }
    struct http2 *http2 = request->connection->http2;
    must(nghttp2.session_set_stream_user_data(http2->session, request->stream, NULL), "give up a request");
    must(nghttp2.submit_rst_stream(http2->session, NGHTTP2_FLAG_NONE, request->stream, NGHTTP2_CANCEL),
         "reset a stream");
    detach(http2, request);
    request_free(request);
    want_flush(http2);
    if (http2->heard_ns + shard->options->timeout_ns <= now) { /* nothing comes any more: begin anew after the others */
        http2->draining = true;
        http2->last = INT32_MAX;
    }
    settle(http2, now);
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
static void record_written(struct http2 *http2, uint64_t now)
{
    for (struct request *one = http2->youngest; one && !one->written; one = one->older) {
        one->written = true;
        if (one->instants.first_write_ns)
            continue; /* it is sent again */
        one->instants.first_write_ns = now;
        word_add(&http2->shard->counters[COUNT_SENT], 1);
        record_lateness(http2->shard, one->instants.intended_ns, http2->connection->free_since_ns, now);
    }
}

static void keep_unsent(struct http2 *http2, const char *data, size_t size)
{
    http2->unsent = malloc(size);
    if (http2->unsent == NULL)
        die("no memory for what a connection has to write");
    memcpy(http2->unsent, data, size);
    http2->unsent_size = size;
    http2->unsent_begin = 0;
}

/* Count what the connection still owes, and begin anew. */
static void broken(struct http2 *http2, enum page_counter kind, uint64_t errors)
{
    bool settling = http2->connection->state == STATE_SETTLING;
    connection_fail(http2->shard, http2->connection, settling ? COUNT_ERRORS_CONNECT : kind, settling ? 1 : errors);
}

static void not_http2(struct http2 *http2) { broken(http2, COUNT_ERRORS_GARBAGE, http2->requests ? http2->requests : 1); }

/* False: the socket takes no more for now, or the connection has failed. */
static bool write_some(struct http2 *http2, size_t gathered)
{
    struct shard *shard = http2->shard;
    struct connection *connection = http2->connection;
    const char *data = http2->unsent ? http2->unsent + http2->unsent_begin : shard->buffer;
    size_t size = http2->unsent ? http2->unsent_size - http2->unsent_begin : gathered, put;
    uint64_t now = now_ns();
    enum transfer result = transport_write(&connection->transport, data, size, &put);
    if (result == TRANSFER_FAILED || result == TRANSFER_CLOSED) {
        broken(http2, COUNT_ERRORS_WRITE, http2->requests);
        return false;
    }
    if (put)
        record_written(http2, now);
    if (http2->unsent) {
        http2->unsent_begin += put;
        if (http2->unsent_begin == http2->unsent_size) {
            free(http2->unsent);
            http2->unsent = NULL;
        }
    } else if (put < size) {
        keep_unsent(http2, data + put, size - put);
    }
    if (result == TRANSFER_OK)
        return true;
    connection_watch_for(shard, connection, result);
    settle(http2, now);
    return false;
}

static void flush(struct http2 *http2)
{
    struct shard *shard = http2->shard;
    if (http2->unflushed.on_list)
        list_remove(&shard->unflushed, &http2->unflushed);
    size_t gathered = 0;
    while (http2->unsent || (gathered = gather(http2, shard->buffer)))
        if (!write_some(http2, gathered))
            return;
    bool done = http2->draining && http2->requests == 0;
    if (!done && !nghttp2.session_want_read(http2->session)) { /* libnghttp2 has told the server what is wrong */
        not_http2(http2);
        return;
    }
    connection_watch_for(shard, http2->connection, TRANSFER_WANTS_READ);
    settle(http2, now_ns());
}

void http2_flush(struct shard *shard)
{
    while (shard->unflushed.first)
        flush((struct http2 *)shard->unflushed.first);
}

/* Take in what has come. False: the connection was let go. */
static bool receive(struct http2 *http2)
{
    struct shard *shard = http2->shard;
    struct transport *transport = &http2->connection->transport;
    do {
        size_t got;
        enum transfer result = transport_read(transport, shard->buffer, READ_BUFFER, &got);
        if (result == TRANSFER_WANTS_READ || result == TRANSFER_WANTS_WRITE)
            return true;
        if (result != TRANSFER_OK) { /* as a server may, where nothing is asked of it */
            broken(http2, COUNT_ERRORS_READ, http2->requests);
            return false;
        }
        word_add(&shard->counters[COUNT_BYTES_READ], got);
        http2->heard_ns = now_ns();
        if (nghttp2.session_mem_recv(http2->session, (const uint8_t *)shard->buffer, got) < 0) {
            not_http2(http2);
            return false;
        }
    } while (transport_has_more(transport));
    return true;
}

void http2_event(struct shard *shard, struct connection *connection, uint32_t events)
{
    struct http2 *http2 = connection->http2;
    if (events & EPOLLOUT)
        want_flush(http2);
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) && !receive(http2))
        return;
    if (connection->state == STATE_SETTLING && http2->settled) {
        list_remove(&shard->busy, &connection->link);
        connection_established(shard, connection);
        connection->state = STATE_SHARED;
    }
    if (nghttp2.session_want_write(http2->session))
        want_flush(http2);
    settle(http2, now_ns());
}

#else /* without libnghttp2's header: http2_load says so before anything else is called */

void http2_set_up(const struct options *options)
{
    (void)options;
    die("%s", http2_load());
}

void http2_begin(struct shard *shard, struct connection *connection) { (void)shard, (void)connection; }
void http2_event(struct shard *shard, struct connection *connection, uint32_t events)
{
    (void)shard, (void)connection, (void)events;
}
void http2_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now)
{
    (void)shard, (void)connection, (void)intended, (void)now;
}
void http2_repeat_request(struct shard *shard, struct connection *connection) { (void)shard, (void)connection; }
void http2_time_out(struct shard *shard, struct link *link, uint64_t now) { (void)shard, (void)link, (void)now; }
void http2_flush(struct shard *shard) { (void)shard; }
void http2_forget(struct shard *shard, struct connection *connection) { (void)shard, (void)connection; }

#endif
