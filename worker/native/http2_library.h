/* libnghttp2, loaded when a stream speaks HTTP/2: a host without it runs all other streams. */
#ifndef NGXLAB_HTTP2_LIBRARY_H
#define NGXLAB_HTTP2_LIBRARY_H

#include <stdbool.h>

#if __has_include(<nghttp2/nghttp2.h>)
#define HTTP2_BUILT 1
#include <nghttp2/nghttp2.h>

#define HTTP2_FUNCTIONS(each)                                                                                          \
    each(session_callbacks_new) each(session_callbacks_del) each(session_callbacks_set_on_frame_recv_callback)         \
    each(session_callbacks_set_on_header_callback) each(session_callbacks_set_on_stream_close_callback)                \
    each(session_client_new) each(session_del) each(session_mem_recv) each(session_mem_send) each(session_want_read)   \
    each(session_want_write)                                                                                           \
    each(session_get_remote_settings) each(session_get_stream_user_data) each(session_set_stream_user_data)            \
    each(session_set_local_window_size) each(submit_request) each(submit_rst_stream) each(submit_settings)             \
    each(strerror)

/* `nghttp2.submit_request(…)` is nghttp2_submit_request(…). */
struct http2_library {
#define HTTP2_MEMBER(name) __typeof__(nghttp2_##name) *name;
    HTTP2_FUNCTIONS(HTTP2_MEMBER)
#undef HTTP2_MEMBER
};

extern struct http2_library nghttp2;
#endif

/* Once a process, before the first connection. NULL, or what is missing and how to get it. */
const char *http2_load(void);

#endif
