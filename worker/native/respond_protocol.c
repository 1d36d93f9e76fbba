/* The protocols of respond.h, as nginx speaks them.
   FastCGI: FastCGI Specification 1.0. uwsgi: uwsgi-docs, "The uwsgi Protocol". SCGI: python.ca/scgi/protocol.txt.
   memcached: doc/protocol.txt of memcached. */
#include "respond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_HEADER 8
#define LARGEST_CONTENT 65528 /* a multiple of 8, so that no record needs padding */
#define BODY_LENGTH "CONTENT_LENGTH"

enum record { BEGIN_REQUEST = 1, ABORT_REQUEST = 2, END_REQUEST = 3, STDIN = 5, STDOUT = 6 };

static size_t least(size_t one, size_t other) { return one < other ? one : other; }

bool request_hold(struct request *request, const uint8_t **data, size_t *size, size_t wanted)
{
    size_t taken = wanted > request->held ? least(*size, wanted - request->held) : 0;
    if (request->held + taken > request->room) {
        uint32_t room = (uint32_t)(request->held + taken + 512);
        uint8_t *larger = realloc(request->head, room);
        if (!larger)
            return false;
        request->head = larger;
        request->room = room;
    }
    if (taken)
        memcpy(request->head + request->held, *data, taken);
    request->held += (uint32_t)taken;
    *data += taken;
    *size -= taken;
    return true;
}

/* Likewise. False where that is too many. */
static bool hold(struct request *request, const uint8_t **data, size_t *size, size_t wanted)
{
    return wanted <= LARGEST_HEAD + RECORD_HEADER && request_hold(request, data, size, wanted);
}

static void skip(struct request *request, const uint8_t **data, size_t *size)
{
    size_t taken = request->left < *size ? (size_t)request->left : *size;
    request->left -= taken;
    *data += taken;
    *size -= taken;
}

/* The number that `text` is, up to its first other character. */
static uint64_t number_of(const uint8_t *text, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size && text[i] >= '0' && text[i] <= '9' && number < UINT64_C(1) << 50; i++)
        number = 10 * number + (uint64_t)(text[i] - '0');
    return number;
}

static enum progress whole(const struct request *request, size_t size)
{
    if (request->left)
        return MORE;
    return size ? WRONG : WHOLE; /* nginx asks for nothing more before it has its answer */
}

/* Only the beginning of a request and the end of its body matter; the rest is skipped record by record. */
static enum progress read_fastcgi(struct request *request, const uint8_t *data, size_t size)
{
    for (;;) {
        skip(request, &data, &size);
        if (request->left)
            return MORE;
        if (request->in_body)
            return whole(request, size);
        if (!hold(request, &data, &size, RECORD_HEADER))
            return WRONG;
        if (request->held < RECORD_HEADER)
            return MORE;
        const uint8_t *record = request->head;
        size_t content = (size_t)record[4] << 8 | record[5];
        if (record[0] != 1 || record[1] == ABORT_REQUEST)
            return WRONG;
        if (record[1] == BEGIN_REQUEST) {
            if (content != RECORD_HEADER || record[2] || record[3] != 1 || !hold(request, &data, &size, 16))
                return WRONG;
            if (request->held < 16)
                return MORE;
            request->keep = request->head[RECORD_HEADER + 2] & 1;
            request->left = request->head[6];
        } else {
            request->left = content + record[6];
            request->in_body = record[1] == STDIN && !content; /* which ends it */
        }
        request->held = 0;
    }
}

static uint64_t uwsgi_body(const uint8_t *variables, size_t size, bool *sound)
{
    uint64_t found = 0;
    size_t lengths[2], at = 0;
    *sound = true;
    while (at < size) {
        const uint8_t *texts[2];
        for (int i = 0; i < 2; i++) {
            if (at + 2 > size)
                return *sound = false;
            lengths[i] = (size_t)variables[at] | (size_t)variables[at + 1] << 8;
            texts[i] = variables + at + 2;
            at += 2 + lengths[i];
            if (at > size)
                return *sound = false;
        }
        if (lengths[0] == strlen(BODY_LENGTH) && !memcmp(texts[0], BODY_LENGTH, lengths[0]))
            found = number_of(texts[1], lengths[1]);
    }
    return found;
}

static enum progress read_uwsgi(struct request *request, const uint8_t *data, size_t size)
{
    if (!request->in_body) {
        bool sound;
        if (!hold(request, &data, &size, 4))
            return WRONG;
        if (request->held < 4)
            return MORE;
        size_t variables = (size_t)request->head[1] | (size_t)request->head[2] << 8;
        if (!hold(request, &data, &size, 4 + variables))
            return WRONG;
        if (request->held < 4 + variables)
            return MORE;
        request->left = uwsgi_body(request->head + 4, variables, &sound);
        if (!sound)
            return WRONG;
        request->in_body = true;
    }
    skip(request, &data, &size);
    return whole(request, size);
}

static uint64_t scgi_body(const uint8_t *variables, size_t size)
{
    const char *texts = (const char *)variables;
    for (size_t at = 0; at < size;) {
        size_t name = strnlen(texts + at, size - at), value = at + name + 1;
        if (value >= size)
            break;
        if (name == strlen(BODY_LENGTH) && !memcmp(texts + at, BODY_LENGTH, name))
            return number_of(variables + value, size - value);
        at = value + strnlen(texts + value, size - value) + 1;
    }
    return 0;
}

static enum progress read_scgi(struct request *request, const uint8_t *data, size_t size)
{
    while (!request->in_body) {
        const uint8_t *colon = request->held ? memchr(request->head, ':', least(request->held, 8)) : NULL;
        if (!colon) {
            if (request->held >= 8)
                return WRONG;
            if (!size)
                return MORE;
            if (!hold(request, &data, &size, request->held + 1))
                return WRONG;
            continue;
        }
        size_t digits = (size_t)(colon - request->head), variables = number_of(request->head, digits);
        size_t wanted = digits + 1 + variables + 1;
        if (!digits || !hold(request, &data, &size, wanted))
            return WRONG;
        if (request->held < wanted)
            return MORE;
        if (request->head[wanted - 1] != ',')
            return WRONG;
        request->left = scgi_body(request->head + digits + 1, variables);
        request->in_body = true;
    }
    skip(request, &data, &size);
    return whole(request, size);
}

static enum progress read_memcached(struct request *request, const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);
    size_t taken = end ? (size_t)(end - data) + 1 : size;
    if (request->held + taken > LONGEST_KEY + 6 || !hold(request, &data, &size, request->held + taken))
        return WRONG;
    if (!end)
        return MORE;
    request->keep = true;
    bool is_get = request->held > 6 && !memcmp(request->head, "get ", 4) && request->head[request->held - 2] == '\r';
    return is_get && !size ? WHOLE : WRONG;
}

enum progress request_read(struct request *request, enum protocol protocol, const uint8_t *data, size_t size)
{
    switch (protocol) {
    case FASTCGI: return read_fastcgi(request, data, size);
    case UWSGI: return read_uwsgi(request, data, size);
    case SCGI: return read_scgi(request, data, size);
    default: return read_memcached(request, data, size);
    }
}

size_t request_prefix(const struct request *request, enum protocol protocol, uint64_t bytes, char *prefix)
{
    if (protocol != MEMCACHED)
        return 0;
    int key = (int)request->held - 6; /* "get KEY\r\n" */
    return (size_t)snprintf(prefix, LARGEST_PREFIX, "VALUE %.*s 0 %llu\r\n", key, (const char *)request->head + 4,
                            (unsigned long long)bytes);
}

void request_next(struct request *request)
{
    request->held = 0;
    request->left = 0;
    request->in_body = request->keep = false;
}

void request_free(struct request *request)
{
    free(request->head);
    memset(request, 0, sizeof *request);
}

static uint8_t *put(uint8_t *at, const void *data, size_t size)
{
    memcpy(at, data, size);
    return at + size;
}

static uint8_t *put_record(uint8_t *at, enum record kind, size_t content)
{
    const uint8_t header[RECORD_HEADER] = {1, (uint8_t)kind, 0, 1, (uint8_t)(content >> 8), (uint8_t)content, 0, 0};
    return put(at, header, sizeof header);
}

static uint8_t *in_records(uint8_t *at, const uint8_t *answer, size_t size)
{
    const uint8_t none[RECORD_HEADER] = {0};
    for (size_t done = 0; done < size;) {
        size_t content = least(size - done, LARGEST_CONTENT);
        at = put(put_record(at, STDOUT, content), answer + done, content);
        done += content;
    }
    at = put_record(put_record(at, STDOUT, 0), END_REQUEST, sizeof none);
    return put(at, none, sizeof none);
}

uint8_t *response_make(enum protocol protocol, uint64_t bytes, size_t *size)
{
    char head[128];
    size_t headed = 0;
    if (protocol != MEMCACHED)
        headed = (size_t)snprintf(head, sizeof head, "%s\r\nContent-Type: text/plain\r\nContent-Length: %llu\r\n\r\n",
                                  protocol == UWSGI ? "HTTP/1.1 200 OK" : "Status: 200 OK", (unsigned long long)bytes);
    const char *end = protocol == MEMCACHED ? "\r\nEND\r\n" : "";
    size_t answered = headed + bytes + strlen(end);
    uint8_t *answer = malloc(answered + (answered / LARGEST_CONTENT + 4) * RECORD_HEADER);
    if (!answer)
        return NULL;
    uint8_t *body = put(answer, head, headed);
    memset(body, 'x', bytes);
    memcpy(body + bytes, end, strlen(end));
    *size = answered;
    if (protocol != FASTCGI)
        return answer;
    uint8_t *records = malloc(answered + (answered / LARGEST_CONTENT + 4) * RECORD_HEADER);
    if (records)
        *size = (size_t)(in_records(records, answer, answered) - records);
    free(answer);
    return records;
}
