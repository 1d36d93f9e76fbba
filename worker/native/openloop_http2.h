/* HTTP/2 on the open-loop engine's connections (RFC 9113). Each carries up to `options.streams` requests at once, or as
 * many as its server allows if those are fewer. Priorities are off, nothing is pushed, and the windows of flow control
 * (HTTP2_WINDOW, for each request and for the connection) are so large that no answer waits for us.
 *
 * A server that ends a connection in order (GOAWAY) names the last request that it has looked at. Later ones were never
 * processed: they are sent again on another connection, still counted from when they were due. The connection is
 * closed once its last answer has come, and opened anew. */
#ifndef NGXLAB_OPENLOOP_HTTP2_H
#define NGXLAB_OPENLOOP_HTTP2_H

#include "openloop.h"

#define HTTP2_WINDOW ((1 << 30) - 1) /* bytes */

/* Load the library, and take the requests: each is pairs of a header's name and its value (pseudo-headers first), each ended by a
 * zero byte, an empty name, and the body. Ends the process with a message where either cannot be. */
void http2_set_up(const struct options *options);

/* The handshake is over: say the preface, and await the server's. */
void http2_begin(struct shard *shard, struct connection *connection);

void http2_event(struct shard *shard, struct connection *connection, uint32_t events);
void http2_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now);

/* Send the first of the returned requests. */
void http2_repeat_request(struct shard *shard, struct connection *connection);

/* One of the requests in `sent` or `returned` has waited too long. */
void http2_time_out(struct shard *shard, struct link *link, uint64_t now);

/* Write what all connections have to say. */
void http2_flush(struct shard *shard);

/* The connection is let go; requests that it still has are not counted here. */
void http2_forget(struct shard *shard, struct connection *connection);

#endif
