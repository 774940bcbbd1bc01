/* Calls the library of matrices.pull, made with `--abi casadi --size n=3,m=2`, as CasADi does. The library is a part
   of this file, so that its memory can be counted and refused. */
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
#include "matrices.c"

static int wrong;
static void hold(int holds, const char *what, int line) {
  if (!holds) {
    wrong++;
    printf("%d: it does not hold that %s\n", line, what);
  }
}
#define HOLD(condition) hold(condition, #condition, __LINE__)
static int near(double x, double y) { return fabs(x - y) <= 1e-12 * (1 + fabs(y)); }

typedef const double *given_t;
/* Room for a call, as much as `_work` says. */
#define CALL(symbol, inputs, outputs) \
  do { \
    long long n_arg, n_res, n_iw, n_w; \
    HOLD(!symbol##_work(&n_arg, &n_res, &n_iw, &n_w) && n_iw == 0); \
    HOLD(symbol##_n_in() == (long long)(sizeof(inputs) / sizeof *(inputs))); \
    HOLD(symbol##_n_out() == (long long)(sizeof(outputs) / sizeof *(outputs))); \
    given_t args_[n_arg]; \
    double *results_[n_res + 1], work_[n_w + 1]; \
    memcpy(args_, inputs, sizeof(inputs)); \
    memcpy(results_, outputs, sizeof(outputs)); \
    status = symbol(args_, results_, 0, work_, 0); \
  } while (0)

/* a is 3 by 2 and lies column by column; the value is 2 by 3. */
static const double a[6] = {1, 2, 3, 4, 5, 6}, s = 2;

static void tables(void) {
  HOLD(!strcmp(matrices_scaled_name_in(0), "a") && !strcmp(matrices_scaled_name_out(0), "value"));
  HOLD(!matrices_scaled_name_in(2) && !matrices_scaled_sparsity_in(-1));
  const long long *in = matrices_scaled_sparsity_in(0), *out = matrices_scaled_sparsity_out(0);
  HOLD(in[0] == 3 && in[1] == 2 && in[2] == 1 && out[0] == 2 && out[1] == 3 && out[2] == 1);
  HOLD(matrices_many_diff_in(0) && matrices_many_diff_in(1) && !matrices_many_diff_in(2) && !matrices_many_diff_out(2));
  HOLD(!strcmp(jac_matrices_scaled_name_out(1), "jac_value_s"));
  const long long *block = jac_matrices_scaled_sparsity_out(0), *none = jac_matrices_many_sparsity_out(4);
  /* An entry for each column, and the matrix is turned on the way. */
  HOLD(block[0] == 6 && block[1] == 6 && block[2] == 0 && block[3] == 1 && block[8] == 6);
  HOLD(block[9] == 0 && block[10] == 2 && block[11] == 4 && block[12] == 1 && block[13] == 3 && block[14] == 5);
  HOLD(none[0] == 1 && none[1] == 3 && !none[2] && !none[3] && !none[4] && !none[5]);
  HOLD(!strcmp(fwd1_adj1_matrices_scaled_name_in(6), "fwd_a"));
}

static void values(void) {
  int status;
  double value[6], columns[6], by_s[6];
  CALL(matrices_scaled, ((given_t[]){a, &s}), ((double *[]){value}));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) HOLD(value[j + i * 2] == s * a[i + j * 3] * a[i + j * 3]);
  /* What is not given is zero, what is not wanted is left alone. */
  CALL(matrices_scaled, ((given_t[]){a, 0}), ((double *[]){value}));
  HOLD(status == 0 && value[5] == 0);
  CALL(matrices_scaled, ((given_t[]){a, &s}), ((double *[]){0}));
  HOLD(status == 0);
  CALL(jac_matrices_scaled, ((given_t[]){a, &s, 0}), ((double *[]){columns, by_s}));
  HOLD(status == 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 6; k++) {
        int at = j + i * 2, of = i + j * 3;
        HOLD(k != of || (columns[k] == 2 * s * a[of] && by_s[at] == a[of] * a[of]));
      }
  /* Row by row, and column by column. */
  for (int e = 0; e < 6; e++) {
    double seed[6] = {0}, a_bar[6], s_bar, value_dot[6];
    seed[e] = 1;
    CALL(adj1_matrices_scaled, ((given_t[]){a, &s, 0, seed}), ((double *[]){a_bar, &s_bar}));
    for (int k = 0; k < 6; k++) HOLD(a_bar[k] == (k == e / 2 + e % 2 * 3 ? columns[k] : 0) && s_bar == by_s[e]);
    CALL(fwd1_matrices_scaled, ((given_t[]){a, &s, 0, seed, 0}), ((double *[]){value_dot}));
    for (int k = 0; k < 6; k++) HOLD(value_dot[k] == (e == k / 2 + k % 2 * 3 ? columns[e] : 0));
  }
  const double ones[6] = {1, 1, 1, 1, 1, 1}, two = 2;
  double a_bar_dot[6], s_bar_dot;
  CALL(fwd1_adj1_matrices_scaled, ((given_t[]){a, &s, 0, ones, 0, 0, ones, &two, 0, 0}),
       ((double *[]){a_bar_dot, &s_bar_dot}));
  HOLD(status == 0 && s_bar_dot == 42);
  for (int k = 0; k < 6; k++) HOLD(a_bar_dot[k] == 2 * s + 4 * a[k]);
}

static void parts(void) {
  int status;
  const double w[3] = {1, 2, 3}, b = 0.5, k = 4, on = 1, picks[3] = {1, 0, 2};
  double value, list[3], square, same[3], w_bar[3], b_bar, rest[6];
  CALL(matrices_many, ((given_t[]){w, &b, &k, &on, picks}), ((double *[]){&value, list, &square, same}));
  HOLD(same[2] == 2);
  HOLD(status == 0 && value == 1.5 && list[0] == 0.5 && list[1] == 0 && list[2] == 3 && square == 16);
  CALL(matrices_many, ((given_t[]){w, &b, &k, 0, picks}), ((double *[]){&value, 0, 0, 0}));
  HOLD(status == 0 && value == 3);
  const double one = 1, half = 4.5, none = NAN;
  CALL(adj1_matrices_many, ((given_t[]){w, &b, &k, &on, picks, 0, 0, 0, 0, &one, 0, 0, 0}),
       ((double *[]){w_bar, &b_bar, &rest[0], &rest[1], &rest[2]}));
  HOLD(status == 0 && w_bar[1] == 0.25 && b_bar == 6 && rest[0] == 0 && rest[1] == 0 && rest[4] == 0);
  double by_w[9], by_b[3];
  CALL(jac_matrices_many, ((given_t[]){w, &b, &k, &on, picks, 0, 0, 0, 0}),
       ((double *[]){0, 0, 0, 0, 0, by_w, by_b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  HOLD(status == 0 && by_w[0] == 0.5 && by_w[4] == 0 && by_w[8] == 1 && by_w[1] == 0 && by_b[2] == 6);
  for (int at = 0; at < 2; at++) {
    CALL(matrices_many, ((given_t[]){w, &b, at ? &half : &none, &on, picks}),
         ((double *[]){&value, list, &square, 0}));
    HOLD(status == 1 && strstr(matrices_message(), at ? "4.5 was given for an Int" : "nan was given for an Int"));
  }
  CALL(matrices_whole, ((given_t[]){&k}), ((double *[]){&value}));
  HOLD(status == 0 && value == 5 && !*matrices_message());
  const double below = -1;
  CALL(matrices_refuses, ((given_t[]){&below}), ((double *[]){&value}));
  HOLD(status == 1 && strstr(matrices_message(), "not that (matrices.pull:"));
  CALL(jac_matrices_refuses, ((given_t[]){&below, 0}), ((double *[]){&value}));
  HOLD(status == 1);
  const double three = 3, four = 4;
  double x_bar[3];
  CALL(adj1_matrices_counted, ((given_t[]){&three, w, 0, &one}), ((double *[]){0, x_bar}));
  HOLD(status == 0 && near(x_bar[2], cos(3.0)));
  CALL(matrices_counted, ((given_t[]){&four, w}), ((double *[]){&value}));
  HOLD(status == 1);
}

/* A function of matrices with so many numbers, and its Jacobian by one sweep for each number of an input. */
typedef int (*function)(const double **arg, double **res, long long *iw, double *w, int mem);
typedef const long long *(*sizes)(long long i);
static void compressed(function jac, sizes blocks, function forward, int n_in, const int *in, int n_out, const int *out,
                       const double **point, int entries) {
  given_t given[40];
  double *wanted[40], room[40][60], work[400], seed[60], column[8][60], *columns[8], only[60];
  int n = n_in * n_out, seen = 0;
  memcpy(given, point, sizeof(*given) * (size_t)(n_in + n_out));
  for (int b = 0; b < n; b++) wanted[b] = room[b];
  HOLD(!jac(given, wanted, 0, work, 0));
  for (int i = 0; i < n_in; i++)
    for (int e = 0; e < in[i]; e++) {
      memset(seed, 0, sizeof seed);
      seed[e] = 1;
      for (int k = 0; k < n_in; k++) given[n_in + n_out + k] = k == i ? seed : 0;
      for (int o = 0; o < n_out; o++) columns[o] = column[o];
      HOLD(!forward(given, columns, 0, work, 0));
      for (int o = 0; o < n_out; o++) {
        const long long *ccs = blocks(o * n_in + i);
        HOLD(ccs[0] == out[o] && ccs[1] == in[i]);
        double full[60] = {0};
        int is_dense = ccs[2] == 1;
        for (long long k = is_dense ? 0 : ccs[2 + e]; k < (is_dense ? out[o] : ccs[3 + e]); k++, seen++)
          full[is_dense ? k : ccs[3 + in[i] + k]] = room[o * n_in + i][is_dense ? e * out[o] + k : k];
        for (int k = 0; k < out[o]; k++) HOLD(full[k] == column[o][k]);
      }
    }
  HOLD(seen == entries);
  /* One block alone. */
  for (int b = 0; b < n; b++) {
    const long long *ccs = blocks(b);
    long long count = ccs[2] == 1 ? ccs[0] * ccs[1] : ccs[2 + ccs[1]];
    for (int k = 0; k < n; k++) wanted[k] = k == b ? only : 0;
    HOLD(!jac(given, wanted, 0, work, 0));
    for (long long k = 0; k < count; k++) HOLD(only[k] == room[b][k]);
  }
}

static void sparse(void) {
  const double x[3] = {1, 2, 3}, c = 2, seed[3] = {0.5, -1, 2}, three = 3, two = 2, one = 1;
  const long long *band = jac_matrices_banded_sparsity_out(0), *full = jac_matrices_banded_sparsity_out(1);
  const long long wanted[] = {3, 3, 0, 2, 4, 5, 0, 1, 1, 2, 2};
  HOLD(!memcmp(band, wanted, sizeof wanted) && full[2] == 1);
  compressed(jac_matrices_banded, jac_matrices_banded_sparsity_out, fwd1_matrices_banded, 2, (int[]){3, 1}, 1,
             (int[]){3}, (given_t[]){x, &c, 0}, 8);
  compressed(jac_matrices_rolled, jac_matrices_rolled_sparsity_out, fwd1_matrices_rolled, 1, (int[]){6}, 1, (int[]){6},
             (given_t[]){a, 0}, 6);
  compressed(jac_matrices_first, jac_matrices_first_sparsity_out, fwd1_matrices_first, 2, (int[]){1, 3}, 1, (int[]){3},
             (given_t[]){&three, x, 0}, 5);
  /* The cotangents by the inputs, by the value, which nothing depends on, and by its cotangent. */
  compressed(jac_adj1_matrices_banded, jac_adj1_matrices_banded_sparsity_out, fwd1_adj1_matrices_banded, 4,
             (int[]){3, 1, 3, 3}, 2, (int[]){3, 1}, (given_t[]){x, &c, 0, seed, 0, 0}, 4 + 3 + 3 + 8);
  compressed(jac_adj1_matrices_bent, jac_adj1_matrices_bent_sparsity_out, fwd1_adj1_matrices_bent, 3,
             (int[]){3, 1, 1}, 1, (int[]){3}, (given_t[]){x, 0, &one, 0}, 7 + 3);
  /* An Int, or a Real, decides where the entries are. */
  HOLD(jac_matrices_picked_sparsity_out(1)[2] == 1 && jac_matrices_sorted_sparsity_out(0)[2] == 1);
  compressed(jac_matrices_picked, jac_matrices_picked_sparsity_out, fwd1_matrices_picked, 2, (int[]){1, 3}, 1,
             (int[]){3}, (given_t[]){&two, x, 0}, 9);
}

int main(void) {
  tables();
  sparse();
  matrices_scaled_incref();
  values();
  parts();
  long before = held;
  for (int i = 0; i < 1000; i++) values(), parts();
  HOLD(held == before && held > 0);
  matrices_scaled_decref();
  HOLD(held == 0);
  for (long k = 0; k < 50; k++) {
    int status;
    double value[6];
    refused = requests + k;
    matrices_many_incref();
    CALL(matrices_scaled, ((given_t[]){a, &s}), ((double *[]){value}));
    HOLD(status == 1 || value[5] == 72);
    matrices_many_decref();
    HOLD(held == 0);
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
