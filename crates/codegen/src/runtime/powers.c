/* More functions on eight lanes that come of exponentials and logarithms, within 2 units in the last place. */

static const double pb_sinh_terms[7] = {
  0x1.5555555555555p-3, 0x1.11111111110fdp-7, 0x1.a01a01a01ee7p-13, 0x1.71de3a4e14f4p-19, 0x1.ae6460fae3728p-26,
  0x1.611cb330c1fe8p-33, 0x1.b41232cf9950fp-41};
/* Half of exp a, which is finite wherever cosh is. */
PB_INLINE pb_v pb_half_exp(pb_v a) {
  a = pb_where(a > 712.0, pb_all(712.0), a);
  pb_w n;
  pb_v r = pb_reduced(a, &n);
  return (1.0 + (r + r * r * pb_series(r))) * pb_power_of_two(n >> 1) * pb_power_of_two(n - (n >> 1) - 1);
}
PB_INLINE pb_v pb_v_Cosh(pb_v x) {
  pb_v half = pb_half_exp(pb_v_Abs(x));
  return half + 0.25 / half;
}
PB_INLINE pb_v pb_v_Sinh(pb_v x) {
  pb_v a = pb_v_Abs(x), z = x * x, half = pb_half_exp(a);
  pb_v small = x + x * z * pb_polynomial(z, pb_sinh_terms, 7);
  pb_v large = (pb_v)((pb_w)(half - 0.25 / half) | ((pb_w)x & INT64_MIN));
  return pb_where(a < 1.0, small, large);
}
PB_INLINE pb_v pb_v_Log1p(pb_v x) {
  pb_v lack, u = pb_exact_sum(x, pb_all(1.0), &lack);
  pb_v value = pb_log_of(u, lack / u);
  value = pb_where(pb_v_Abs(x) < 0x1p-54, x, value);
  value = pb_where(x == -1.0, pb_all(-(double)INFINITY), value);
  value = pb_where(x == (double)INFINITY, x, value);
  return pb_where(x >= -1.0, value, pb_all((double)NAN));
}
PB_INLINE pb_v pb_v_Softplus(pb_v x) {
  return pb_where(x > 0.0, x, pb_all(0.0)) + pb_v_Log1p(pb_v_Exp(-pb_v_Abs(x)));
}
PB_INLINE pb_v pb_v_Xlogy(pb_v x, pb_v y) {
  return pb_where((x == 0.0) & (y == y), pb_all(0.0), x * pb_v_Log(y));
}
