/* respond PROTOCOL CHUNK: reads a request from standard input, CHUNK bytes at a time, and prints what became of it: MORE,
   WHOLE with what stands before the response, or WRONG; and whether the connection is kept. */
#include "../respond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"fastcgi", "uwsgi", "scgi", "memcached"};
static const char *const words[] = {"MORE", "WHOLE", "WRONG"};

int main(int count, char **arguments)
{
    struct request request = {0};
    enum progress progress = MORE;
    char prefix[LARGEST_PREFIX] = "";
    int protocol = 0;
    while (protocol < 3 && count == 3 && strcmp(arguments[1], names[protocol]))
        protocol++;
    size_t chunk = (size_t)atol(arguments[2]), got;
    uint8_t *data = malloc(chunk);
    while (progress == MORE && (got = fread(data, 1, chunk, stdin)))
        progress = request_read(&request, (enum protocol)protocol, data, got);
    if (progress == WHOLE)
        prefix[request_prefix(&request, (enum protocol)protocol, 7, prefix)] = 0;
    printf("%s %d %s", words[progress], request.keep, prefix);
    request_next(&request);
    request_free(&request);
    free(data);
    return 0;
}
