/* Prints the bits of numbers, a line each. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void print(const double *data, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    unsigned long long bits;
    memcpy(&bits, data + i, sizeof bits);
    printf("%016llx\n", bits);
  }
}
