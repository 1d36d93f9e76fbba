#include "tls_sessions.h"

#include "program.h"

#define KEPT 256 /* the newest; a server gives a new one with each full handshake, with TLS 1.3 with every one */

static SSL_SESSION *kept[KEPT];
static size_t count;
struct spread {
    double share, credit;
};

static struct spread resumed, early;

static int keep(SSL *tls, SSL_SESSION *session)
{
    (void)tls;
    if (count == KEPT) {
        SSL_SESSION_free(kept[0]);
        for (size_t i = 1; i < KEPT; i++)
            kept[i - 1] = kept[i];
        count--;
    }
    kept[count++] = session;
    return 1; /* it is ours now */
}

void tls_sessions_begin(SSL_CTX *context, double share, double early_share)
{
    resumed.share = share;
    early.share = early_share;
    if (share <= 0) {
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); /* every handshake is a full one */
        return;
    }
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, keep);
}

/* Evenly spread: of any n handshakes in a row, the share within one. */
static bool is_due(struct spread *spread)
{
    spread->credit += spread->share;
    if (spread->credit < 1 - 1e-9)
        return false;
    spread->credit -= 1;
    return true;
}

void tls_sessions_offer(SSL *tls)
{
    if (!is_due(&resumed) || !count)
        return;
    SSL_SESSION *newest = kept[count - 1];
    bool for_one = SSL_SESSION_get_protocol_version(newest) >= TLS1_3_VERSION;
    /* A ticket of TLS 1.3 is for one connection (RFC 8446, C.4), which gives another; one of TLS 1.2 serves many. A server
     * that has answered early data may close before it gives another: then the last one is kept, and a copy is offered,
     * since OpenSSL offers none twice. */
    SSL_SESSION *offered = for_one && count == 1 ? SSL_SESSION_dup(newest) : newest;
    if (offered == NULL || SSL_set_session(tls, offered) != 1)
        die("OpenSSL does not take its own session");
    if (!for_one)
        return;
    SSL_SESSION_free(offered);
    if (offered == newest)
        count--;
}

bool tls_sessions_early(SSL *tls, size_t size)
{
    const SSL_SESSION *offered = SSL_get_session(tls);
    return offered && SSL_SESSION_get_max_early_data(offered) >= size && is_due(&early);
}
