/* Gives a library values of sum types as numbers, right and wrong ones. Prints how many answers were wrong. The library is
   a part of this file. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums.c"

static int wrong = 0;

#define RIGHT(condition) \
  do { \
    if (!(condition)) { \
      wrong++; \
      fprintf(stderr, "%d: %s (%s)\n", __LINE__, #condition, sums_message(context)); \
    } \
  } while (0)

#define INTS(...) (sums_ints_1){(const int64_t[]){__VA_ARGS__}, {sizeof((int64_t[]){__VA_ARGS__}) / 8}}
#define REALS(...) (sums_reals_1){(const double[]){__VA_ARGS__}, {sizeof((double[]){__VA_ARGS__}) / 8}}
#define NO_INTS (sums_ints_1){0, {0}}
#define NO_REALS (sums_reals_1){0, {0}}

static int are(sums_reals_1 found, sums_reals_1 wanted) {
  return found.size[0] == wanted.size[0] && (found.size[0] == 0 || !memcmp(found.data, wanted.data, (size_t)found.size[0] * 8));
}

static int are_ints(sums_ints_1 found, sums_ints_1 wanted) {
  return found.size[0] == wanted.size[0] && !memcmp(found.data, wanted.data, (size_t)found.size[0] * 8);
}

/* The call fails with a status, and says these words. */
#define FAILS(call, wanted, words) \
  do { \
    const int status = (call); \
    RIGHT(status == wanted && strstr(sums_message(context), words)); \
  } while (0)

static void shapes(sums_context *context) {
  double value;
  sums_reals_1 bar, other;
  RIGHT(sums_area(context, INTS(0), REALS(2.0), &value) == 0 && value == 12.0);
  RIGHT(sums_area_grad(context, INTS(1), REALS(2.0, 5.0), &value, &bar) == 0 && value == 10.0);
  RIGHT(are(bar, REALS(5.0, 2.0)));
  /* Dots [1, 2, 4] 3 true */
  RIGHT(sums_area_grad(context, INTS(2, 3, 3, 1), REALS(1.0, 2.0, 4.0), &value, &bar) == 0 && value == 21.0);
  RIGHT(are(bar, REALS(3.0, 3.0, 3.0)));
  RIGHT(sums_area_jvp(context, INTS(1), REALS(2.0, 5.0), REALS(1.0, 10.0), &value, &value) == 0 && value == 25.0);
  RIGHT(sums_area_hvp(context, INTS(1), REALS(2.0, 5.0), REALS(1.0, 10.0), &bar) == 0 && are(bar, REALS(10.0, 1.0)));
  /* [Circle 1, Rect 2 3, Dots [] 7 false] */
  const sums_ints_1 three = INTS(3, 0, 1, 2, 0, 7, 0);
  RIGHT(sums_areas_grad(context, three, REALS(1.0, 2.0, 3.0), REALS(1.0, 10.0, 100.0), &value, &bar, &other) == 0);
  RIGHT(value == 63.0 && are(bar, REALS(6.0, 30.0, 20.0)) && are(other, REALS(3.0, 6.0, -0.0)));
  RIGHT(sums_areas(context, INTS(0), NO_REALS, NO_REALS, &value) == 0 && value == 0.0);
  /* Two rows of two. */
  RIGHT(sums_grid_grad(context, INTS(2, 2, 0, 1, 0, 0), REALS(1.0, 2.0, 3.0, 1.0, 2.0), &value, &bar) == 0);
  RIGHT(value == 3.0 + 12.0 + 3.0 + 24.0 && are(bar, REALS(6.0, 6.0, 4.0, 6.0, 24.0)));
  RIGHT(sums_items_grad(context, INTS(2, 0, 1), REALS(1.0, 2.0, 3.0), REALS(1.0, 2.0), INTS(1), &value, &bar, &other) == 0);
  RIGHT(value == -15.0 && are(bar, REALS(-6.0, -6.0, -4.0)) && are(other, REALS(-3.0, -6.0)));
}

static void results(sums_context *context) {
  sums_ints_1 ints, all, first, mode;
  sums_reals_1 reals, all_reals, first_reals;
  RIGHT(sums_scaled(context, INTS(2, 2, 4, 1), REALS(1.0, 2.0), 3.0, &ints, &reals, &all, &all_reals, &first, &first_reals, &mode) == 0);
  RIGHT(are_ints(ints, INTS(2, 2, 5, 0)) && are(reals, REALS(3.0, 6.0)));
  RIGHT(are_ints(all, INTS(2, 2, 2, 4, 1, 2, 2, 5, 0)) && are(all_reals, REALS(1.0, 2.0, 3.0, 6.0)));
  RIGHT(first.size[0] == 1 && are(first_reals, REALS(3.0)) && are_ints(mode, INTS(1)));
}

static void trees(sums_context *context) {
  double value;
  sums_ints_1 ints;
  sums_reals_1 reals, bar, dot;
  /* Fork (Fork Leaf 1 Leaf) 2 (Fork Leaf 3 Leaf) */
  const sums_ints_1 tags = INTS(1, 1, 0, 0, 1, 0, 0);
  RIGHT(sums_total_grad(context, tags, REALS(1.0, 2.0, 3.0), &value, &bar) == 0 && value == 36.0);
  RIGHT(are(bar, REALS(3.0, 12.0, 27.0)));
  RIGHT(sums_doubled(context, tags, REALS(1.0, 2.0, 3.0), &ints, &reals) == 0);
  RIGHT(are_ints(ints, tags) && are(reals, REALS(2.0, 4.0, 6.0)));
  RIGHT(sums_doubled_jvp(context, tags, REALS(1.0, 2.0, 3.0), REALS(1.0, 0.0, 5.0), &ints, &reals, &dot) == 0);
  RIGHT(are(reals, REALS(2.0, 4.0, 6.0)) && are(dot, REALS(2.0, 0.0, 10.0)));
  RIGHT(sums_doubled_vjp(context, tags, REALS(1.0, 2.0, 3.0), REALS(1.0, 10.0, 100.0), &ints, &reals, &bar) == 0);
  RIGHT(are(bar, REALS(2.0, 20.0, 200.0)));
  /* Rose 1 [Rose 2 [], Rose 3 [Rose 4 []]] */
  const sums_ints_1 rose = INTS(0, 2, 0, 0, 0, 1, 0, 0);
  RIGHT(sums_weight_grad(context, rose, REALS(1.0, 2.0, 3.0, 4.0), &value, &bar) == 0);
  RIGHT(value == 1.0 + 2.0 * 4.0 + 2.0 * (9.0 + 2.0 * 16.0) && are(bar, REALS(2.0, 8.0, 12.0, 32.0)));
  RIGHT(sums_grown_vjp(context, rose, REALS(1.0, 2.0, 3.0, 4.0), 1, REALS(1.0, 1.0, 1.0, 1.0), &ints, &reals, &bar) == 0);
  RIGHT(are_ints(ints, rose) && are(reals, REALS(1.0, 4.0, 9.0, 16.0)) && are(bar, REALS(2.0, 4.0, 6.0, 8.0)));
  RIGHT(sums_list(context, 3, 2.0, &ints, &reals) == 0 && are_ints(ints, INTS(1, 0, 1, 0, 1, 0, 0)));
  RIGHT(are(reals, REALS(6.0, 4.0, 2.0)));
}

static void mistakes(sums_context *context) {
  double value;
  sums_reals_1 bar;
  const int64_t most = INT64_MAX;
  FAILS(sums_area(context, NO_INTS, NO_REALS, &value), 1, "the numbers end before the value does");
  FAILS(sums_area(context, INTS(3), REALS(1.0), &value), 1, "no constructor of `Shape` has this tag");
  FAILS(sums_area(context, INTS(-1), REALS(1.0), &value), 1, "no constructor of `Shape` has this tag");
  FAILS(sums_area(context, INTS(most), REALS(1.0), &value), 1, "no constructor of `Shape` has this tag");
  FAILS(sums_area(context, INTS(0), NO_REALS, &value), 1, "out of range");
  FAILS(sums_area(context, INTS(0), REALS(1.0, 2.0), &value), 1, "more numbers");
  FAILS(sums_area(context, INTS(0, 0), REALS(1.0), &value), 1, "more numbers");
  FAILS(sums_area(context, INTS(2, -1, 0, 0), NO_REALS, &value), 1, "the size of an array is negative");
  FAILS(sums_area(context, INTS(2, 2, 0, 0), REALS(1.0), &value), 1, "the numbers end before the value does");
  FAILS(sums_area(context, INTS(2, most, 0, 0), REALS(1.0), &value), 1, "the numbers end before the value does");
  FAILS(sums_area(context, INTS(2, 1, 0, 2), REALS(1.0), &value), 1, "a truth value is 0 or 1");
  FAILS(sums_area(context, INTS(2, 1, 0), REALS(1.0), &value), 1, "out of range");
  FAILS(sums_area_jvp(context, INTS(0), REALS(1.0), REALS(1.0, 2.0), &value, &value), 1, "E0713");
  FAILS(sums_areas(context, INTS(2, 0, 0), REALS(1.0, 1.0), REALS(1.0), &value), 1, "E0804");
  FAILS(sums_areas(context, INTS(-2, 0, 0), REALS(1.0, 1.0), REALS(1.0), &value), 1, "E0804");
  FAILS(sums_areas(context, NO_INTS, NO_REALS, REALS(1.0), &value), 1, "E0804");
  FAILS(sums_grid(context, INTS(most, most, 0), REALS(1.0), &value), 1, "no Int is the result");
  FAILS(sums_grid(context, INTS(most, 1, 0), REALS(1.0), &value), 1, "the numbers end before the value does");
  FAILS(sums_total(context, INTS(1, 1, 1), REALS(1.0), &value), 1, "the numbers end before the value does");
  FAILS(sums_weight(context, INTS(0, 1000000, 0), REALS(1.0, 2.0), &value), 1, "the numbers end before the value does");
  FAILS(sums_items(context, INTS(2, 0, 0), REALS(1.0, 1.0), REALS(1.0), INTS(0), &value), 1, "make no array together");
  /* Millions of forks and no leaf: too deep for the stack, or at the end of the numbers. */
  enum { MANY = 3000000 };
  int64_t *ones = malloc(MANY * sizeof *ones);
  double *zeros = calloc(MANY, sizeof *zeros);
  for (int i = 0; i < MANY; i++) ones[i] = 1;
  const sums_ints_1 forks = {ones, {MANY}};
  const sums_reals_1 none = {zeros, {MANY}};
  FAILS(sums_total(context, forks, none, &value), 3, "calls nest too deep");
  FAILS(sums_total_grad(context, forks, none, &value, &bar), 3, "calls nest too deep");
  free(ones);
  free(zeros);
}

/* All short texts of tags: an answer or a status. */
static void everything(sums_context *context) {
  int64_t tags[4];
  double numbers[3] = {1.0, 2.0, 3.0}, value;
  const int64_t each[] = {-1, 0, 1, 2, 3};
  sums_ints_1 ints;
  sums_reals_1 reals;
  for (int count = 0; count <= 4; count++)
    for (int code = 0; code < 625; code++) {
      for (int at = 0, rest = code; at < 4; at++, rest /= 5) tags[at] = each[rest % 5];
      for (int64_t size = 0; size <= 3; size++) {
        const sums_ints_1 given = {tags, {count}};
        const sums_reals_1 all = {numbers, {size}};
        RIGHT(sums_area(context, given, all, &value) <= 1);
        RIGHT(sums_total(context, given, all, &value) <= 1);
        const int status = sums_grown(context, given, all, 1, &ints, &reals);
        RIGHT(status <= 1 && (status || (are_ints(ints, given) && reals.size[0] == size)));
      }
    }
}

int main(void) {
  sums_context *context = sums_open();
  if (!context) return 1;
  shapes(context);
  results(context);
  trees(context);
  mistakes(context);
  everything(context);
  sums_close(context);
  printf("%d wrong\n", wrong);
  return 0;
}
