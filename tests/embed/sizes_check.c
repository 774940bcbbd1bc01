/* Calls the library of sizes.pull with arrays of wrong sizes, and with arrays of records that hold arrays. The library
   is a part of this file, so that its memory can be counted. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long held;
static void *given(void *block) {
  if (block) held++;
  return block;
}
static void *counted_calloc(size_t n, size_t m) { return given(calloc(n, m)); }
static void *counted_aligned(size_t a, size_t n) { return given(aligned_alloc(a, n)); }
static void counted_free(void *block) {
  if (block) held--;
  free(block);
}
#define calloc counted_calloc
#define aligned_alloc counted_aligned
#define free counted_free
#include "sizes.c"

static int wrong;
static void hold(int holds, const char *what, int line) {
  if (!holds) {
    wrong++;
    printf("%d: it does not hold that %s\n", line, what);
  }
}
#define HOLD(condition) hold(condition, #condition, __LINE__)

static sizes_context *c;
/* That a call is refused with these words, and writes nothing: no result of it points anywhere. */
#define REFUSED(call, words) \
  do { \
    HOLD((call) == 1); \
    if (strcmp(sizes_message(c), words)) wrong++, printf("%d: %s\n", __LINE__, sizes_message(c)); \
  } while (0)
#define NOT_FIT(name, words) "E0804: the value of `" name "` does not fit its parameter: " words
#define OTHER_SHAPE(name, words) "E0713: `" name "` has another shape than the value it belongs to: " words

static double x[64];
static int64_t k[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static bool yes[8] = {true, true, true, true, true, true};
static sizes_reals_1 v(int64_t n) { return (sizes_reals_1){x, {n}}; }
static sizes_ints_1 ints(int64_t n) { return (sizes_ints_1){k, {n}}; }
static sizes_reals_2 m(int64_t n, int64_t m) { return (sizes_reals_2){x, {n, m}}; }
static sizes_reals_3 t(int64_t n, int64_t m, int64_t l) { return (sizes_reals_3){x, {n, m, l}}; }

static void parts(void) {
  const char *two_five = "E0804: the parts of `ps` have 2 and 5 elements, and make no array together";
  REFUSED(sizes_pairs(c, v(2), v(5), 0), two_five);
  REFUSED(sizes_pairs_grad(c, v(2), v(5), 0, 0, 0), two_five);
  REFUSED(sizes_pairs_vjp(c, v(2), v(5), 1.0, 0, 0, 0), two_five);
  REFUSED(sizes_pairs_jvp(c, v(2), v(5), v(2), v(5), 0, 0), two_five);
  REFUSED(sizes_pairs_hvp(c, v(2), v(5), v(2), v(5), 0, 0), two_five);
  REFUSED(sizes_unnamed_grad(c, v(2), v(5), 0, 0, 0), two_five);
  REFUSED(sizes_mixed_grad(c, v(2), ints(5), 0, 0), two_five);
  REFUSED(sizes_mixed(c, v(5), ints(2), 0), "E0804: the parts of `ps` have 5 and 2 elements, and make no array together");
  const sizes_bools_2 bools = {yes, {2, 2}};
  const char *inner = "E0804: the parts of `m.ps` have 3 and 2 elements, and make no array together";
  REFUSED(sizes_inner(c, 1.0, m(2, 3), bools, v(3), 0), inner);
  REFUSED(sizes_inner_grad(c, 1.0, m(3, 2), bools, v(2), 0, 0, 0, 0), inner);
  REFUSED(sizes_inner(c, 1.0, m(2, 2), bools, v(3), 0), NOT_FIT("m", "it has size 3 where the size must be 2"));
  REFUSED(sizes_bodies(c, t(2, 3, 3), v(3), 0), "E0804: the parts of `bs` have 2 and 3 elements, and make no array together");
  REFUSED(sizes_nested(c, m(2, 3), t(2, 4, 2), ints(2), v(2), (sizes_bools_1){yes, {2}}, 0, 0, 0),
          "E0804: the parts of `xs.a` have 3 and 4 elements, and make no array together");
}

static void declared(void) {
  REFUSED(sizes_rows(c, m(0, 32), m(16, 2), 0), NOT_FIT("b", "it has size 2 where the size must be 32"));
  REFUSED(sizes_rows_grad(c, m(16, 2), m(0, 32), 0, 0, 0), NOT_FIT("b", "it has size 32 where the size must be 2"));
  REFUSED(sizes_three(c, v(2), 0), NOT_FIT("x", "it has size 2 where the size must be 3"));
  REFUSED(sizes_three_grad(c, v(4), 0, 0), NOT_FIT("x", "it has size 4 where the size must be 3"));
  REFUSED(sizes_counted(c, 2, v(3), 0), NOT_FIT("x", "it has size 3 where the size must be 2"));
  REFUSED(sizes_counted_grad(c, 5, v(3), 0, 0), NOT_FIT("x", "it has size 3 where the size must be 5"));
  REFUSED(sizes_counted(c, -1, v(0), 0), NOT_FIT("x", "it has size 0 where the size must be -1"));
  REFUSED(sizes_counted(c, INT64_MIN, v(0), 0), NOT_FIT("x", "it has size 0 where the size must be -9223372036854775808"));
  REFUSED(sizes_square(c, v(15), v(4), 0), NOT_FIT("x", "it has size 15 where the size must be 16"));
  REFUSED(sizes_square(c, v(0), v(INT64_C(1) << 40), 0), NOT_FIT("x", "it has size 0 where the size must be one that no Int is"));
  REFUSED(sizes_next_grad(c, v(3), v(3), 0, 0, 0), NOT_FIT("x", "it has size 3 where the size must be 4"));
  REFUSED(sizes_bodies_grad(c, t(0, 2, 3), v(0), 0, 0, 0), NOT_FIT("bs", "it has size 2 where the size must be 3"));
  REFUSED(sizes_late_vjp(c, v(2), v(3), v(3), v(3), v(3), 0, 0, 0, 0, 0), NOT_FIT("ps", "it has size 3 where the size must be 2"));
}

static void directions(void) {
  REFUSED(sizes_three_jvp(c, v(3), v(2), 0, 0), OTHER_SHAPE("x_dot", "it has size 2 where the size must be 3"));
  REFUSED(sizes_three_hvp(c, v(3), v(4), 0), OTHER_SHAPE("x_dot", "it has size 4 where the size must be 3"));
  REFUSED(sizes_pairs_jvp(c, v(3), v(3), v(3), v(2), 0, 0), OTHER_SHAPE("ps_1_dot", "it has size 2 where the size must be 3"));
  REFUSED(sizes_late_vjp(c, v(3), v(3), v(3), v(3), v(2), 0, 0, 0, 0, 0),
          OTHER_SHAPE("value_1_bar", "it has size 2 where the size must be 3"));
  REFUSED(sizes_scale_vjp(c, m(2, 3), v(2), 1.0, m(2, 2), v(2), 0, 0, 0, 0, 0),
          OTHER_SHAPE("value_r_bar", "it has size 2 where the size must be 3"));
  REFUSED(sizes_loose_vjp(c, v(3), v(-2), 0, 0), NOT_FIT("value_bar", "it has size -2 in dimension 0"));
  for (int i = 0; i < 3; i++) x[i] = 1.0;
  HOLD(sizes_loose_vjp(c, v(3), v(2), 0, 0) == 1 && strstr(sizes_message(c), "E0713: a tangent or cotangent has another shape"));
}

/* Sizes that no array has, of the first and of the last parameter. */
static void hostile(void) {
  static const char *const large = NOT_FIT("ps_0", "it has more elements than memory holds");
  REFUSED(sizes_pairs(c, v(INT64_MAX), v(INT64_MAX), 0), large);
  REFUSED(sizes_pairs_grad(c, v(INT64_C(1) << 61), v(2), 0, 0, 0), large);
  REFUSED(sizes_pairs(c, v((INT64_C(1) << 44) + 1), v(2), 0), large);
  REFUSED(sizes_pairs(c, v(2), v(INT64_MAX), 0), NOT_FIT("ps_1", "it has more elements than memory holds"));
  REFUSED(sizes_pairs(c, v(INT64_MIN), v(INT64_MIN), 0), NOT_FIT("ps_0", "it has size -9223372036854775808 in dimension 0"));
  REFUSED(sizes_pairs(c, v(2), v(-1), 0), NOT_FIT("ps_1", "it has size -1 in dimension 0"));
  REFUSED(sizes_rows(c, m(-1, -1), m(1, 1), 0), NOT_FIT("a", "it has size -1 in dimension 0"));
  REFUSED(sizes_rows(c, m(1, 1), m(0, -1), 0), NOT_FIT("b", "it has size -1 in dimension 1"));
  static const char *const a = NOT_FIT("a", "it has more elements than memory holds");
  REFUSED(sizes_rows(c, m(INT64_C(1) << 32, INT64_C(1) << 32), m(1, INT64_C(1) << 32), 0), a);
  REFUSED(sizes_rows(c, m(INT64_C(3) << 31, INT64_C(3) << 31), m(1, 1), 0), a);
  REFUSED(sizes_rows(c, (sizes_reals_2){0, {0, INT64_MAX}}, (sizes_reals_2){0, {0, INT64_MAX}}, 0), a);
  REFUSED(sizes_rows_grad(c, (sizes_reals_2){0, {INT64_MAX, 0}}, m(1, 0), 0, 0, 0), a);
  REFUSED(sizes_pairs(c, (sizes_reals_1){0, {1}}, v(1), 0), NOT_FIT("ps_0", "it has elements, but no data"));
  REFUSED(sizes_pairs(c, v(1), (sizes_reals_1){0, {1}}, 0), NOT_FIT("ps_1", "it has elements, but no data"));
}

static void fits(void) {
  double value = 1.0;
  sizes_reals_1 none = {0, {0}}, one, two;
  sizes_reals_2 rows, more;
  HOLD(sizes_pairs_grad(c, none, none, &value, &one, &two) == 0 && value == 0.0 && one.size[0] == 0 && two.size[0] == 0);
  HOLD(sizes_rows_grad(c, (sizes_reals_2){0, {0, 2}}, m(16, 2), &value, &rows, &more) == 0);
  HOLD(rows.size[0] == 0 && rows.size[1] == 2 && more.size[0] == 16 && more.size[1] == 2);
  HOLD(sizes_counted(c, 0, none, &value) == 0 && value == 0.0);
  HOLD(sizes_square(c, v(16), v(4), &value) == 0 && sizes_square(c, none, none, &value) == 0);
  HOLD(sizes_next(c, none, v(1), &value) == 0 && value == 0.0);
}

static void records(void) {
  double r[18], mass[2] = {2.0, 3.0}, value, s_bar;
  sizes_reals_3 r_bar, g_bar, q;
  sizes_reals_2 rows, more, s_bars;
  sizes_reals_1 m_bar, ms;
  for (int i = 0; i < 18; i++) r[i] = i + 1;
  const sizes_reals_3 rs = {r, {2, 3, 3}};
  const sizes_reals_1 masses = {mass, {2}};
  HOLD(sizes_bodies_grad(c, rs, masses, &value, &r_bar, &m_bar) == 0 && value == 2 * 15.0 + 3 * 42.0);
  HOLD(r_bar.size[0] == 2 && r_bar.size[1] == 3 && r_bar.size[2] == 3 && m_bar.data[0] == 15.0 && m_bar.data[1] == 42.0);
  for (int i = 0; i < 18; i++) HOLD(r_bar.data[i] == (i % 9 % 4 == 0 ? mass[i / 9] : 0.0));
  /* The Hessian has a one for each mass with each number on a diagonal. */
  HOLD(sizes_bodies_hvp(c, rs, masses, rs, masses, &r_bar, &m_bar) == 0 && r_bar.data[17] == 3.0 && m_bar.data[0] == 15.0);
  HOLD(sizes_bodies_grad(c, (sizes_reals_3){0, {0, 3, 3}}, (sizes_reals_1){0, {0}}, &value, &r_bar, &m_bar) == 0);
  HOLD(value == 0.0 && r_bar.size[0] == 0 && r_bar.size[1] == 3 && r_bar.size[2] == 3 && m_bar.size[0] == 0);
  const sizes_reals_2 flat = {r, {2, 3}};
  HOLD(sizes_scale_vjp(c, flat, masses, 2.0, flat, masses, &rows, &ms, &more, &m_bar, &s_bar) == 0);
  HOLD(rows.size[0] == 2 && rows.size[1] == 3 && rows.data[5] == 12.0 && ms.data[1] == 9.0);
  HOLD(more.data[5] == 12.0 && m_bar.data[1] == 18.0 && s_bar == 91.0);
  const sizes_bools_1 only_first = {(const bool[]){true, false}, {2}};
  sizes_ints_1 z;
  const double pair[4] = {1.0, 2.0, 3.0, 4.0}, both[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  HOLD(sizes_nested_vjp(c, (sizes_reals_2){pair, {2, 2}}, (sizes_reals_3){both, {2, 2, 2}}, ints(2), masses, only_first, 1.0,
                        (sizes_reals_3){both, {2, 2, 2}}, &value, &q, &z, &rows, &r_bar, &m_bar) == 0);
  HOLD(value == 2 * (1 * 2 + 2 * 12.0) + (3 * 30 + 4 * 56.0) && q.size[2] == 2 && q.data[7] == 8.0 && z.data[1] == 2);
  HOLD(rows.data[0] == 4.0 && rows.data[3] == 56.0 && r_bar.data[7] == 4 * 7.0 + 8.0 && m_bar.data[0] == 26.0 && m_bar.data[1] == 0.0);
  const sizes_reals_3 g = {r, {2, 3, 2}};
  HOLD(sizes_grid_grad(c, g, flat, &value, &g_bar, &s_bars) == 0 && g_bar.data[10] == 6.0 && g_bar.data[11] == 24.0 && s_bars.data[5] == 11.0);
  HOLD(sizes_grid_grad(c, (sizes_reals_3){0, {0, 3, 2}}, (sizes_reals_2){0, {0, 3}}, &value, &g_bar, &s_bars) == 0);
  HOLD(g_bar.size[1] == 3 && g_bar.size[2] == 2 && s_bars.size[1] == 3);
  HOLD(sizes_uneven(c, 1.0, ints(2), &rows, &z) == 1 && strstr(sizes_message(c), "E0703: the sizes of the rows differ: 2 and 1"));
  HOLD(sizes_uneven(c, 1.5, (sizes_ints_1){(const int64_t[]){2, 2}, {2}}, &rows, &z) == 0 && rows.size[1] == 2 && rows.data[3] == 1.5);
}

int main(void) {
  c = sizes_open();
  if (!c) return 1;
  for (int i = 0; i < 3; i++) {
    parts();
    declared();
    directions();
    hostile();
    fits();
    records();
  }
  long before = held;
  for (int i = 0; i < 200; i++) {
    parts();
    hostile();
  }
  HOLD(held <= before);
  sizes_close(c);
  HOLD(held == 0);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
