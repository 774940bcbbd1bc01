/* Calls a function of matrices.pull as CasADi does, and prints which target the library uses and what it gives. */
#include <stdio.h>

#include "matrices.h"

int main(void) {
  /* Three rows and two columns, column by column. */
  const double a[6] = {1, 2, 3, 4, 5, 6}, s = 0.5;
  const double *arg[2] = {a, &s};
  double scaled[6] = {0}, w[64];
  double *res[1] = {scaled};
  long long n_arg, n_res, n_iw, n_w;
  matrices_scaled_work(&n_arg, &n_res, &n_iw, &n_w);
  if (n_arg != 2 || n_res != 1 || n_w > 64) return 1;
  if (matrices_scaled_n_in() != 2 || matrices_scaled_sparsity_in(0)[0] != 3) return 1;
  matrices_scaled_incref();
  if (matrices_scaled(arg, res, 0, w, 0)) return 1;
  matrices_scaled_decref();
  printf("%s\n", matrices_target());
  for (int k = 0; k < 6; k++) printf("%g\n", scaled[k]);
  return 0;
}
