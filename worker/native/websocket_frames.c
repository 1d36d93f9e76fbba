#include "websocket_frames.h"

#include <string.h>

#define MASKED 0x80

size_t frame_head_size(const uint8_t *head)
{
    size_t length = head[1] & 0x7f;
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (head[1] & MASKED ? 4 : 0);
}

uint64_t frame_payload_size(const uint8_t *head)
{
    uint64_t size = head[1] & 0x7f;
    size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!more)
        return size;
    size = 0;
    for (size_t i = 0; i < more; i++)
        size = size << 8 | head[2 + i];
    return size;
}

bool frame_is_sound(const uint8_t *head)
{
    unsigned opcode = head[0] & 0x0f;
    bool is_final = head[0] & 0x80, is_control = opcode >= FRAME_CLOSE;
    if (head[0] & 0x70 || opcode > FRAME_PONG || (opcode > FRAME_BINARY && !is_control))
        return false;
    return !is_control || (is_final && (head[1] & 0x7f) <= FRAME_CONTROL);
}

void frame_begin(struct frame *frame)
{
    frame->held = frame->controlled = 0;
    frame->left = 0;
}

/* The head is whole. */
static bool take_head(struct frame *frame)
{
    frame->opcode = (enum frame_opcode)(frame->head[0] & 0x0f);
    frame->final = frame->head[0] & 0x80;
    frame->left = frame_payload_size(frame->head);
    return frame->left < UINT64_C(1) << 63;
}

static bool head_is_whole(const struct frame *frame)
{
    return frame->held >= 2 && frame->held == frame_head_size(frame->head);
}

enum frame_result frame_feed(struct frame *frame, const char *data, size_t size, size_t *used)
{
    *used = 0;
    while (!head_is_whole(frame)) {
        if (*used == size)
            return FRAME_MORE;
        frame->head[frame->held++] = (uint8_t)data[(*used)++];
        if (frame->held == 2 && (!frame_is_sound(frame->head) || frame->head[1] & MASKED))
            return FRAME_GARBAGE;
        if (head_is_whole(frame) && !take_head(frame))
            return FRAME_GARBAGE;
    }
    size_t taken = size - *used < frame->left ? size - *used : (size_t)frame->left;
    if (frame_is_control(frame)) {
        memcpy(frame->control + frame->controlled, data + *used, taken);
        frame->controlled += (uint8_t)taken;
    }
    frame->left -= taken;
    *used += taken;
    return frame->left ? FRAME_MORE : FRAME_DONE;
}

/* With a mask of zeros, which leaves the payload as it is. */
size_t frame_write_control(uint8_t *to, enum frame_opcode opcode, const uint8_t *payload, size_t size)
{
    const uint8_t head[6] = {0x80 | (uint8_t)opcode, MASKED | (uint8_t)size};
    memcpy(to, head, sizeof head);
    memcpy(to + sizeof head, payload, size);
    return sizeof head + size;
}
