/* libngtcp2, libnghttp3 and GnuTLS, loaded when a stream speaks HTTP/3: a host without them runs all other streams. */
#ifndef NGXLAB_HTTP3_LIBRARY_H
#define NGXLAB_HTTP3_LIBRARY_H

#if __has_include(<ngtcp2/ngtcp2.h>) && __has_include(<ngtcp2/ngtcp2_crypto_gnutls.h>) && __has_include(<nghttp3/nghttp3.h>)
#include <nghttp3/nghttp3.h>
#include <ngtcp2/ngtcp2.h>
#if NGTCP2_VERSION_NUM >= 0x010200 && NGHTTP3_VERSION_NUM >= 0x010100 /* older ones are spoken to otherwise */
#define HTTP3_BUILT 1
#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#define QUIC_FUNCTIONS(each)                                                                                           \
    each(ccerr_default) each(ccerr_set_application_error) each(cid_init) each(conn_client_new_versioned)               \
    each(conn_del) each(conn_extend_max_offset) each(conn_extend_max_stream_offset) each(conn_get_expiry)              \
    each(conn_get_max_data_left) each(conn_get_streams_bidi_left)                      \
    each(conn_handle_expiry) each(conn_in_closing_period) each(conn_in_draining_period) each(conn_open_bidi_stream)    \
    each(conn_open_uni_stream) each(conn_read_pkt_versioned) each(conn_set_stream_user_data)                           \
    each(conn_set_tls_native_handle) each(conn_shutdown_stream) each(conn_write_connection_close_versioned)            \
    each(conn_writev_stream_versioned) each(settings_default_versioned) each(strerror)              \
    each(transport_params_default_versioned)

#define QUIC_CRYPTO_FUNCTIONS(each)                                                                                    \
    each(client_initial_cb) each(decrypt_cb) each(delete_crypto_aead_ctx_cb) each(delete_crypto_cipher_ctx_cb)         \
    each(encrypt_cb) each(get_path_challenge_data_cb) each(gnutls_configure_client_session) each(hp_mask_cb)           \
    each(recv_crypto_data_cb) each(recv_retry_cb) each(update_key_cb) each(version_negotiation_cb)

#define HTTP3_FUNCTIONS(each)                                                                                          \
    each(conn_add_ack_offset) each(conn_add_write_offset) each(conn_bind_control_stream)                               \
    each(conn_bind_qpack_streams) each(conn_block_stream) each(conn_client_new_versioned) each(conn_close_stream)      \
    each(conn_del) each(conn_read_stream) each(conn_set_stream_user_data) each(conn_shutdown_stream_read)              \
    each(conn_shutdown_stream_write) each(conn_submit_request) each(conn_unblock_stream) each(conn_writev_stream)      \
    each(rcbuf_get_buf) each(settings_default_versioned) each(strerror)

#define GNUTLS_FUNCTIONS(each)                                                                                         \
    each(alpn_set_protocols) each(certificate_allocate_credentials) each(credentials_set) each(deinit) each(init)      \
    each(priority_init) each(priority_set) each(server_name_set) each(session_set_ptr) each(strerror)

/* `quic.conn_del(…)` is ngtcp2_conn_del(…), and so on. */
#define QUIC_MEMBER(name) __typeof__(ngtcp2_##name) *name;
#define QUIC_CRYPTO_MEMBER(name) __typeof__(ngtcp2_crypto_##name) *name;
#define HTTP3_MEMBER(name) __typeof__(nghttp3_##name) *name;
#define GNUTLS_MEMBER(name) __typeof__(gnutls_##name) *name;

extern struct quic_library { QUIC_FUNCTIONS(QUIC_MEMBER) } quic;
extern struct quic_crypto_library { QUIC_CRYPTO_FUNCTIONS(QUIC_CRYPTO_MEMBER) } quic_crypto;
extern struct http3_library { HTTP3_FUNCTIONS(HTTP3_MEMBER) } nghttp3;
extern struct gnutls_library { GNUTLS_FUNCTIONS(GNUTLS_MEMBER) } gnutls;
#endif
#endif

/* Once a process, before the first connection. NULL, or what is missing and how to get it. */
const char *http3_load(void);

#endif
