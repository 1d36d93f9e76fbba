/* Frames of WebSocket as they arrive, piece by piece (RFC 6455, 5): where one ends, and what it is. */
#ifndef NGXLAB_WEBSOCKET_FRAMES_H
#define NGXLAB_WEBSOCKET_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_HEAD 14       /* bytes at most */
#define FRAME_CONTROL 125   /* bytes of a control frame's payload at most */

enum frame_opcode { FRAME_CONTINUED = 0, FRAME_TEXT = 1, FRAME_BINARY = 2, FRAME_CLOSE = 8, FRAME_PING = 9, FRAME_PONG = 10 };
enum frame_result { FRAME_MORE, FRAME_DONE, FRAME_GARBAGE };

struct frame {
    uint8_t head[FRAME_HEAD], held; /* its first bytes, as far as they have come */
    enum frame_opcode opcode;
    bool final;
    uint64_t left;                  /* of the payload */
    uint8_t control[FRAME_CONTROL], controlled; /* the payload of a control frame, unmasked */
};

static inline bool frame_is_control(const struct frame *frame) { return frame->opcode >= FRAME_CLOSE; }

/* Bytes of the head that begins so; 2 of them are enough to know. */
size_t frame_head_size(const uint8_t *head);

/* Of the payload, by a whole head. */
uint64_t frame_payload_size(const uint8_t *head);

/* Whether a frame may begin so: an opcode that there is, and no extension. Control frames are short and whole. */
bool frame_is_sound(const uint8_t *head);

/* The next one begins. */
void frame_begin(struct frame *frame);

/* Parse the next bytes of what a server sends; `used` is how many of them belong to this frame. A client's frames, which
   are masked, are garbage. */
enum frame_result frame_feed(struct frame *frame, const char *data, size_t size, size_t *used);

/* Write a control frame as a client sends it. Returns its bytes, at most FRAME_HEAD + FRAME_CONTROL. */
size_t frame_write_control(uint8_t *to, enum frame_opcode opcode, const uint8_t *payload, size_t size);

#endif
