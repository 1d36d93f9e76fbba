/* Feeds standard input to response.c in pieces of the given size and says what it made of it: for the tests.
 * response SIZE [head]  ->  "done|garbage|more STATUS KEEP_ALIVE USED", after the end of input "closed: done|more" */
#include "../response.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"more", "done", "garbage"};

int main(int count, char **values)
{
    static char data[1 << 20];
    static struct response response;
    size_t size = fread(data, 1, sizeof data, stdin), piece = (size_t)atol(values[1]), at = 0;
    enum response_result result = RESPONSE_MORE;
    response_begin(&response, count > 2);
    while (at < size && result == RESPONSE_MORE) {
        size_t used, left = size - at;
        result = response_feed(&response, data + at, left < piece ? left : piece, &used);
        at += used;
    }
    printf("%s %u %d %zu\n", names[result], response.status, response.keep_alive, at);
    if (result == RESPONSE_MORE)
        printf("closed: %s\n", names[response_closed(&response)]);
    return 0;
}
