/* Prints the histogram cell of each number on standard input: for the tests. */
#include <stdio.h>

#include "../page.h"

int main(void)
{
    unsigned long value;
    while (scanf("%lu", &value) == 1)
        printf("%lu\n", (unsigned long)histogram_cell(value));
    return 0;
}
