/* See answers.h. */
#include "answers.h"

#include <ctype.h>
#include <string.h>

#include "say.h"

static void add(struct served *served, const char *text)
{
    bool whole_class = text[0] && strcmp(text + 1, "xx") == 0;
    bool digits = isdigit(text[0]) && text[0] != '0';
    if (!digits || strlen(text) != 3 || !(whole_class || (isdigit(text[1]) && isdigit(text[2]))))
        die("%s is neither a status nor a class of them", text);
    unsigned first = (unsigned)(text[0] - '0') * 100;
    if (whole_class)
        memset(&served->statuses[first], true, 100);
    else
        served->statuses[first + (unsigned)(text[1] - '0') * 10 + (unsigned)(text[2] - '0')] = true;
}

void served_parse(struct served *served, const char *text)
{
    char words[4096], *rest = words;
    if (strlen(text) >= sizeof words)
        die("more statuses than there are");
    strcpy(words, text);
    for (char *status; (status = strsep(&rest, ","));)
        add(served, status);
}

bool count_answer(struct shard_block shard, const struct served *served, unsigned status, uint64_t latency_us)
{
    bool serves = served->statuses[status];
    word_add(&shard.counters[COUNT_COMPLETED], 1);
    word_add(&shard.statuses[status], 1);
    histogram_add(&shard.histograms[serves ? HISTOGRAM_LATENCY : HISTOGRAM_REJECTED], latency_us);
    if (!serves)
        word_add(&shard.counters[COUNT_ERRORS_STATUS], 1);
    return serves;
}
