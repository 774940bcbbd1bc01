/* Prints which target the library of same.pull uses, and the bits of what it computes. */
#include "bits.h"
#include "same.h"

#define N 1000

int main(void) {
  same_context *c = same_open();
  double value;
  same_reals_1 point, slopes;
  static double x[N];
  printf("%s\n", same_target());
  if (!c || same_point(c, N, &point)) return 1;
  memcpy(x, point.data, sizeof x);
  const same_reals_1 at = {x, {N}};
  if (same_rosenbrock_grad(c, at, &value, &slopes)) return 1;
  print(&value, 1);
  print(slopes.data, N);
  if (same_mixture_grad(c, at, &value, &slopes)) return 1;
  print(&value, 1);
  print(slopes.data, N);
  /* What fails says so in each translation. */
  if (same_rosenbrock(c, (same_reals_1){0, {3}}, &value) != 1 || !strstr(same_message(c), "E0804")) return 1;
  if (same_mixture(c, at, &value)) return 1;
  same_close(c);
  return 0;
}
