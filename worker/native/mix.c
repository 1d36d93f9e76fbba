/* See mix.h. */
#include "mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* As worker/ngxlab_worker/engines/native/mix.py writes it, followed by `size` bytes. */
struct mix_entry {
    double weight, exponent;
    uint64_t choice, count, of_head, before, size;
};

struct mix mix_of_one(const char *text, size_t size)
{
    struct message *message = calloc(1, sizeof *message);
    if (message == NULL)
        die("no memory for a request");
    *message = (struct message){.text = text, .size = size, .share = 1};
    return (struct mix){.messages = message, .count = 1};
}

/* Zipf by rejection-inversion: W. Hörmann, G. Derflinger, Rejection-inversion to generate variates from monotone
 * discrete distributions, ACM TOMACS 6 (1996) 169-184. Rank k of 1 to count has a probability like k^-exponent. */
static double ratio_or_one(double numerator, double x) { return fabs(x) > 1e-12 ? numerator / x : 1; }

static double zipf_density(const struct message *message, double x) { return exp(-message->exponent * log(x)); }

static double zipf_integral(const struct message *message, double x)
{
    double logarithm = log(x), power = (1 - message->exponent) * logarithm;
    return ratio_or_one(expm1(power), power) * logarithm;
}

static double zipf_inverse(const struct message *message, double y)
{
    double power = fmax(-1, y * (1 - message->exponent));
    return exp(ratio_or_one(log1p(power), power) * y);
}

static void zipf_begin(struct message *message)
{
    message->zipf_first = zipf_integral(message, 1.5) - 1;
    message->zipf_last = zipf_integral(message, (double)message->count + 0.5);
    message->zipf_accept = 2 - zipf_inverse(message, zipf_integral(message, 2.5) - zipf_density(message, 2));
}

static uint64_t zipf_draw(const struct message *message, uint64_t *random)
{
    for (;;) {
        double y = message->zipf_last + draw_uniform(random) * (message->zipf_first - message->zipf_last);
        double x = zipf_inverse(message, y), rank = fmin(fmax(floor(x + 0.5), 1), (double)message->count);
        if (rank - x <= message->zipf_accept ||
            y >= zipf_integral(message, rank + 0.5) - zipf_density(message, rank))
            return (uint64_t)rank - 1;
    }
}

/* Walker's alias method as M. Vose arranged it (IEEE Transactions on Software Engineering 17, 1991): each entry shares
 * its place with one other, so that a draw looks at one place however long the list is. */
static void share_out(struct mix *mix, double *weights, double total)
{
    size_t *under = malloc(2 * mix->count * sizeof *under);
    if (under == NULL)
        die("no memory for %zu requests", mix->count);
    size_t *over = under + mix->count, unders = 0, overs = 0;
    for (size_t i = 0; i < mix->count; i++) {
        mix->messages[i].share = 1;
        weights[i] *= (double)mix->count / total;
        *(weights[i] < 1 ? &under[unders++] : &over[overs++]) = i;
    }
    while (unders && overs) {
        size_t small = under[--unders], large = over[overs - 1];
        mix->messages[small].share = weights[small];
        mix->messages[small].other = large;
        weights[large] -= 1 - weights[small];
        if (weights[large] < 1) {
            overs--;
            under[unders++] = large;
        }
    }
    free(under);
}

static void add_message(struct mix *mix, const struct mix_entry *entry, const char *text)
{
    bool numbered = entry->choice != CHOICE_FIXED;
    if (!(entry->weight > 0) || entry->choice >= CHOICES || entry->before > entry->size ||
        (numbered && entry->count == 0) || (entry->choice == CHOICE_ZIPF && !(entry->exponent > 0)))
        die("request %zu of the mix is malformed", mix->count + 1);
    struct message *message = &mix->messages[mix->count++];
    *message = (struct message){
        .text = text, .size = entry->size, .before = entry->before, .of_head = entry->of_head != 0,
        .choice = (enum choice)entry->choice, .count = entry->count, .exponent = entry->exponent,
    };
    if (message->choice == CHOICE_ZIPF)
        zipf_begin(message);
    mix->has_sequences |= message->choice == CHOICE_SEQUENCE;
    if (numbered && message->size + LONGEST_NUMBER > mix->longest)
        mix->longest = message->size + LONGEST_NUMBER;
}

struct mix mix_read(const char *path)
{
    size_t size;
    const char *at = map_request(path, &size), *end = at + size;
    struct mix mix = {.messages = calloc(MOST_MESSAGES, sizeof *mix.messages)};
    double *weights = calloc(MOST_MESSAGES, sizeof *weights), total = 0;
    if (mix.messages == NULL || weights == NULL)
        die("no memory for the mix");
    while (at < end) {
        struct mix_entry entry;
        if (mix.count == MOST_MESSAGES)
            die("at most %d requests in a mix", MOST_MESSAGES);
        if ((size_t)(end - at) < sizeof entry)
            die("the mix is cut off");
        memcpy(&entry, at, sizeof entry);
        at += sizeof entry;
        if ((size_t)(end - at) < entry.size)
            die("the mix is cut off");
        total += weights[mix.count] = entry.weight;
        add_message(&mix, &entry, at);
        at += entry.size;
    }
    share_out(&mix, weights, total);
    free(weights);
    return mix;
}

static const struct message *choose(const struct mix *mix, uint64_t *random)
{
    double place = draw_uniform(random) * (double)mix->count;
    size_t i = (size_t)place;
    const struct message *message = &mix->messages[i];
    return place - (double)i < message->share ? message : &mix->messages[message->other];
}

/* The random numbers of one request. */
static uint64_t random_of(const struct mix *mix, uint64_t request) { return mixed(mix->seed ^ mixed(request + 1)); }

struct draws draws_begin(const struct mix *mix, uint64_t shard, uint64_t shards)
{
    struct draws draws = {.mix = mix, .next = shard, .shards = shards};
    if (mix->has_sequences && (draws.in_sequence = calloc(mix->count, sizeof *draws.in_sequence)) == NULL)
        die("no memory for the mix");
    return draws;
}

/* How many requests of all shards before this one had the same message. */
static uint64_t place_in_sequence(struct draws *draws, const struct message *message, uint64_t request)
{
    const struct mix *mix = draws->mix;
    for (; draws->counted < request; draws->counted++) {
        uint64_t random = random_of(mix, draws->counted);
        draws->in_sequence[choose(mix, &random) - mix->messages]++;
    }
    return draws->in_sequence[message - mix->messages];
}

struct drawn draws_next(struct draws *draws)
{
    const struct mix *mix = draws->mix;
    struct drawn drawn = {.message = mix->messages};
    if (mix->count == 1 && drawn.message->choice == CHOICE_FIXED)
        return drawn;
    uint64_t request = draws->next, random = random_of(mix, request);
    draws->next += draws->shards;
    drawn.message = choose(mix, &random);
    switch (drawn.message->choice) {
    case CHOICE_UNIFORM: drawn.number = (uint64_t)(draw_uniform(&random) * (double)drawn.message->count); break;
    case CHOICE_ZIPF: drawn.number = zipf_draw(drawn.message, &random); break;
    case CHOICE_SEQUENCE:
        drawn.number = place_in_sequence(draws, drawn.message, request) % drawn.message->count;
        break;
    default: break;
    }
    return drawn;
}

size_t write_number(uint64_t number, char *to)
{
    char digits[LONGEST_NUMBER];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    return count;
}

size_t compose(const struct drawn *drawn, char *to)
{
    const struct message *message = drawn->message;
    memcpy(to, message->text, message->before);
    size_t digits = write_number(drawn->number, to + message->before);
    memcpy(to + message->before + digits, message->text + message->before, message->size - message->before);
    return message->size + digits;
}
