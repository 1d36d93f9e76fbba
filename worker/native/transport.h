/* A connection's bytes, plain or in TLS. Nothing here blocks. */
#ifndef NGXLAB_TRANSPORT_H
#define NGXLAB_TRANSPORT_H

#include "program.h"

struct transport {
    int socket; /* -1: closed */
    struct ssl_st *tls;
    uint64_t hello_ns;  /* when the handshake began */
    uint64_t early_ns;  /* when a request was sent with its first message; 0: none was */
    bool offers_early;  /* to be sent so */
    struct line *line;  /* with a round trip; NULL: there is none, or the socket is not connected yet */
};

/* What the clients bring to TLS. A text that is NULL leaves the choice to OpenSSL. */
struct tls_client {
    double resumed;      /* of the handshakes, the share that offers the session of an earlier one: 0 to 1 */
    double early;        /* of those that offer one, the share whose request goes with their first message (0-RTT) */
    bool by_id;          /* sessions of TLS 1.2 by their ids, without tickets */
    const char *version; /* "1.2" or "1.3"; NULL: the newest that both ends have */
    const char *groups, *ciphers, *suites; /* OpenSSL's lists; the ciphers are those up to TLS 1.2, the suites of 1.3 */
    const char *name;    /* of the server, as it is said in the handshake (SNI); NULL: none */
};

enum transfer { TRANSFER_OK, TRANSFER_WANTS_READ, TRANSFER_WANTS_WRITE, TRANSFER_CLOSED, TRANSFER_FAILED };

/* Once a process, before the first connection in TLS. Certificates are not verified: they are the trial's own. HTTP/2
   is asked for by ALPN; for HTTP/1.1 nothing is. Ends the process with a message where OpenSSL lacks something. */
void transport_use_tls(bool http2, const struct tls_client *client);

/* NULL, or what OpenSSL lacks for handshakes with these groups. */
const char *transport_lacks_groups(const char *groups);

/* Whether the server has chosen HTTP/2, once hands are shaken in TLS. */
bool transport_speaks_http2(const struct transport *transport);

/* Begin to connect; false with errno where that fails at once. It is connected when it becomes writable.
   `receive_buffer`: of the socket, bytes, which the kernel doubles for its own needs; 0: as it likes. */
bool transport_open(struct transport *transport, const union address *address, int receive_buffer);

/* A socket of UDP for that address alone; false with errno where there is none. */
bool transport_open_udp(struct transport *transport, const union address *address);

/* Whether the server has taken the session that was offered, once hands are shaken. */
bool transport_resumed(const struct transport *transport);

/* Client's part of the handshake; TRANSFER_OK at once without TLS. `request`: what may be sent with its first message,
   the same at each call; NULL: nothing. */
enum transfer transport_shake_hands(struct transport *transport, bool tls, const char *request, size_t size);

/* Whether the server has taken the request with the first message, once hands are shaken: it is sent. */
bool transport_early_taken(const struct transport *transport);

enum transfer transport_read(struct transport *transport, char *data, size_t size, size_t *got);
enum transfer transport_write(struct transport *transport, const char *data, size_t size, size_t *put);

/* Bytes that have come and been decrypted, but not read: the socket will not tell of them. */
bool transport_has_more(const struct transport *transport);

void transport_close(struct transport *transport);

#endif
