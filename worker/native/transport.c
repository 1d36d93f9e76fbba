#include "transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "tls_sessions.h"

#define UDP_BUFFER (4 << 20) /* bytes, for bursts of answers */

static SSL_CTX *context;
static const char *server_name;

static void set_version(const char *version)
{
    int number = strcmp(version, "1.2") == 0 ? TLS1_2_VERSION : strcmp(version, "1.3") == 0 ? TLS1_3_VERSION : 0;
    if (!number || !SSL_CTX_set_min_proto_version(context, number) || !SSL_CTX_set_max_proto_version(context, number))
        die("OpenSSL has no TLS %s", version);
}

static void set_choices(const struct tls_client *client)
{
    if (client->version)
        set_version(client->version);
    if (client->by_id)
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    if (client->groups && SSL_CTX_set1_groups_list(context, client->groups) != 1)
        die("OpenSSL %s lacks a group of %s", OpenSSL_version(OPENSSL_VERSION_STRING), client->groups);
    if (client->ciphers && SSL_CTX_set_cipher_list(context, client->ciphers) != 1)
        die("OpenSSL has none of the ciphers %s", client->ciphers);
    if (client->suites && SSL_CTX_set_ciphersuites(context, client->suites) != 1)
        die("OpenSSL has none of the suites %s", client->suites);
    server_name = client->name;
}

const char *transport_lacks_groups(const char *groups)
{
    static char reason[200];
    SSL_CTX *tried = SSL_CTX_new(TLS_client_method());
    bool has = tried != NULL && SSL_CTX_set1_groups_list(tried, groups) == 1;
    SSL_CTX_free(tried);
    snprintf(reason, sizeof reason, "OpenSSL %s lacks %s", OpenSSL_version(OPENSSL_VERSION_STRING), groups);
    return has ? NULL : reason;
}

void transport_use_tls(bool http2, const struct tls_client *client)
{
    static const unsigned char offered[] = {2, 'h', '2'};
    context = SSL_CTX_new(TLS_client_method());
    if (context == NULL)
        die("OpenSSL cannot be set up");
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    tls_sessions_begin(context, client->resumed, client->early);
    set_choices(client);
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    if (http2 && SSL_CTX_set_alpn_protos(context, offered, sizeof offered) != 0)
        die("OpenSSL cannot ask for HTTP/2");
}

bool transport_speaks_http2(const struct transport *transport)
{
    const unsigned char *chosen;
    unsigned size;
    SSL_get0_alpn_selected(transport->tls, &chosen, &size);
    return size == 2 && chosen[0] == 'h' && chosen[1] == '2';
}

bool transport_early_taken(const struct transport *transport)
{
    return transport->early_ns && SSL_get_early_data_status(transport->tls) == SSL_EARLY_DATA_ACCEPTED;
}

bool transport_resumed(const struct transport *transport) { return SSL_session_reused(transport->tls) == 1; }

bool transport_open(struct transport *transport, const union address *address, int receive_buffer)
{
    int opened = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    if (opened < 0)
        return false;
    setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer) /* before it connects, or the window offered then is larger, and so are segments */
        setsockopt(opened, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (connect(opened, &address->any, address_size(address)) != 0 && errno != EINPROGRESS) {
        int reason = errno;
        close(opened);
        errno = reason;
        return false;
    }
    *transport = (struct transport){.socket = opened};
    return true;
}

bool transport_open_udp(struct transport *transport, const union address *address)
{
    int opened = socket(address->any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), bytes = UDP_BUFFER;
    if (opened < 0)
        return false;
    setsockopt(opened, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes); /* or what the kernel allows */
    setsockopt(opened, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    *transport = (struct transport){.socket = opened};
    return connect(opened, &address->any, address_size(address)) == 0;
}

static enum transfer outcome_of_tls(const struct transport *transport, int result)
{
    switch (SSL_get_error(transport->tls, result)) {
    case SSL_ERROR_WANT_READ:
        return TRANSFER_WANTS_READ;
    case SSL_ERROR_WANT_WRITE:
        return TRANSFER_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return TRANSFER_CLOSED;
    default:
        return TRANSFER_FAILED;
    }
}

static void begin_tls(struct transport *transport)
{
    transport->tls = SSL_new(context);
    if (transport->tls == NULL)
        die("OpenSSL has no memory for another connection");
    if (transport->line == NULL) {
        if (SSL_set_fd(transport->tls, transport->socket) != 1)
            die("OpenSSL has no memory for another connection");
        return;
    }
    struct bio_st *layer = line_layer(transport->line);
    SSL_set_bio(transport->tls, layer, layer);
}

/* With the first message, which carries it. */
static enum transfer send_early(struct transport *transport, const char *request, size_t size)
{
    size_t put;
    ERR_clear_error();
    int result = SSL_write_early_data(transport->tls, request, size, &put);
    if (result != 1)
        return outcome_of_tls(transport, result);
    transport->early_ns = now_ns();
    return TRANSFER_OK;
}

enum transfer transport_shake_hands(struct transport *transport, bool tls, const char *request, size_t size)
{
    if (transport->line == NULL && lines_round_trip_ns())
        transport->line = line_open(transport->socket);
    if (!tls)
        return TRANSFER_OK;
    if (transport->tls == NULL) {
        begin_tls(transport);
        if (server_name && SSL_set_tlsext_host_name(transport->tls, server_name) != 1)
            die("OpenSSL does not take the name %s", server_name);
        tls_sessions_offer(transport->tls);
        transport->offers_early = request && tls_sessions_early(transport->tls, size);
        transport->hello_ns = now_ns();
    }
    if (transport->offers_early && !transport->early_ns) {
        enum transfer result = send_early(transport, request, size);
        if (result != TRANSFER_OK)
            return result;
    }
    ERR_clear_error();
    int result = SSL_connect(transport->tls);
    return result == 1 ? TRANSFER_OK : outcome_of_tls(transport, result);
}

enum transfer transport_read(struct transport *transport, char *data, size_t size, size_t *got)
{
    *got = 0;
    if (transport->tls != NULL) {
        ERR_clear_error();
        int result = SSL_read_ex(transport->tls, data, size, got);
        return result == 1 ? TRANSFER_OK : outcome_of_tls(transport, result);
    }
    ssize_t result = recv(transport->socket, data, size, 0);
    if (result < 0)
        return errno == EAGAIN || errno == EINTR ? TRANSFER_WANTS_READ : TRANSFER_FAILED;
    *got = (size_t)result;
    return result ? TRANSFER_OK : TRANSFER_CLOSED;
}

enum transfer transport_write(struct transport *transport, const char *data, size_t size, size_t *put)
{
    *put = 0;
    if (transport->tls != NULL) {
        ERR_clear_error();
        int result = SSL_write_ex(transport->tls, data, size, put);
        return result == 1 ? TRANSFER_OK : outcome_of_tls(transport, result);
    }
    if (transport->line != NULL) {
        line_send(transport->line, data, size);
        *put = size;
        return TRANSFER_OK;
    }
    ssize_t result = send(transport->socket, data, size, MSG_NOSIGNAL);
    if (result < 0)
        return errno == EAGAIN || errno == EINTR ? TRANSFER_WANTS_WRITE : TRANSFER_FAILED;
    *put = (size_t)result;
    return TRANSFER_OK;
}

bool transport_has_more(const struct transport *transport)
{
    return transport->tls != NULL && SSL_pending(transport->tls) > 0;
}

void transport_close(struct transport *transport)
{
    if (transport->tls != NULL) { /* no close_notify, which the peer does not need; as if, or the session would be void */
        SSL_set_shutdown(transport->tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        SSL_free(transport->tls);
    }
    if (transport->line != NULL)
        line_close(transport->line);
    else
        close(transport->socket);
    *transport = (struct transport){.socket = -1};
}
