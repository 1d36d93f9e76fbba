#include "response.h"

#include <string.h>
#include <strings.h>

#define LONGEST_HEAD (256u << 10)

void response_begin(struct response *response, bool of_head)
{
    /* Not the whole struct: its line buffer is large and needs no clearing. */
    response->part = PART_STATUS_LINE;
    response->of_head = of_head;
    response->keep_alive = response->chunked = response->has_length = response->upgrades = false;
    response->status = 0;
    response->length = 0;
    response->head_bytes = response->line_length = 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool could_be_status_line(const char *line, size_t size)
{
    static const char start[] = "HTTP/1.";
    size_t known = sizeof start - 1;
    return memcmp(line, start, size < known ? size : known) == 0;
}

static bool take_status_line(struct response *response, const char *line, size_t size)
{
    if (size < 12 || !could_be_status_line(line, size) || !is_digit(line[7]) || line[8] != ' ')
        return false;
    if (!is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) || (size > 12 && line[12] != ' '))
        return false;
    response->status = (unsigned)((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
    response->keep_alive = line[7] != '0';
    response->part = PART_HEADERS;
    return response->status >= 100;
}

static bool is_name(const char *line, size_t size, const char *name)
{
    return size == strlen(name) && strncasecmp(line, name, size) == 0;
}

/* Whether a comma-separated list has this word; the last one only, if asked. */
static bool has_word(const char *list, size_t size, const char *word, bool last_only)
{
    bool found = false;
    for (size_t begin = 0; begin < size;) {
        const char *comma = memchr(list + begin, ',', size - begin);
        size_t end = comma ? (size_t)(comma - list) : size, next = end + 1;
        while (begin < end && (list[begin] == ' ' || list[begin] == '\t'))
            begin++;
        while (end > begin && (list[end - 1] == ' ' || list[end - 1] == '\t'))
            end--;
        bool equal = is_name(list + begin, end - begin, word);
        found = last_only ? equal : found || equal;
        begin = next;
    }
    return found;
}

static bool take_length(struct response *response, const char *value, size_t size)
{
    uint64_t length = 0;
    if (size == 0 || size > 18)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(value[i]))
            return false;
        length = length * 10 + (uint64_t)(value[i] - '0');
    }
    if (response->has_length && length != response->length)
        return false;
    response->has_length = true;
    response->length = length;
    return true;
}

static bool take_header(struct response *response, const char *line, size_t size, bool whole)
{
    if (line[0] == ' ' || line[0] == '\t')
        return true; /* a folded line goes on: none of those that matter here is folded by any server */
    const char *colon = memchr(line, ':', size);
    if (colon == NULL)
        return !whole; /* only its beginning was kept: the colon may be beyond */
    size_t name = (size_t)(colon - line);
    const char *value = colon + 1, *end = line + size;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    size_t value_size = (size_t)(end - value);
    if (is_name(line, name, "content-length"))
        return whole && take_length(response, value, value_size);
    if (is_name(line, name, "transfer-encoding")) {
        response->chunked = has_word(value, value_size, "chunked", true);
        return whole && response->chunked; /* a response of unknown coding has no end that we could see */
    }
    if (is_name(line, name, "connection")) {
        if (has_word(value, value_size, "close", false))
            response->keep_alive = false;
        else if (has_word(value, value_size, "keep-alive", false))
            response->keep_alive = true;
    }
    return true;
}

/* After the empty line: what follows (RFC 9112, 6.3). */
static enum response_result end_of_headers(struct response *response)
{
    if (response->status < 200) {
        if (response->status == 101) /* nobody may have asked for another protocol */
            return response->upgrades ? RESPONSE_DONE : RESPONSE_GARBAGE;
        bool upgrades = response->upgrades;
        response_begin(response, response->of_head);
        response->upgrades = upgrades;
        return RESPONSE_MORE;
    }
    if (response->of_head || response->status == 204 || response->status == 304)
        return RESPONSE_DONE;
    response->head_bytes = 0;
    if (response->chunked) {
        response->part = PART_CHUNK_SIZE;
    } else if (response->has_length) {
        if (response->length == 0)
            return RESPONSE_DONE;
        response->part = PART_BODY_OF_LENGTH;
    } else {
        response->part = PART_BODY_UNTIL_CLOSE;
        response->keep_alive = false;
    }
    return RESPONSE_MORE;
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool take_chunk_size(struct response *response, const char *line, size_t size)
{
    uint64_t length = 0;
    size_t digits = 0;
    for (; digits < size && hex_value(line[digits]) >= 0; digits++)
        length = length << 4 | (uint64_t)hex_value(line[digits]);
    if (digits == 0 || digits > 15)
        return false;
    if (digits < size && line[digits] != ';' && line[digits] != ' ' && line[digits] != '\t')
        return false;
    response->length = length;
    response->part = length ? PART_CHUNK_DATA : PART_TRAILERS;
    response->head_bytes = 0;
    return true;
}

/* A line without its end; `whole`: nothing of it was cut off. */
static enum response_result take_line(struct response *response, const char *line, size_t size, bool whole)
{
    bool sound = true;
    switch (response->part) {
    case PART_STATUS_LINE:
        sound = take_status_line(response, line, size);
        break;
    case PART_HEADERS:
        if (size == 0)
            return end_of_headers(response);
        sound = take_header(response, line, size, whole);
        break;
    case PART_CHUNK_SIZE:
        sound = take_chunk_size(response, line, size);
        break;
    case PART_CHUNK_END:
        sound = size == 0;
        response->part = PART_CHUNK_SIZE;
        break;
    default: /* PART_TRAILERS */
        if (size == 0)
            return RESPONSE_DONE;
    }
    return sound ? RESPONSE_MORE : RESPONSE_GARBAGE;
}

/* The next line, or as much of it as has come. `used` grows by what was taken. */
static enum response_result feed_line(struct response *response, const char *data, size_t size, size_t *used)
{
    const char *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - data) : size;
    *used += end ? length + 1 : length;
    response->head_bytes += length;
    if (response->head_bytes > LONGEST_HEAD)
        return RESPONSE_GARBAGE;
    const char *line = data;
    size_t kept = length, whole = response->line_length + length;
    if (!end || response->line_length) {
        kept = response->line_length;
        if (kept < LINE_KEPT) {
            size_t more = length < LINE_KEPT - kept ? length : LINE_KEPT - kept;
            memcpy(response->line + kept, data, more);
            kept += more;
        }
        response->line_length = whole;
        line = response->line;
    }
    if (!end) {
        bool sound = response->part != PART_STATUS_LINE || could_be_status_line(line, kept);
        return sound ? RESPONSE_MORE : RESPONSE_GARBAGE;
    }
    response->line_length = 0;
    bool all = kept == whole;
    if (all && kept && line[kept - 1] == '\r')
        kept--;
    return take_line(response, line, kept, all);
}

static void feed_body(struct response *response, size_t size, size_t *used)
{
    uint64_t taken = size < response->length ? size : response->length;
    *used += taken;
    response->length -= taken;
}

enum response_result response_feed(struct response *response, const char *data, size_t size, size_t *used)
{
    *used = 0;
    enum response_result result = RESPONSE_MORE;
    while (*used < size && result == RESPONSE_MORE) {
        switch (response->part) {
        case PART_BODY_UNTIL_CLOSE:
            *used = size;
            break;
        case PART_BODY_OF_LENGTH:
            feed_body(response, size - *used, used);
            if (response->length == 0)
                result = RESPONSE_DONE;
            break;
        case PART_CHUNK_DATA:
            feed_body(response, size - *used, used);
            if (response->length == 0)
                response->part = PART_CHUNK_END;
            break;
        default:
            result = feed_line(response, data + *used, size - *used, used);
        }
    }
    return result;
}

enum response_result response_closed(const struct response *response)
{
    return response->part == PART_BODY_UNTIL_CLOSE ? RESPONSE_DONE : RESPONSE_MORE;
}
