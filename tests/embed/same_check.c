/* Prints the bits of what the library of same.pull computes. */
#include "bits.h"
#include "same.h"

#define N 1000

int main(void) {
  same_context *c = same_open();
  double value, slope;
  same_reals_1 point, slopes;
  same_reals_2 product;
  static double x[N];
  if (!c || same_point(c, N, &point)) return 1;
  memcpy(x, point.data, sizeof x);
  const same_reals_1 at = {x, {N}};
  const same_reals_2 square = {x, {30, 30}};
  if (same_rosenbrock_grad(c, at, &value, &slopes)) return 1;
  print(&value, 1);
  print(slopes.data, N);
  if (same_mixture_grad(c, at, &value, &slopes)) return 1;
  print(&value, 1);
  print(slopes.data, N);
  if (same_logistic_grad(c, 100, 0.3, &value, &slope)) return 1;
  print(&value, 1);
  print(&slope, 1);
  if (same_product(c, square, square, &product)) return 1;
  print(product.data, 900);
  same_close(c);
  return 0;
}
