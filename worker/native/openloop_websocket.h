/* WebSocket on the open-loop engine's connections (RFC 6455): each is opened by an Upgrade of HTTP/1.1 and then held. A
 * request of the schedule is a message, one frame that is made beforehand; the next whole message on its connection is its
 * answer. A connection carries one at a time, and connections take turns, so that each has one every connections / rate.
 *
 * A handshake that is answered otherwise is a connect that failed. Pings are answered; a connection that the server ends is
 * opened anew. */
#ifndef NGXLAB_OPENLOOP_WEBSOCKET_H
#define NGXLAB_OPENLOOP_WEBSOCKET_H

#include "openloop.h"

/* The connection is open: ask for the upgrade. */
void websocket_begin(struct shard *shard, struct connection *connection);

/* Something happens before it is upgraded. */
void websocket_event(struct shard *shard, struct connection *connection, uint32_t events);

/* Send what is left of a control frame; nothing else goes before it. */
enum transfer websocket_say(struct connection *connection);

/* Take what has come into the shard's buffer. False: the connection is not to be read any more. */
bool websocket_take(struct shard *shard, struct connection *connection, size_t size);

#endif
