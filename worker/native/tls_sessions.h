/* Sessions of earlier connections, of which a share of the handshakes offers one to the server. One process has one
   store. */
#ifndef NGXLAB_TLS_SESSIONS_H
#define NGXLAB_TLS_SESSIONS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

/* Keep what servers give; `share`: of the handshakes, how many offer it, 0 to 1; `early`: of these, how many send a request
   with their first message. */
void tls_sessions_begin(SSL_CTX *context, double share, double early);

/* Whether the next handshake is to offer a session: then it does, if there is one. */
void tls_sessions_offer(SSL *tls);

/* Whether this handshake, after what it offers, is to send a request of so many bytes early, and its session allows it. */
bool tls_sessions_early(SSL *tls, size_t size);

#endif
