/* Trigonometric functions on eight lanes, within 2 units in the last place. Products of which the
   rounding errors are asked for are exact, so that it is all one whether the compiler rounds a product and a sum
   once. */

static const double pb_sin_terms[7] = {
  -0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19, -0x1.ae645410e937bp-26,
  0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41};
static const double pb_cos_terms[6] = {
  0x1.5555555555555p-5, -0x1.6c16c16c16963p-10, 0x1.a01a019f4ddfdp-16, -0x1.27e4fa16cc2d1p-22, 0x1.1eeb67d026ec6p-29,
  -0x1.907cd8ff5ede7p-37};
/* Angles of at most this are x = n pi/2 + r for n of 18 bits: its products with the first two parts of pi/2 are exact. */
#define PB_NEAR 0x1p18

/* The angle that is left over, with the rest that it lacks, and in which quarter it is. */
PB_INLINE pb_v pb_quarter(pb_v x, pb_v *rest, pb_w *n) {
  const double shift = 0x1.8p52;
  pb_v shifted = x * 0x1.45f306dc9c883p-1 + shift;
  *n = (pb_w)shifted;
  pb_v whole = shifted - shift;
  pb_v first = x - whole * 0x1.921fb544p+0;
  pb_v high = first - whole * 0x1.0b4611a6p-34;
  pb_v low = whole * 0x1.3198a2e037073p-69 - ((first - high) - whole * 0x1.0b4611a6p-34);
  pb_v r = high - low;
  *rest = (high - r) - low;
  return r;
}
/* The sine and the cosine of r + rest, in two parts. */
PB_INLINE pb_v pb_near_sin(pb_v r, pb_v rest, pb_v *more) {
  pb_v z = r * r;
  *more = r * z * pb_polynomial(z, pb_sin_terms, 7) + rest * (1.0 - 0.5 * z);
  return r;
}
PB_INLINE pb_v pb_near_cos(pb_v r, pb_v rest, pb_v *more) {
  pb_v z = r * r, half = 0.5 * z, most = 1.0 - half;
  *more = ((1.0 - most) - half) + (z * z * pb_polynomial(z, pb_cos_terms, 6) - r * rest);
  return most;
}
/* Lanes whose angles are large have the C library's values, each for itself. */
static PB_UNUSED __attribute__((cold, noinline)) void pb_far(pb_v *value, const pb_v *x, double (*f)(double)) {
  PB_LANE(l) if (fabs((*x)[l]) > PB_NEAR) (*value)[l] = f((*x)[l]);
}
#define PB_IF_FAR(value, x, f) \
  if (PB_RARE(pb_some(pb_v_Abs(x) > PB_NEAR))) { \
    pb_v far_x = x, far_value = value; \
    pb_far(&far_value, &far_x, f); \
    value = far_value; \
  }

/* The sine of an angle that is so many quarters further on. */
PB_INLINE pb_v pb_wave(pb_v x, int64_t further) {
  pb_w n;
  pb_v rest, more1, more2, r = pb_quarter(x, &rest, &n);
  pb_v sine = pb_near_sin(r, rest, &more1), cosine = pb_near_cos(r, rest, &more2);
  n += further;
  pb_v value = pb_where((n & 1) == 0, sine + more1, cosine + more2);
  return (pb_v)((pb_w)value ^ ((n & 2) << 62));
}
PB_INLINE pb_v pb_v_Sin(pb_v x) {
  pb_v value = pb_where(x == 0.0, x, pb_wave(x, 0));
  PB_IF_FAR(value, x, sin)
  return value;
}
PB_INLINE pb_v pb_v_Cos(pb_v x) {
  pb_v value = pb_wave(x, 1);
  PB_IF_FAR(value, x, cos)
  return value;
}
PB_INLINE pb_v pb_v_Tan(pb_v x) {
  pb_w n;
  pb_v rest, more1, more2, r = pb_quarter(x, &rest, &n);
  pb_v sine = pb_near_sin(r, rest, &more1), cosine = pb_near_cos(r, rest, &more2);
  pb_w is_even = (n & 1) == 0;
  pb_v top = pb_where(is_even, sine, -cosine), top_more = pb_where(is_even, more1, -more2);
  pb_v bottom = pb_where(is_even, cosine, sine), bottom_more = pb_where(is_even, more2, more1);
  pb_v value = pb_where(x == 0.0, x, pb_ratio(top, top_more, bottom, bottom_more));
  PB_IF_FAR(value, x, tan)
  return value;
}
