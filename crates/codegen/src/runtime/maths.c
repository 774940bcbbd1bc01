/* Functions on eight lanes, within 2 units in the last place. */

/* 2^n for n from -1022 to 1023. */
PB_INLINE pb_v pb_power_of_two(pb_w n) { return (pb_v)((n + 1023) << 52); }

/* x = n log 2 + r with |r| at most log 2 / 2; the power series of (exp r - 1 - r) / r^2. */
PB_INLINE pb_v pb_reduced(pb_v x, pb_w *n) {
  const double shift = 0x1.8p52;
  pb_v shifted = x * 0x1.71547652b82fep+0 + shift;
  *n = (pb_w)shifted - (pb_w)pb_all(shift);
  pb_v whole = shifted - shift;
  return (x - whole * 0x1.62e42fefa0000p-1) - whole * 0x1.cf79abc9e3b3ap-40;
}
PB_INLINE pb_v pb_series(pb_v r) {
  pb_v p = pb_all(1.0 / 6227020800.0);
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  return p * r + 0.5;
}
PB_INLINE pb_v pb_v_Exp(pb_v x) {
  x = pb_where(x > 710.0, pb_all(710.0), x);
  x = pb_where(x < -750.0, pb_all(-750.0), x);
  pb_w n;
  pb_v r = pb_reduced(x, &n);
  pb_v value = 1.0 + (r + r * r * pb_series(r));
  pb_w half = n >> 1;
  return value * pb_power_of_two(half) * pb_power_of_two(n - half);
}
/* 2 atanh s = log m for s = (m - 1) / (m + 1), and m between sqrt 1/2 and sqrt 2. */
PB_INLINE pb_v pb_v_Log(pb_v x) {
  pb_w is_tiny = x < 0x1p-1022;
  pb_v y = pb_where(is_tiny, x * 0x1p54, x);
  pb_w bits = (pb_w)y;
  pb_w e = ((bits - INT64_C(0x3fe6a09e667f3bcd)) >> 52);
  pb_v m = (pb_v)(bits - (e << 52));
  pb_v k = __builtin_convertvector(e - (is_tiny & 54), pb_v);
  pb_v f = m - 1.0, s = f / (2.0 + f), z = s * s;
  pb_v p = pb_all(2.0 / 23.0);
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  p = p * z + 2.0 / 3.0;
  p = p * z;
  /* log m = f - f^2/2 + s (f^2/2 + p), of which f is exact. */
  pb_v square = 0.5 * f * f;
  pb_v value = k * 0x1.62e42fefa0000p-1 - ((square - (s * (square + p) + k * 0x1.cf79abc9e3b3ap-40)) - f);
  value = pb_where(x == 0.0, pb_all(-(double)INFINITY), value);
  value = pb_where(x == (double)INFINITY, x, value);
  return pb_where(x >= 0.0, value, pb_all((double)NAN));
}
PB_INLINE pb_v pb_v_Tanh(pb_v x) {
  pb_v a = pb_v_Abs(x);
  pb_v y = pb_where(a > 22.0, pb_all(44.0), 2.0 * a);
  pb_w n;
  pb_v r = pb_reduced(y, &n);
  pb_v p = r + r * r * pb_series(r), scale = pb_power_of_two(n);
  pb_v e = (scale - 1.0) + scale * p;
  pb_v value = e / (e + 2.0);
  value = (pb_v)((pb_w)value | ((pb_w)x & INT64_MIN));
  return pb_where(x == x, value, x);
}
PB_INLINE pb_v pb_v_Sigmoid(pb_v x) {
  pb_v e = pb_v_Exp(-pb_v_Abs(x));
  return pb_where(x < 0.0, e, pb_all(1.0)) / (1.0 + e);
}
PB_INLINE pb_v pb_v_Sech(pb_v x) {
  pb_v e = pb_v_Exp(-pb_v_Abs(x));
  return 2.0 * e / (1.0 + e * e);
}
