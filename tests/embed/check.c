/* Calls the library of library.pull in every way that may go wrong. The library is a part of this file, so that its
   memory can be counted and refused. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long requests, refused = -1, held;
static void *given(void *block) {
  if (block) held++;
  return block;
}
static void *counted_calloc(size_t n, size_t m) { return requests++ == refused ? 0 : given(calloc(n, m)); }
static void *counted_aligned(size_t a, size_t n) { return requests++ == refused ? 0 : given(aligned_alloc(a, n)); }
static void counted_free(void *block) {
  if (block) held--;
  free(block);
}
#define calloc counted_calloc
#define aligned_alloc counted_aligned
#define free counted_free
#include "library.c"

static int wrong;
static void hold(int holds, const char *what) {
  if (!holds) {
    wrong++;
    printf("it does not hold that %s\n", what);
  }
}
#define HOLD(condition) hold(condition, #condition)
static int near(double x, double y) { return fabs(x - y) <= 1e-12 * (1 + fabs(y)); }

/* A call that may lack memory, and nothing else: what follows looks at its results. */
#define CALL(call) (status = (call), HOLD(status == 0 || status == 2), status == 0)

static void call_all(library_context *context) {
  int status;
  double value, x_bar, a, b, c;
  if (CALL(library_through_data_grad(context, 3, 0.5, &value, &x_bar))) HOLD(isfinite(value) && isfinite(x_bar));
  if (CALL(library_double_grad(context, 2.0, 3.0, 0.0, &value, &a, &b, &c)))
    HOLD(value == 7.0 && a == 3.0 && b == 2.0 && c == 1.0);
  double w[400], u[400];
  int64_t n[400];
  for (int i = 0; i < 400; i++) w[i] = i, u[i] = 2.0, n[i] = i % 3;
  library_reals_1 ws = {w, {400}}, us = {u, {400}}, results, w_bar, u_bar;
  library_ints_1 ns = {n, {400}}, evens;
  if (CALL(library_parts_vjp(context, ws, 0.5, us, ns, 1.0, us, &value, &results, &w_bar, &b, &u_bar))) {
    HOLD(value == 39900.0 && results.size[0] == 400 && results.data[399] == 0.0 && results.data[398] == 398 * 2.0 * 2);
    HOLD(b == 79800.0 && w_bar.data[1] == 0.5 + 2.0 * 2.0 && u_bar.data[2] == 2.0 * 2 * 2);
  }
  HOLD(w[7] == 7.0 && u[7] == 2.0);
  if (CALL(library_element_hvp(context, ws, 3, us, &w_bar))) HOLD(w_bar.data[3] == 4.0 && w_bar.data[4] == 0.0);
  library_reals_2 matrix = {w, {20, 10}}, turned;
  if (CALL(library_rows(context, matrix, &turned)))
    HOLD(turned.size[0] == 10 && turned.size[1] == 20 && turned.data[1] == 10.0);
  if (CALL(library_evens(context, ns, &evens))) HOLD(evens.size[0] == 267);
  double slopes[2] = {1.0, 2.0};
  library_reals_1 both_bar = {slopes, {2}}, both;
  library_ints_1 at, firsts;
  library_ints_2 pairs;
  if (CALL(library_with_ints_vjp(context, 0.5, 3, 10.0, both_bar, &pairs, &at, &value, &firsts, &both, &x_bar)))
    HOLD(pairs.size[0] == 3 && pairs.data[5] == 5 && at.data[2] == 9 && value == 0.25 && firsts.data[1] == 2 &&
         both.data[0] == 1.5 && near(x_bar, 10.0 + 3.0 + 2 * cos(0.5)));
  if (CALL(library_deep_grad(context, 1000, 1.0, &value, &x_bar))) HOLD(value == 1001.0 && x_bar == 1001.0);
}

static void failures(library_context *context) {
  double value = 5.0, xs[3] = {1.0, 2.0, 3.0};
  library_reals_1 three = {xs, {3}}, none = {0, {3}}, negative = {xs, {-1}}, empty = {0, {0}};
  HOLD(library_element(context, three, 3, &value) == 1 && value == 5.0);
  HOLD(strstr(library_message(context), "index 3") && strstr(library_message(context), "(library.pull:2"));
  HOLD(library_element(context, three, 2, &value) == 0 && value == 9.0 && !*library_message(context));
  HOLD(library_element(context, none, 0, &value) == 1 && library_element(context, negative, 0, &value) == 1);
  HOLD(library_element(context, empty, 0, &value) == 1);
  HOLD(library_refuses(context, -1.0, &value) == 1);
  HOLD(!strncmp(library_message(context), "*/ ??/ \"quoted\" \\ %s %n \317\200 (", 27));
  HOLD(library_deep(context, 10000000, 1.0, &value) == 3 && strstr(library_message(context), "deep"));
  library_limit(context, 1 << 16, 4 << 20);
  HOLD(library_through_data(context, 20, 0.5, &value) == 2);
  library_limit(context, UINT64_C(1) << 40, 4 << 20);
  HOLD(library_through_data(context, 2, 0.5, &value) == 0 && near(value, (sin(0.125) + 2 * sin(0.0625) + sin(0.03125)) / 4));
}

/* A constant is computed by the first call of a function; what fails lets go of it. */
static void constants(library_context *context) {
  double value, first, w[3] = {1, 2, 3};
  library_reals_1 given = {w, {3}}, same;
  HOLD(library_looked_up(context, 7, 2.0, &first) == 0);
  long before = requests;
  for (int i = 0; i < 100; i++) HOLD(library_looked_up(context, 7, 2.0, &value) == 0 && value == first);
  HOLD(requests == before);
  HOLD(library_looked_up(context, 2000, 2.0, &value) == 1);
  HOLD(library_looked_up(context, 7, 2.0, &value) == 0 && value == first && requests > before);
  for (int i = 0; i < 3; i++) HOLD(library_same(context, given, 1.5, &same, &value) == 0 && same.data == w && value == 1.5);
}

int main(void) {
  library_context *context = library_open();
  if (!context) return 1;
  failures(context);
  constants(context);
  call_all(context);
  long before = held;
  for (int i = 0; i < 1000; i++) call_all(context);
  HOLD(held == before);
  library_close(context);
  HOLD(held == 0);
  for (long k = 0; k < 200; k++) {
    refused = requests + k;
    context = library_open();
    if (context) call_all(context);
    library_close(context);
    HOLD(held == 0);
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
