/* HTTP/3 on the open-loop engine's connections (RFC 9114, RFC 9000): libngtcp2 speaks QUIC, GnuTLS its TLS, libnghttp3
 * HTTP/3. Headers are compressed without a dynamic table, nothing is pushed, and datagrams are not paced: a request
 * leaves when it is due, as far as the window of congestion control lets it. Datagrams have 1,200 bytes at most, those of
 * the server as many as fit into a frame of Ethernet; what goes out at once on a connection goes out in one system call
 * (UDP_SEGMENT), what has come is read many at once. */
#include "openloop_multiplex.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "hold_timers.h"
#include "http3_library.h"

#ifdef HTTP3_BUILT

#define DATAGRAM 1200u        /* bytes that we send at most: what every path carries (RFC 9000, 14) */
#define LARGEST_RECEIVED 1472 /* bytes: what fits into a frame of Ethernet */
#define ROOM 2048u            /* for one of them */
#define MOST_READ (READ_BUFFER / ROOM)
#define MOST_WRITTEN 48 /* in one system call; the kernel takes up to 64, of 64 kB together */
#define MOST_PIECES 16
#define ID_SIZE 8 /* of a connection's name */

struct http3 {
    struct carrier carrier;
    ngtcp2_conn *quic;
    nghttp3_conn *http; /* from the handshake on */
    gnutls_session_t tls;
    ngtcp2_crypto_conn_ref reference;
    union address local, remote;
    ngtcp2_path path;
    bool shaken; /* hands are */
};

_Static_assert(sizeof(struct field) == sizeof(nghttp3_nv) && offsetof(struct field, flags) == offsetof(nghttp3_nv, flags),
               "a header is laid out as libnghttp3's is");
_Static_assert(sizeof(nghttp3_vec) == sizeof(ngtcp2_vec), "both libraries lay out memory in the same way");

static ngtcp2_callbacks quic_callbacks;
static nghttp3_callbacks http_callbacks;
static nghttp3_settings http_settings;
static gnutls_certificate_credentials_t credentials;
static gnutls_priority_t priorities;
static const char *server_name;

/* When QUIC has something to do on a connection, in ms since `epoch_ns`, rounded up; by the connection's number. */
static struct timers timers;
static uint64_t epoch_ns;

static struct http3 *http3_of(struct carrier *carrier) { return (struct http3 *)carrier; }

static void must(int result, const char *what)
{
    if (result != 0)
        die("HTTP/3 cannot %s: error %d", what, result);
}

static void fill_at_random(uint8_t *to, size_t size)
{
    if (getrandom(to, size, 0) != (ssize_t)size)
        die_errno("no random bytes");
}

/* What libngtcp2 asks of us. A result other than 0 ends the connection. */

static void give_random(uint8_t *to, size_t size, const ngtcp2_rand_ctx *context)
{
    (void)context;
    fill_at_random(to, size);
}

static int give_connection_id(ngtcp2_conn *quic_conn, ngtcp2_cid *id, uint8_t *token, size_t size, void *user_data)
{
    (void)quic_conn, (void)user_data;
    uint8_t bytes[NGTCP2_MAX_CIDLEN];
    fill_at_random(bytes, size);
    quic.cid_init(id, bytes, size);
    fill_at_random(token, NGTCP2_STATELESS_RESET_TOKENLEN);
    return 0;
}

static int outcome(int result) { return result == 0 ? 0 : NGTCP2_ERR_CALLBACK_FAILURE; }

static int open_own_streams(struct http3 *http3)
{
    int64_t control, encoder, decoder;
    if (quic.conn_open_uni_stream(http3->quic, &control, NULL) || quic.conn_open_uni_stream(http3->quic, &encoder, NULL) ||
        quic.conn_open_uni_stream(http3->quic, &decoder, NULL))
        return NGTCP2_ERR_CALLBACK_FAILURE;
    must(nghttp3.conn_client_new_versioned(&http3->http, NGHTTP3_CALLBACKS_VERSION, &http_callbacks,
                                           NGHTTP3_SETTINGS_VERSION, &http_settings, NULL, http3),
         "begin a connection");
    must(nghttp3.conn_bind_control_stream(http3->http, control), "begin a connection");
    must(nghttp3.conn_bind_qpack_streams(http3->http, encoder, decoder), "begin a connection");
    return 0;
}

static int on_handshake(ngtcp2_conn *quic_conn, void *user_data)
{
    (void)quic_conn;
    struct http3 *http3 = user_data;
    http3->shaken = true;
    return open_own_streams(http3);
}

static int on_data(ngtcp2_conn *quic_conn, uint32_t flags, int64_t stream, uint64_t offset, const uint8_t *data,
                   size_t size, void *user_data, void *stream_user_data)
{
    (void)offset, (void)stream_user_data;
    struct http3 *http3 = user_data;
    if (http3->http == NULL)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    word_add(&http3->carrier.shard->counters[COUNT_BYTES_READ], size);
    nghttp3_ssize used =
        nghttp3.conn_read_stream(http3->http, stream, data, size, flags & NGTCP2_STREAM_DATA_FLAG_FIN ? 1 : 0);
    if (used < 0)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    quic.conn_extend_max_stream_offset(quic_conn, stream, (uint64_t)used);
    quic.conn_extend_max_offset(quic_conn, (uint64_t)used);
    return 0;
}

static int on_acknowledged(ngtcp2_conn *quic_conn, int64_t stream, uint64_t offset, uint64_t size, void *user_data,
                           void *stream_user_data)
{
    (void)quic_conn, (void)offset, (void)stream_user_data;
    return outcome(nghttp3.conn_add_ack_offset(((struct http3 *)user_data)->http, stream, size));
}

static int on_room_for_data(ngtcp2_conn *quic_conn, int64_t stream, uint64_t most, void *user_data,
                            void *stream_user_data)
{
    (void)quic_conn, (void)most, (void)stream_user_data;
    return outcome(nghttp3.conn_unblock_stream(((struct http3 *)user_data)->http, stream));
}

/* The server sends no more of an answer, or we read no more of it. */
static int on_no_more(ngtcp2_conn *quic_conn, int64_t stream, uint64_t error, void *user_data, void *stream_user_data)
{
    (void)quic_conn, (void)error, (void)stream_user_data;
    return outcome(nghttp3.conn_shutdown_stream_read(((struct http3 *)user_data)->http, stream));
}

static int on_reset(ngtcp2_conn *quic_conn, int64_t stream, uint64_t size, uint64_t error, void *user_data,
                    void *stream_user_data)
{
    (void)size;
    struct request *request = stream_user_data;
    if (request != NULL)
        request->reset = error == NGHTTP3_H3_REQUEST_REJECTED ? REFUSED : RESET;
    return on_no_more(quic_conn, stream, error, user_data, stream_user_data);
}

static int on_stream_close(ngtcp2_conn *quic_conn, uint32_t flags, int64_t stream, uint64_t error, void *user_data,
                           void *stream_user_data)
{
    (void)quic_conn;
    struct http3 *http3 = user_data;
    struct request *request = stream_user_data;
    if (request != NULL)
        carrier_ended(&http3->carrier, request, false);
    if ((stream & 2) == 0)
        http3->carrier.streams--;
    if (!(flags & NGTCP2_STREAM_CLOSE_FLAG_APP_ERROR_CODE_SET))
        error = NGHTTP3_H3_NO_ERROR;
    int result = nghttp3.conn_close_stream(http3->http, stream, error);
    return result == NGHTTP3_ERR_STREAM_NOT_FOUND ? 0 : outcome(result);
}

/* What libnghttp3 asks of us. */

static void forget_request(struct http3 *http3, const struct request *request)
{
    quic.conn_set_stream_user_data(http3->quic, request->stream, NULL);
    nghttp3.conn_set_stream_user_data(http3->http, request->stream, NULL);
}

static int on_body(nghttp3_conn *http, int64_t stream, const uint8_t *data, size_t size, void *user_data,
                   void *stream_user_data)
{
    (void)http, (void)data, (void)stream_user_data;
    struct http3 *http3 = user_data;
    quic.conn_extend_max_stream_offset(http3->quic, stream, size);
    quic.conn_extend_max_offset(http3->quic, size);
    return 0;
}

static int on_late_use(nghttp3_conn *http, int64_t stream, size_t size, void *user_data, void *stream_user_data)
{
    return on_body(http, stream, NULL, size, user_data, stream_user_data);
}

static int on_header(nghttp3_conn *http, int64_t stream, int32_t token, nghttp3_rcbuf *name, nghttp3_rcbuf *value,
                     uint8_t flags, void *user_data, void *stream_user_data)
{
    (void)http, (void)stream, (void)name, (void)flags;
    struct request *request = stream_user_data;
    if (token != NGHTTP3_QPACK_TOKEN__STATUS || request == NULL)
        return 0;
    if (!request->instants.first_byte_ns)
        request->instants.first_byte_ns = ((struct http3 *)user_data)->carrier.heard_ns;
    nghttp3_vec digits = nghttp3.rcbuf_get_buf(value); /* libnghttp3 has seen to it that these are three */
    request->status = 0;
    for (size_t i = 0; i < digits.len; i++)
        request->status = request->status * 10 + (unsigned)(digits.base[i] - '0');
    return 0;
}

static int on_answered(nghttp3_conn *http, int64_t stream, void *user_data, void *stream_user_data)
{
    (void)http, (void)stream;
    struct http3 *http3 = user_data;
    struct request *request = stream_user_data;
    if (request == NULL)
        return 0;
    forget_request(http3, request);
    carrier_ended(&http3->carrier, request, true);
    return 0;
}

static int on_stop_reading(nghttp3_conn *http, int64_t stream, uint64_t error, void *user_data, void *stream_user_data)
{
    (void)http, (void)stream_user_data;
    return outcome(quic.conn_shutdown_stream(((struct http3 *)user_data)->quic, 0, stream, error));
}

/* GOAWAY: requests from this stream on were not processed. */
static int on_goaway(nghttp3_conn *http, int64_t stream, void *user_data)
{
    (void)http;
    struct http3 *http3 = user_data;
    struct carrier *carrier = &http3->carrier;
    carrier->draining = true;
    carrier->last = stream - 1;
    word_add(&carrier->shard->counters[COUNT_GOAWAYS], 1);
    for (struct request *one = carrier->oldest, *younger; one; one = younger) {
        younger = one->younger;
        if (one->stream < stream)
            continue;
        forget_request(http3, one);
        carrier_give_back(carrier, one);
    }
    return 0;
}

static nghttp3_ssize on_body_wanted(nghttp3_conn *http, int64_t stream, nghttp3_vec *pieces, size_t count,
                                    uint32_t *flags, void *user_data, void *stream_user_data)
{
    (void)http, (void)stream, (void)count, (void)user_data;
    const struct request *request = stream_user_data;
    *flags |= NGHTTP3_DATA_FLAG_EOF;
    if (request == NULL) /* given up */
        return 0;
    pieces[0] = (nghttp3_vec){(uint8_t *)request->fields->body, request->fields->body_size};
    return 1;
}

/* Once a process. */

static void set_up_callbacks(void)
{
    quic_callbacks = (ngtcp2_callbacks){
        .client_initial = quic_crypto.client_initial_cb,
        .recv_crypto_data = quic_crypto.recv_crypto_data_cb,
        .encrypt = quic_crypto.encrypt_cb,
        .decrypt = quic_crypto.decrypt_cb,
        .hp_mask = quic_crypto.hp_mask_cb,
        .recv_retry = quic_crypto.recv_retry_cb,
        .update_key = quic_crypto.update_key_cb,
        .delete_crypto_aead_ctx = quic_crypto.delete_crypto_aead_ctx_cb,
        .delete_crypto_cipher_ctx = quic_crypto.delete_crypto_cipher_ctx_cb,
        .get_path_challenge_data = quic_crypto.get_path_challenge_data_cb,
        .version_negotiation = quic_crypto.version_negotiation_cb,
        .rand = give_random,
        .get_new_connection_id = give_connection_id,
        .handshake_completed = on_handshake,
        .recv_stream_data = on_data,
        .acked_stream_data_offset = on_acknowledged,
        .extend_max_stream_data = on_room_for_data,
        .stream_reset = on_reset,
        .stream_stop_sending = on_no_more,
        .stream_close = on_stream_close,
    };
    http_callbacks = (nghttp3_callbacks){
        .recv_data = on_body,
        .deferred_consume = on_late_use,
        .recv_header = on_header,
        .end_stream = on_answered,
        .stop_sending = on_stop_reading,
        .shutdown = on_goaway,
    };
    nghttp3.settings_default_versioned(NGHTTP3_SETTINGS_VERSION, &http_settings);
    http_settings.qpack_encoder_max_dtable_capacity = 0;
}

static const char *chosen(const char *choice, const char *otherwise) { return choice ? choice : otherwise; }

/* GnuTLS's names of what the clients bring: lists with a plus before each. */
static void set_up_tls(const struct tls_client *client)
{
    char text[500];
    const char *ciphers = chosen(client->suites, "+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305");
    const char *groups = chosen(client->groups, "+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1");
    snprintf(text, sizeof text, "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:%s:-GROUP-ALL:%s:%%DISABLE_TLS13_COMPAT_MODE",
             ciphers, groups);
    if (gnutls.priority_init(&priorities, text, NULL) != GNUTLS_E_SUCCESS)
        die("GnuTLS has not all of %s and %s", ciphers, groups);
    must(gnutls.certificate_allocate_credentials(&credentials), "set up TLS");
    server_name = client->name;
}

static void set_up(const struct options *options)
{
    const char *lacking = http3_load();
    if (lacking)
        die("%s", lacking);
    set_up_callbacks();
    set_up_tls(&options->tls_client);
    epoch_ns = now_ns();
    if (!timers_make(&timers, (uint32_t)options->connections))
        die("no memory for the connections' timers");
}

/* A connection. */

static void look_again(struct http3 *http3)
{
    uint64_t due_ns = quic.conn_get_expiry(http3->quic);
    uint64_t due_ms = due_ns > epoch_ns ? (due_ns - epoch_ns + NS_PER_MS - 1) / NS_PER_MS : 0;
    uint32_t number = (uint32_t)(http3->carrier.connection - http3->carrier.shard->connections);
    timers_set(&timers, number, due_ms < UINT32_MAX ? (uint32_t)due_ms : UINT32_MAX);
}

static uint64_t due(void)
{
    uint32_t due_ms = timers_next(&timers, UINT32_MAX);
    return due_ms == UINT32_MAX ? SCHEDULE_NEVER : epoch_ns + due_ms * NS_PER_MS;
}

static ngtcp2_conn *quic_of(ngtcp2_crypto_conn_ref *reference) { return ((struct http3 *)reference->user_data)->quic; }

static void begin_tls(struct http3 *http3)
{
    static unsigned char name[] = "h3";
    const gnutls_datum_t offered = {name, 2};
    must(gnutls.init(&http3->tls, GNUTLS_CLIENT), "begin TLS");
    must(gnutls.priority_set(http3->tls, priorities), "begin TLS");
    must(gnutls.credentials_set(http3->tls, GNUTLS_CRD_CERTIFICATE, credentials), "begin TLS");
    must(gnutls.alpn_set_protocols(http3->tls, &offered, 1, GNUTLS_ALPN_MANDATORY), "begin TLS");
    if (server_name)
        must(gnutls.server_name_set(http3->tls, GNUTLS_NAME_DNS, server_name, strlen(server_name)), "begin TLS");
    must(quic_crypto.gnutls_configure_client_session(http3->tls), "begin TLS");
    http3->reference = (ngtcp2_crypto_conn_ref){quic_of, http3};
    gnutls.session_set_ptr(http3->tls, &http3->reference);
}

static void begin_quic(struct http3 *http3, uint64_t now)
{
    ngtcp2_cid own, theirs;
    ngtcp2_settings settings;
    ngtcp2_transport_params params;
    give_connection_id(NULL, &own, (uint8_t[NGTCP2_STATELESS_RESET_TOKENLEN]){0}, ID_SIZE, NULL);
    give_connection_id(NULL, &theirs, (uint8_t[NGTCP2_STATELESS_RESET_TOKENLEN]){0}, NGTCP2_MIN_INITIAL_DCIDLEN, NULL);
    quic.settings_default_versioned(NGTCP2_SETTINGS_VERSION, &settings);
    settings.initial_ts = now;
    settings.max_tx_udp_payload_size = DATAGRAM;
    settings.no_pmtud = 1;
    quic.transport_params_default_versioned(NGTCP2_TRANSPORT_PARAMS_VERSION, &params);
    params.initial_max_data = params.initial_max_stream_data_bidi_local = params.initial_max_stream_data_uni = WINDOW;
    params.initial_max_streams_uni = 16; /* the server needs three */
    params.max_udp_payload_size = LARGEST_RECEIVED;
    must(quic.conn_client_new_versioned(&http3->quic, &theirs, &own, &http3->path, NGTCP2_PROTO_VER_V1,
                                        NGTCP2_CALLBACKS_VERSION, &quic_callbacks, NGTCP2_SETTINGS_VERSION, &settings,
                                        NGTCP2_TRANSPORT_PARAMS_VERSION, &params, NULL, http3),
         "begin a connection");
    quic.conn_set_tls_native_handle(http3->quic, http3->tls);
}

static ngtcp2_addr named(union address *address, socklen_t size)
{
    return (ngtcp2_addr){.addr = &address->any, .addrlen = size};
}

static void begin(struct shard *shard, struct connection *connection)
{
    struct http3 *http3 = calloc(1, sizeof *http3);
    socklen_t size = sizeof http3->local, remote_size = sizeof http3->remote;
    if (http3 == NULL)
        die("no memory for another connection");
    if (getsockname(connection->transport.socket, &http3->local.any, &size) != 0 ||
        getpeername(connection->transport.socket, &http3->remote.any, &remote_size) != 0)
        die_errno("a connection has no address");
    http3->path = (ngtcp2_path){named(&http3->local, size), named(&http3->remote, remote_size), NULL};
    begin_tls(http3);
    begin_quic(http3, now_ns());
    carrier_begin(&http3->carrier, shard, connection);
}

/* One by one, where the network card cannot cut them. */
static bool send_singly(int socket, const char *data, size_t size)
{
    for (size_t at = 0; at < size; at += DATAGRAM)
        if (send(socket, data + at, size - at < DATAGRAM ? size - at : DATAGRAM, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
            return false;
    return true;
}

/* Datagrams of DATAGRAM bytes each, the last one may be shorter. What the kernel has no room for is lost, as datagrams may
 * be. False: the server does not exist any more. */
static bool send_datagrams(int socket, char *data, size_t size)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(uint16_t))];
    } control = {.head = {.cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof(uint16_t))}};
    struct iovec piece = {data, size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (size > DATAGRAM) {
        memcpy(CMSG_DATA(&control.head), &(uint16_t){DATAGRAM}, sizeof(uint16_t));
        message.msg_control = &control;
        message.msg_controllen = sizeof control.room;
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) >= 0 || errno == EAGAIN || errno == ENOBUFS)
        return true;
    return errno == EIO && send_singly(socket, data, size);
}

/* The one that a stream carries, if it is not written yet. The newest come first: most are written at once. */
static struct request *unwritten(struct carrier *carrier, int64_t stream)
{
    for (struct request *one = carrier->youngest; one; one = one->older)
        if (one->stream == stream)
            return one->written ? NULL : one;
    return NULL;
}

/* So many bytes of a stream are in a datagram. */
static int account(struct http3 *http3, int64_t stream, ngtcp2_ssize taken, uint64_t now)
{
    if (taken < 0 || stream < 0)
        return 0;
    struct request *request = unwritten(&http3->carrier, stream);
    if (request != NULL)
        carrier_written(&http3->carrier, request, now);
    return nghttp3.conn_add_write_offset(http3->http, stream, (size_t)taken);
}

/* The next datagram: its bytes, 0 where there is none for now, or a negative error. */
static ngtcp2_ssize compose_datagram(struct http3 *http3, uint8_t *to, uint64_t now)
{
    for (;;) {
        nghttp3_vec pieces[MOST_PIECES];
        nghttp3_ssize count = 0;
        int64_t stream = -1;
        int ends = 0, failed = 0;
        ngtcp2_ssize taken = -1;
        if (http3->http && quic.conn_get_max_data_left(http3->quic))
            count = nghttp3.conn_writev_stream(http3->http, &stream, &ends, pieces, MOST_PIECES);
        if (count < 0)
            return NGTCP2_ERR_CALLBACK_FAILURE;
        uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_MORE | (ends ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0);
        ngtcp2_ssize size =
            quic.conn_writev_stream_versioned(http3->quic, NULL, NGTCP2_PKT_INFO_VERSION, NULL, to, DATAGRAM, &taken, flags,
                                              stream, (const ngtcp2_vec *)pieces, (size_t)count, now);
        if (size == NGTCP2_ERR_STREAM_DATA_BLOCKED)
            nghttp3.conn_block_stream(http3->http, stream);
        else if (size == NGTCP2_ERR_STREAM_SHUT_WR)
            nghttp3.conn_shutdown_stream_write(http3->http, stream);
        else if (size >= 0 || size == NGTCP2_ERR_WRITE_MORE)
            failed = account(http3, stream, taken, now);
        if (failed)
            return NGTCP2_ERR_CALLBACK_FAILURE;
        bool goes_on = size == NGTCP2_ERR_WRITE_MORE || size == NGTCP2_ERR_STREAM_DATA_BLOCKED ||
                       size == NGTCP2_ERR_STREAM_SHUT_WR;
        if (!goes_on)
            return size;
    }
}

/* As many as go out in one system call: their bytes, or a negative error. `more`: there may be others. */
static ngtcp2_ssize compose_datagrams(struct http3 *http3, char *to, uint64_t now, bool *more)
{
    ngtcp2_ssize size = 0, one = DATAGRAM;
    for (unsigned count = 0; count < MOST_WRITTEN && one == DATAGRAM; count++) {
        one = compose_datagram(http3, (uint8_t *)to + size, now);
        if (one < 0)
            return one;
        size += one;
    }
    *more = one > 0;
    return size;
}

/* How many requests it carries from now on. */
static void set_limit(struct http3 *http3)
{
    struct carrier *carrier = &http3->carrier;
    uint64_t wanted = carrier->shard->options->streams;
    uint64_t allowed = carrier->streams + quic.conn_get_streams_bidi_left(http3->quic);
    carrier->limit = allowed < wanted ? allowed : wanted;
}

static void flush(struct carrier *carrier)
{
    struct http3 *http3 = http3_of(carrier);
    char *buffer = carrier->shard->buffer;
    uint64_t now = now_ns();
    bool more = true;
    while (more) {
        ngtcp2_ssize size = compose_datagrams(http3, buffer, now, &more);
        if (size < 0) {
            carrier_not_spoken(carrier);
            return;
        }
        if (size && !send_datagrams(carrier->connection->transport.socket, buffer, (size_t)size)) {
            carrier_broken(carrier, COUNT_ERRORS_WRITE, carrier->requests);
            return;
        }
    }
    look_again(http3);
    set_limit(http3);
    carrier_settle(carrier, now);
}

/* False: the connection was let go. */
static bool take_in(struct http3 *http3, struct mmsghdr *messages, unsigned count)
{
    struct carrier *carrier = &http3->carrier;
    const ngtcp2_pkt_info info = {0};
    carrier->heard_ns = now_ns();
    for (unsigned i = 0; i < count; i++) {
        const struct iovec *piece = messages[i].msg_hdr.msg_iov;
        int result = quic.conn_read_pkt_versioned(http3->quic, &http3->path, NGTCP2_PKT_INFO_VERSION, &info, piece->iov_base,
                                                  messages[i].msg_len, carrier->heard_ns);
        if (result == NGTCP2_ERR_DRAINING || result == NGTCP2_ERR_CLOSING) { /* the server has ended the connection */
            carrier_broken(carrier, COUNT_ERRORS_READ, carrier->requests);
            return false;
        }
        if (result != 0) {
            carrier_not_spoken(carrier);
            return false;
        }
    }
    return true;
}

/* Take in what has come. False: the connection was let go. */
static bool receive(struct http3 *http3)
{
    struct carrier *carrier = &http3->carrier;
    struct iovec pieces[MOST_READ];
    struct mmsghdr messages[MOST_READ];
    int got;
    do {
        for (unsigned i = 0; i < MOST_READ; i++) {
            pieces[i] = (struct iovec){carrier->shard->buffer + i * ROOM, ROOM};
            messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &pieces[i], .msg_iovlen = 1}};
        }
        got = recvmmsg(carrier->connection->transport.socket, messages, MOST_READ, MSG_DONTWAIT, NULL);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (got < 0) { /* nobody listens there any more */
            carrier_broken(carrier, COUNT_ERRORS_READ, carrier->requests);
            return false;
        }
        if (!take_in(http3, messages, (unsigned)got))
            return false;
    } while (got == MOST_READ);
    return true;
}

static void record_handshake(struct shard *shard, const struct connection *connection)
{
    uint64_t took_us = (now_ns() - connection->dialed_ns) / NS_PER_US;
    histogram_add(&shard->block.histograms[HISTOGRAM_CONNECT], took_us); /* of QUIC both are one */
    histogram_add(&shard->block.histograms[HISTOGRAM_HANDSHAKE], took_us);
    word_add(&shard->counters[COUNT_HANDSHAKES], 1);
}

static void event(struct shard *shard, struct connection *connection, uint32_t events)
{
    (void)events;
    struct carrier *carrier = connection->carrier;
    struct http3 *http3 = http3_of(carrier);
    if (!receive(http3))
        return;
    if (connection->state == STATE_SETTLING && http3->shaken) {
        record_handshake(shard, connection);
        carrier_established(carrier);
    }
    carrier_want_flush(carrier);
    set_limit(http3);
    carrier_settle(carrier, now_ns());
}

static void turn(struct shard *shard, uint64_t now)
{
    uint32_t number, now_ms = (uint32_t)((now - epoch_ns) / NS_PER_MS);
    while (timers_take(&timers, now_ms, &number)) {
        struct carrier *carrier = shard->connections[number].carrier;
        if (carrier == NULL)
            continue;
        if (quic.conn_handle_expiry(http3_of(carrier)->quic, now) == 0)
            carrier_want_flush(carrier);
        else /* nothing has come for as long as both ends agreed on */
            carrier_broken(carrier, COUNT_ERRORS_READ, carrier->requests);
    }
}

static bool send_request(struct carrier *carrier, struct request *request)
{
    struct http3 *http3 = http3_of(carrier);
    const struct fields *fields = request->fields;
    const nghttp3_data_reader reader = {.read_data = on_body_wanted};
    request->stream = -1;
    return quic.conn_open_bidi_stream(http3->quic, &request->stream, request) == 0 &&
           nghttp3.conn_submit_request(http3->http, request->stream, (const nghttp3_nv *)fields->list, fields->count,
                                       fields->body_size ? &reader : NULL, request) == 0;
}

static void give_up(struct carrier *carrier, struct request *request)
{
    struct http3 *http3 = http3_of(carrier);
    forget_request(http3, request);
    nghttp3.conn_shutdown_stream_write(http3->http, request->stream);
    must(quic.conn_shutdown_stream(http3->quic, 0, request->stream, NGHTTP3_H3_REQUEST_CANCELLED), "give up a request");
}

/* So that the server does not wait for a client that is gone. */
static void say_goodbye(struct http3 *http3)
{
    ngtcp2_ccerr reason;
    uint8_t datagram[DATAGRAM];
    if (quic.conn_in_closing_period(http3->quic) || quic.conn_in_draining_period(http3->quic))
        return;
    quic.ccerr_default(&reason);
    quic.ccerr_set_application_error(&reason, NGHTTP3_H3_NO_ERROR, NULL, 0);
    ngtcp2_ssize size = quic.conn_write_connection_close_versioned(
        http3->quic, NULL, NGTCP2_PKT_INFO_VERSION, NULL, datagram, sizeof datagram, &reason, now_ns());
    if (size > 0) /* if it is lost, the server waits for as long as it does for idle clients */
        (void)!send(http3->carrier.connection->transport.socket, datagram, (size_t)size, MSG_NOSIGNAL);
}

static void end(struct carrier *carrier)
{
    struct http3 *http3 = http3_of(carrier);
    say_goodbye(http3);
    nghttp3.conn_del(http3->http);
    quic.conn_del(http3->quic);
    gnutls.deinit(http3->tls);
    free(http3);
}

const struct protocol http3_protocol = {
    .over_udp = true,
    .set_up = set_up,
    .begin = begin,
    .event = event,
    .send = send_request,
    .give_up = give_up,
    .flush = flush,
    .turn = turn,
    .due = due,
    .end = end,
};

#else

static void set_up(const struct options *options)
{
    (void)options;
    die("%s", http3_load());
}

const struct protocol http3_protocol = {.set_up = set_up}; /* which ends the process before anything else is called */

#endif
