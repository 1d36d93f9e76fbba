#include "transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

static SSL_CTX *context;

void transport_use_tls(bool http2)
{
    static const unsigned char offered[] = {2, 'h', '2'};
    context = SSL_CTX_new(TLS_client_method());
    if (context == NULL)
        die("OpenSSL cannot be set up");
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); /* every handshake is a full one */
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

bool transport_open(struct transport *transport, const union address *address)
{
    int opened = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    if (opened < 0)
        return false;
    setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(opened, &address->any, address_size(address)) != 0 && errno != EINPROGRESS) {
        int reason = errno;
        close(opened);
        errno = reason;
        return false;
    }
    *transport = (struct transport){.socket = opened};
    return true;
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

enum transfer transport_shake_hands(struct transport *transport, bool tls)
{
    if (!tls)
        return TRANSFER_OK;
    if (transport->tls == NULL) {
        transport->tls = SSL_new(context);
        if (transport->tls == NULL || SSL_set_fd(transport->tls, transport->socket) != 1)
            die("OpenSSL has no memory for another connection");
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
    SSL_free(transport->tls); /* without a close_notify, which the peer does not need */
    close(transport->socket);
    *transport = (struct transport){.socket = -1};
}
