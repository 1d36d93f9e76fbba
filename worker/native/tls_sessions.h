/* Sessions of earlier connections, of which a share of the handshakes offers one to the server. One process has one
   store. */
#ifndef NGXLAB_TLS_SESSIONS_H
#define NGXLAB_TLS_SESSIONS_H

#include <openssl/ssl.h>

/* Keep what servers give; `share`: of the handshakes, how many offer it, 0 to 1. */
void tls_sessions_begin(SSL_CTX *context, double share);

/* Whether the next handshake is to offer a session: then it does, if there is one. */
void tls_sessions_offer(SSL *tls);

#endif
