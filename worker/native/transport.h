/* A connection's bytes, plain or in TLS. Nothing here blocks. */
#ifndef NGXLAB_TRANSPORT_H
#define NGXLAB_TRANSPORT_H

#include "program.h"

struct transport {
    int socket; /* -1: closed */
    struct ssl_st *tls;
};

enum transfer { TRANSFER_OK, TRANSFER_WANTS_READ, TRANSFER_WANTS_WRITE, TRANSFER_CLOSED, TRANSFER_FAILED };

/* Once a process, before the first connection in TLS. Certificates are not verified: they are the trial's own. HTTP/2
   is asked for by ALPN; for HTTP/1.1 nothing is. */
void transport_use_tls(bool http2);

/* Whether the server has chosen HTTP/2, once hands are shaken in TLS. */
bool transport_speaks_http2(const struct transport *transport);

/* Begin to connect; false with errno where that fails at once. It is connected when it becomes writable. */
bool transport_open(struct transport *transport, const union address *address);

/* Client's part of the handshake; TRANSFER_OK at once without TLS. */
enum transfer transport_shake_hands(struct transport *transport, bool tls);

enum transfer transport_read(struct transport *transport, char *data, size_t size, size_t *got);
enum transfer transport_write(struct transport *transport, const char *data, size_t size, size_t *put);

/* Bytes that have come and been decrypted, but not read: the socket will not tell of them. */
bool transport_has_more(const struct transport *transport);

void transport_close(struct transport *transport);

#endif
