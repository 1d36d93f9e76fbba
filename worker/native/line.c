#include "line.h"

#include <errno.h>
#include <openssl/bio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

#define RETRY_NS (1 * NS_PER_MS)

/* Bytes under way. */
struct piece {
    struct piece *next; /* that was sent after it: of all lines, or of its own where that is stalled */
    struct line *line;
    uint64_t due_ns;
    size_t size, sent;
    char data[];
};

struct pieces {
    struct piece *first, **end;
};

struct line {
    int socket;
    bool closing, ended; /* ended: the other end sends no more */
    size_t under_way;    /* pieces */
    struct pieces held;  /* those that have arrived and find the socket full */
    struct line *next_stalled;
};

static uint64_t round_trip_ns;
static struct pieces under_way = {NULL, &under_way.first};
static struct line *stalled;

static void append(struct pieces *pieces, struct piece *piece)
{
    piece->next = NULL;
    *pieces->end = piece;
    pieces->end = &piece->next;
}

static struct piece *take_first(struct pieces *pieces)
{
    struct piece *piece = pieces->first;
    pieces->first = piece->next;
    if (pieces->first == NULL)
        pieces->end = &pieces->first;
    return piece;
}

void lines_begin(uint64_t wanted_ns) { round_trip_ns = wanted_ns; }

uint64_t lines_round_trip_ns(void) { return round_trip_ns; }

struct line *line_open(int socket)
{
    struct line *line = calloc(1, sizeof *line);
    if (line == NULL)
        die("no memory for another line");
    line->socket = socket;
    line->held.end = &line->held.first;
    return line;
}

void line_send(struct line *line, const char *data, size_t size)
{
    struct piece *piece = malloc(sizeof *piece + size);
    if (piece == NULL)
        die("no memory for what is under way");
    *piece = (struct piece){.line = line, .due_ns = now_ns() + round_trip_ns, .size = size};
    memcpy(piece->data, data, size);
    append(&under_way, piece);
    line->under_way++;
}

static void end_if_done(struct line *line)
{
    if (!line->closing || line->under_way)
        return;
    close(line->socket);
    free(line);
}

void line_close(struct line *line)
{
    line->closing = true;
    end_if_done(line);
}

/* False where the socket takes no more now. What it refuses for good is lost: whoever reads from it will notice. */
static bool deliver(struct piece *piece)
{
    while (piece->sent < piece->size) {
        ssize_t put = send(piece->line->socket, piece->data + piece->sent, piece->size - piece->sent, MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        if (put < 0)
            return true;
        piece->sent += (size_t)put;
    }
    return true;
}

static void forget(struct piece *piece)
{
    piece->line->under_way--;
    free(piece);
}

static void retry_stalled(void)
{
    struct line *every = stalled;
    stalled = NULL;
    while (every) {
        struct line *line = every;
        every = line->next_stalled;
        while (line->held.first && deliver(line->held.first))
            forget(take_first(&line->held));
        if (line->held.first) {
            line->next_stalled = stalled;
            stalled = line;
        } else {
            end_if_done(line);
        }
    }
}

void lines_turn(uint64_t now)
{
    retry_stalled();
    while (under_way.first && under_way.first->due_ns <= now) {
        struct piece *piece = take_first(&under_way);
        struct line *line = piece->line;
        bool waits = line->held.first != NULL;
        if (waits || !deliver(piece)) {
            append(&line->held, piece);
            if (!waits) {
                line->next_stalled = stalled;
                stalled = line;
            }
            continue;
        }
        forget(piece);
        end_if_done(line);
    }
}

uint64_t lines_due(void)
{
    if (stalled)
        return now_ns() + RETRY_NS;
    return under_way.first ? under_way.first->due_ns : UINT64_MAX;
}

static int layer_write(BIO *layer, const char *data, int size)
{
    BIO_clear_retry_flags(layer);
    line_send(BIO_get_data(layer), data, (size_t)size);
    return size;
}

static int layer_read(BIO *layer, char *data, int size)
{
    struct line *line = BIO_get_data(layer);
    ssize_t got = recv(line->socket, data, (size_t)size, 0);
    BIO_clear_retry_flags(layer);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(layer);
    line->ended = got == 0;
    return (int)got;
}

static long layer_control(BIO *layer, int command, long number, void *pointer)
{
    const struct line *line = BIO_get_data(layer);
    (void)number, (void)pointer;
    if (command == BIO_CTRL_EOF)
        return line->ended;
    return command == BIO_CTRL_FLUSH;
}

struct bio_st *line_layer(struct line *line)
{
    static BIO_METHOD *method;
    if (method == NULL) {
        method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "line");
        if (method == NULL || !BIO_meth_set_write(method, layer_write) || !BIO_meth_set_read(method, layer_read) ||
            !BIO_meth_set_ctrl(method, layer_control))
            die("OpenSSL cannot be set up");
    }
    BIO *layer = BIO_new(method);
    if (layer == NULL)
        die("OpenSSL has no memory for another connection");
    BIO_set_data(layer, line);
    BIO_set_init(layer, 1);
    return layer;
}
