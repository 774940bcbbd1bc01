/* What every yardstick needs: numbers that are the same each time, a clock, and a line for its result. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Numbers from 0 to 1, the same each time. */
static uint64_t seed = 1;
static inline double uniform(void) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-53;
}
static inline double *uniforms(size_t count, double low, double high) {
  double *numbers = malloc(count * sizeof *numbers);
  if (!numbers) exit(1);
  for (size_t i = 0; i < count; i++) numbers[i] = low + (high - low) * uniform();
  return numbers;
}

static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median of the times of a statement: ten runs and half a second at least, after one more. */
#define MOST 100000
static double times[MOST];
#define MEDIAN(result, statement) \
  do { \
    statement; \
    int runs = 0; \
    double begin_ = now(); \
    while (runs < MOST && (runs < 10 || now() - begin_ < 0.5)) { \
      double start_ = now(); \
      statement; \
      times[runs++] = now() - start_; \
    } \
    qsort(times, (size_t)runs, sizeof *times, compare); \
    (result) = times[runs / 2]; \
  } while (0)

/* A call of the library that has to succeed. */
#define DO(call) \
  do { \
    if (call) { \
      fprintf(stderr, "the library fails\n"); \
      exit(1); \
    } \
  } while (0)

/* Ends with an error if two numbers that should agree do not. */
static void agree(const char *what, double ours, double theirs) {
  if (fabs(ours - theirs) <= 1e-9 * (1 + fabs(theirs))) return;
  fprintf(stderr, "%s: %.17g by Pullback, %.17g by the yardstick\n", what, ours, theirs);
  exit(1);
}

/* The result: seconds of the yardstick, of Pullback, and of its derivative. */
static void report(double yardstick, double ours, double derivative) {
  printf("%.9g %.9g %.9g\n", yardstick, ours, derivative);
}
