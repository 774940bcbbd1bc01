/* Sums of products for many columns at once: register tiling (Goto & van de Geijn 2008). */

/* The columns that go at once. Their sums stay in registers, beside what they share. */
#define PB_TILE 6
/* The steps that go before the next tile has its turn: what they read stays in the first cache. */
#define PB_STEPS 128

/* Adds so many steps to the sums of some columns, so many parts of vectors of each: to those that are there, or to zeros. */
PB_INLINE void pb_tile(pb_p *sums, int64_t row, const double *x, int64_t x_step, const double *y, int64_t y_column,
                       int64_t y_step, int64_t n, int goes_on, const int parts, const int columns) {
  pb_p s[PB_TILE * 4];
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < parts; i++) s[j * parts + i] = goes_on ? sums[j * row + i] : (pb_p){0};
  for (; n > 0; n--, x += x_step, y += y_step) {
    pb_p v[4];
    for (int i = 0; i < parts; i++) v[i] = *(const pb_p_any *)(x + i * PB_PART);
    for (int j = 0; j < columns; j++) {
      const pb_p w = pb_p_all(y[j * y_column]);
      for (int i = 0; i < parts; i++) s[j * parts + i] += v[i] * w;
    }
  }
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < parts; i++) sums[j * row + i] = s[j * parts + i];
}

/* The same for any number of columns. */
PB_INLINE void pb_tiles(pb_p *sums, int64_t row, const double *x, int64_t x_step, const double *y, int64_t y_column,
                        int64_t y_step, int64_t columns, int64_t n, int goes_on, const int parts) {
  for (; columns >= PB_TILE; columns -= PB_TILE, sums += PB_TILE * row, y += PB_TILE * y_column)
    pb_tile(sums, row, x, x_step, y, y_column, y_step, n, goes_on, parts, PB_TILE);
  if (columns & 4) {
    pb_tile(sums, row, x, x_step, y, y_column, y_step, n, goes_on, parts, 4);
    sums += 4 * row, y += 4 * y_column;
  }
  if (columns & 2) {
    pb_tile(sums, row, x, x_step, y, y_column, y_step, n, goes_on, parts, 2);
    sums += 2 * row, y += 2 * y_column;
  }
  if (columns & 1) pb_tile(sums, row, x, x_step, y, y_column, y_step, n, goes_on, parts, 1);
}

/* The same of strong products, which are 0 where one factor is: the first of this number. */
static PB_UNUSED __attribute__((cold, noinline)) void pb_strong_tiles(
    pb_p *sums, int64_t row, const double *x, int64_t x_step, const double *y, int64_t y_column, int64_t y_step,
    int64_t columns, int64_t n, int goes_on, int strong) {
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < row; i++) {
      pb_p s = goes_on ? sums[j * row + i] : (pb_p){0};
      for (int64_t k = 0; k < n; k++) {
        const pb_p v = *(const pb_p_any *)(x + k * x_step + i * PB_PART), w = pb_p_all(y[j * y_column + k * y_step]);
        s += strong == 1 ? pb_p_mul_zero(v, w) : pb_p_mul_zero(w, v);
      }
      sums[j * row + i] = s;
    }
}

/* Adds up all steps for all columns, some steps at a time. Of a vector's lanes so many are in memory. */
PB_INLINE void pb_sum_steps(pb_p *sums, int64_t row, const double *x, int64_t x_step, int64_t lanes, const double *y,
                            int64_t y_column, int64_t y_step, int64_t columns, int64_t n, int strong, const int is_plain) {
  for (int64_t k = 0; k == 0 || k < n; k += PB_STEPS, x += PB_STEPS * x_step, y += PB_STEPS * y_step) {
    pb_v some[PB_STEPS];
    const int64_t steps = n - k < PB_STEPS ? n - k : PB_STEPS;
    const double *from = x;
    int64_t step = x_step;
    if (lanes < 8) {
      for (int64_t at = 0; at < steps; at++) some[at] = pb_load_where(x + at * x_step, pb_first(lanes));
      from = (const double *)some, step = 8;
    }
    if (!is_plain) {
      pb_strong_tiles(sums, row, from, step, y, y_column, y_step, columns, steps, k > 0, strong);
      continue;
    }
#if PB_PART == 8
    if (row == 4) {
      pb_tiles(sums, row, from, step, y, y_column, y_step, columns, steps, k > 0, 4);
      continue;
    }
    for (int64_t at = 0; at < row; at++)
      pb_tiles(sums + at, row, from + at * PB_PART, step, y, y_column, y_step, columns, steps, k > 0, 1);
#else
    for (int64_t at = 0; at < row; at += 2)
      pb_tiles(sums + at, row, from + at * PB_PART, step, y, y_column, y_step, columns, steps, k > 0, 2);
#endif
  }
}

/* sums[j][lane] = the sum over k < n of x[k][lane] * y[k][j], for j < columns and so many vectors. In x one step is `x_step`
   numbers from the next, and one vector may have fewer lanes; in y one step is `y_step` from the next, and one column
   `y_column`. `strong`: 0, or which of the factors takes the other away where it is 0, that of x (1) or of y (2): where that
   makes a difference a sum of plain products is NaN. */
PB_LANES void pb_products(pb_v *sums, int64_t vectors, const double *x, int64_t x_step, int64_t lanes, const double *y,
                          int64_t y_column, int64_t y_step, int64_t columns, int64_t n, int strong) {
  pb_p *const s = (pb_p *)sums;
  const int64_t row = vectors * (8 / PB_PART), all = columns * row;
  pb_sum_steps(s, row, x, x_step, lanes, y, y_column, y_step, columns, n, strong, 1);
  if (!strong) return;
  pb_q is_nan = {0};
  for (int64_t at = 0; at < all; at++) is_nan |= s[at] != s[at];
  if (PB_RARE(pb_p_some(is_nan))) pb_sum_steps(s, row, x, x_step, lanes, y, y_column, y_step, columns, n, strong, 0);
}

/* The same added to what is there, some columns at a time. */
PB_LANES void pb_add_products(pb_v *sums, int64_t vectors, const double *x, int64_t x_step, int64_t lanes,
                              const double *y, int64_t y_column, int64_t y_step, int64_t columns, int64_t n, int strong) {
  pb_v some[2 * PB_TILE * 4];
  for (int64_t j = 0; j < columns; j += 2 * PB_TILE) {
    const int64_t m = columns - j < 2 * PB_TILE ? columns - j : 2 * PB_TILE;
    pb_products(some, vectors, x, x_step, lanes, y + j * y_column, y_column, y_step, m, n, strong);
    for (int64_t at = 0; at < m * vectors; at++) sums[j * vectors + at] = PB_OP(sums[j * vectors + at], +, some[at]);
  }
}
