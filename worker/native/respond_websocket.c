/* WebSocket (RFC 6455) as an upstream server that sends each message back, frame by frame. Whoever asks by plain HTTP gets
   its counts. */
#include "respond.h"

#include "websocket_frames.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#define MASK_BYTES 4
#define LARGEST_REQUEST 16384
#define LARGEST_KEY 64
#define KEPT_ROOM 16384 /* of a connection without a message */
#define KEY_SUFFIX "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/* Of all processes. */
static struct {
    _Atomic uint64_t connections, messages;
} *counted;

bool websocket_make(void)
{
    counted = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return counted != MAP_FAILED;
}

/* Bytes of the HTTP request that begins here; 0: it is not whole. */
static size_t request_size(const struct request *request)
{
    const uint8_t *end = memmem(request->head, request->held, "\r\n\r\n", 4);
    return end ? (size_t)(end - request->head) + 4 : 0;
}

/* What has come is the first frame, or more. */
static enum progress frame_progress(const struct request *request)
{
    const uint8_t *head = request->head;
    if (request->held < 2)
        return MORE;
    if (!frame_is_sound(head) || !(head[1] & 0x80))
        return WRONG; /* a client masks its frames */
    size_t headed = frame_head_size(head);
    if (request->held < headed)
        return MORE;
    uint64_t size = frame_payload_size(head);
    if (size > LARGEST_MESSAGE)
        return WRONG;
    return request->held < headed + size ? MORE : WHOLE;
}

enum progress websocket_whole(const struct request *request)
{
    if (request->upgraded)
        return frame_progress(request);
    return request_size(request) ? WHOLE : request->held < LARGEST_REQUEST ? MORE : WRONG;
}

enum progress websocket_read(struct request *request, const uint8_t *data, size_t size)
{
    if (request->held + size > LARGEST_HELD || !request_hold(request, &data, &size, request->held + size))
        return WRONG;
    return websocket_whole(request);
}

/* The value of a header, which ends its line; 0 bytes where there is none. */
static size_t header(const struct request *request, size_t whole, const char *name, const char **value)
{
    const char *at = (const char *)request->head, *end = at + whole;
    size_t named = strlen(name);
    while ((at = memchr(at, '\n', (size_t)(end - at))) && (size_t)(end - ++at) > named) {
        if (strncasecmp(at, name, named) || at[named] != ':')
            continue;
        *value = at + named + 1;
        while (**value == ' ')
            ++*value;
        return strcspn(*value, "\r\n");
    }
    return 0;
}

static size_t accepting(const char *key, size_t size, char *prefix)
{
    char keyed[LARGEST_KEY + sizeof KEY_SUFFIX];
    unsigned char digest[SHA_DIGEST_LENGTH], encoded[4 * (SHA_DIGEST_LENGTH / 3 + 1) + 1];
    memcpy(keyed, key, size);
    memcpy(keyed + size, KEY_SUFFIX, sizeof KEY_SUFFIX - 1);
    SHA1((const unsigned char *)keyed, size + sizeof KEY_SUFFIX - 1, digest);
    EVP_EncodeBlock(encoded, digest, sizeof digest);
    return (size_t)snprintf(prefix, LARGEST_PREFIX,
                            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Accept: %s\r\n\r\n",
                            (const char *)encoded);
}

static size_t counts(char *prefix)
{
    char body[80];
    int size = snprintf(body, sizeof body, "connections %llu\nmessages %llu\n", (unsigned long long)counted->connections,
                        (unsigned long long)counted->messages);
    return (size_t)snprintf(prefix, LARGEST_PREFIX,
                            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", size, body);
}

/* The request that stands first is answered, and what comes after it stays. */
static size_t answer_request(struct request *request, char *prefix)
{
    const char *key, *protocol;
    size_t whole = request_size(request), size = header(request, whole, "Sec-WebSocket-Key", &key);
    bool is_asked = header(request, whole, "Upgrade", &protocol) > 0; /* the key alone may have come through nginx */
    request->upgraded = is_asked && size > 0 && size <= LARGEST_KEY;
    request->taken = (uint32_t)whole;
    request->keep = true;
    if (!request->upgraded)
        return counts(prefix);
    counted->connections++;
    return accepting(key, size, prefix);
}

/* A server's frame has no mask: its head moves to where the payload begins, which is unmasked in its place. */
static size_t answer_frame(struct request *request, const uint8_t **body)
{
    uint8_t *head = request->head;
    size_t headed = frame_head_size(head) - MASK_BYTES, size = (size_t)frame_payload_size(head);
    unsigned opcode = head[0] & 0x0f;
    uint8_t mask[MASK_BYTES], *payload = head + headed + MASK_BYTES;
    memcpy(mask, head + headed, sizeof mask);
    for (size_t i = 0; i < size; i++)
        payload[i] ^= mask[i % MASK_BYTES];
    if (opcode == FRAME_PING)
        head[0] = 0x80 | FRAME_PONG;
    if (opcode < FRAME_CLOSE && head[0] & 0x80)
        counted->messages++;
    head[1] &= 0x7f;
    memmove(head + MASK_BYTES, head, headed);
    *body = head + MASK_BYTES;
    request->taken = (uint32_t)(headed + MASK_BYTES + size);
    request->keep = opcode != FRAME_CLOSE;
    return opcode == FRAME_PONG ? 0 : headed + size;
}

bool websocket_is_message(const struct request *request)
{
    return request->upgraded && (request->head[0] & 0x0f) < FRAME_CLOSE;
}

size_t websocket_answer(struct request *request, char *prefix, const uint8_t **body, size_t *size)
{
    *size = 0;
    if (!request->upgraded)
        return answer_request(request, prefix);
    *size = answer_frame(request, body);
    return 0;
}

void websocket_next(struct request *request)
{
    request->held -= request->taken;
    memmove(request->head, request->head + request->taken, request->held);
    request->taken = 0;
    if (request->held || request->room <= KEPT_ROOM)
        return;
    free(request->head);
    request->head = NULL;
    request->room = 0;
}
