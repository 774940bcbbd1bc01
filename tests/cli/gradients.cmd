$ pullback show tests/cli/programs/gradients.pull dotted --stage opt
exit 0
> fn @`grad dotted`.0(a.0: []f64, b.1: []f64) -> f64, []f64, []f64 {
>   n.2: i64 = dim(a.0, 0)
>   check_size(b.1, 0, n.2, "the size of parameter `b` and `n`")
>   total.3: f64 = for i.4 < n.2 with total.5: f64 = 0.0 {
>     element.6: f64 = a.0[i.4]
>     element.7: f64 = b.1[i.4]
>     t.8: f64 = mul(element.6, element.7)
>     total.9: f64 = add(total.5, t.8)
>     yield total.9
>   }
>   yield total.3, b.1, a.0
> }

$ pullback show tests/cli/programs/gradients.pull applied --stage opt
exit 0
> fn @`grad applied`.0(a.0: [][]f64, x.1: []f64) -> f64, [][]f64, []f64 {
>   size.2: i64 = dim(x.1, 0)
>   check_size(a.0, 1, size.2, "dimension 2 of parameter `a` and `m`")
>   n.3: i64 = dim(a.0, 0)
>   zero.4: []f64 = zero(x.1)
>   acc.5: acc []f64 = new_acc(zero.4)
>   total.6: f64, bar.7: [][]f64 = for i.8 < n.3 with total.9: f64 = 0.0 {
>     total.10: f64 = for i.11 < size.2 with total.12: f64 = 0.0 {
>       element.13: f64 = a.0[i.8, i.11]
>       element.14: f64 = x.1[i.11]
>       t.15: f64 = mul(element.13, element.14)
>       acc.5[i.11] += element.13
>       total.16: f64 = add(total.12, t.15)
>       yield total.16
>     }
>     total.17: f64 = add(total.9, total.10)
>     yield total.17
>     collect x.1
>   }
>   size.18: i64 = dim(a.0, 1)
>   bar.19: [][]f64 = sized(bar.7, 1, size.18)
>   bar.20: []f64 = read_acc(acc.5)
>   yield total.6, bar.19, bar.20
> }

$ pullback show tests/cli/programs/gradients.pull lse --stage opt
exit 0
> fn @`grad logsumexp`.0(xs.0: []f64) -> f64, []f64 {
>   n.1: i64 = dim(xs.0, 0)
>   state.2: f64 = for i.3 < n.1 with m.4: f64 = -inf {
>     element.5: f64 = xs.0[i.3]
>     t.6: f64 = max(m.4, element.5)
>     yield t.6
>   }
>   total.7: f64, array.8: []f64 = for i.9 < n.1 with total.10: f64 = 0.0 {
>     element.11: f64 = xs.0[i.9]
>     t.12: f64 = sub(element.11, state.2)
>     t.13: bool = eq(t.12, t.12)
>     t.14: bool = ne(element.11, state.2)
>     t.15: bool = select(t.13, true, t.14)
>     t.16: f64 = select(t.15, t.12, 0.0)
>     t.17: f64 = exp(t.16)
>     total.18: f64 = add(total.10, t.17)
>     yield total.18
>     collect t.17
>   }
>   t.19: f64 = log(total.7)
>   p.20: f64 = div(1.0, total.7)
>   t.21: f64 = add(state.2, t.19)
>   bar.22: []f64 = for i.23 < n.1 {
>     t.24: f64 = array.8[i.23]
>     bar.25: f64 = mul(p.20, t.24)
>     collect bar.25
>   }
>   yield t.21, bar.22
> }

$ pullback show tests/cli/programs/gradients.pull horner --stage opt
exit 0
> fn @`grad horner`.0(c.0: []f64, x.1: f64) -> f64, []f64, f64 {
>   n.2: i64 = dim(c.0, 0)
>   state.3: f64, acc.4: []f64 = for i.5 < n.2 with acc.6: f64 = 0.0 {
>     element.7: f64 = c.0[i.5]
>     t.8: f64 = mul(acc.6, x.1)
>     t.9: f64 = add(t.8, element.7)
>     yield t.9
>     collect acc.6
>   }
>   bar.10: f64, bar.11: f64, bar.12: []f64 = for down i.13 < n.2 with state_bar.14: f64 = 1.0,
>       bar.15: f64 = 0.0 {
>     acc.16: f64 = acc.4[i.13]
>     bar.17: f64 = mul(state_bar.14, acc.16)
>     bar.18: f64 = add(bar.15, bar.17)
>     bar.19: f64 = mul(state_bar.14, x.1)
>     yield bar.19, bar.18
>     collect state_bar.14
>   }
>   yield state.3, bar.12, bar.11
> }

$ pullback show tests/cli/programs/gradients.pull newton --stage opt
exit 0
> fn @`grad newton`.0(a.0: f64) -> f64, f64 {
>   state.1: f64, count.2: i64, p.3: []f64, p.4: []f64 = loop with x.5: f64 = a.0,
>       counter.6: i64 = 0 while {
>     t.7: f64 = mul(x.5, x.5)
>     t.8: f64 = sub(t.7, a.0)
>     t.9: f64 = abs(t.8)
>     t.10: bool = gt(t.9, 1e-12)
>     yield t.10
>   } do {
>     t.11: f64 = div(a.0, x.5)
>     p.12: f64 = div(1.0, x.5)
>     p.13: f64 = mul(t.11, p.12)
>     p.14: f64 = neg(p.13)
>     t.15: f64 = add(x.5, t.11)
>     t.16: f64 = mul(0.5, t.15)
>     next.17: i64 = int_add(counter.6, 1)
>     yield t.16, next.17
>     collect p.14, p.12
>   }
>   bar.18: f64, bar.19: f64 = for down k.20 < count.2 with state_bar.21: f64 = 1.0,
>       bar.22: f64 = 0.0 {
>     p.23: f64 = p.3[k.20]
>     p.24: f64 = p.4[k.20]
>     bar.25: f64 = mul(state_bar.21, 0.5)
>     bar.26: f64 = mul(bar.25, p.23)
>     bar.27: f64 = add(bar.25, bar.26)
>     bar.28: f64 = mul(bar.25, p.24)
>     bar.29: f64 = add(bar.22, bar.28)
>     yield bar.27, bar.29
>   }
>   bar.30: f64 = add(bar.19, bar.18)
>   yield state.1, bar.30
> }

$ pullback show tests/cli/programs/gradients.pull total --stage opt
exit 0
> data Tree.0 with tangent `T Tree`.1 = Leaf.0(f64) | Node.1(Tree.0, Tree.0)
> tangent data `T Tree`.1 = Leaf.0(f64) | Node.1(`T Tree`.1, `T Tree`.1) | Zero.2
> data `X total`.2 = Residuals.0(f64) | Residuals.1(`X total`.2, `X total`.2)
>
> fn @`grad total`.0(t.0: Tree.0) -> f64, `T Tree`.1 {
>   t.1: f64, x.2: `X total`.2, x.3: `X total`.2 = match t.0 {
>     Leaf.0(x.4: f64) => {
>       t.7: f64 = mul(x.4, x.4)
>       undefined.8: `X total`.2 = undef
>       undefined.9: `X total`.2 = undef
>       yield t.7, undefined.8, undefined.9
>     }
>     Node.1(l.5: Tree.0, r.6: Tree.0) => {
>       y.10: f64, x.11: `X total`.2 = @`forward total`.1(l.5)
>       y.12: f64, x.13: `X total`.2 = @`forward total`.1(r.6)
>       t.14: f64 = add(y.10, y.12)
>       yield t.14, x.13, x.11
>     }
>   }
>   bar.15: `T Tree`.1 = match t.0 {
>     Leaf.0(x.16: f64) => {
>       bar.19: f64 = add(x.16, x.16)
>       bar.20: `T Tree`.1 = Leaf.0(bar.19)
>       yield bar.20
>     }
>     Node.1(l.17: Tree.0, r.18: Tree.0) => {
>       bar.21: `T Tree`.1 = @`pull total`.2(x.2)
>       bar.22: `T Tree`.1 = @`pull total`.2(x.3)
>       bar.23: `T Tree`.1 = Node.1(bar.22, bar.21)
>       yield bar.23
>     }
>   }
>   yield t.1, bar.15
> }
>
> fn @`forward total`.1(t.24: Tree.0) -> f64, `X total`.2 {
>   t.25: f64, residual.26: `X total`.2 = match t.24 {
>     Leaf.0(x.27: f64) => {
>       t.30: f64 = mul(x.27, x.27)
>       residual.31: `X total`.2 = Residuals.0(x.27)
>       yield t.30, residual.31
>     }
>     Node.1(l.28: Tree.0, r.29: Tree.0) => {
>       y.32: f64, x.33: `X total`.2 = @`forward total`.1(l.28)
>       y.34: f64, x.35: `X total`.2 = @`forward total`.1(r.29)
>       t.36: f64 = add(y.32, y.34)
>       residual.37: `X total`.2 = Residuals.1(x.35, x.33)
>       yield t.36, residual.37
>     }
>   }
>   yield t.25, residual.26
> }
>
> fn @`pull total`.2(residual.38: `X total`.2) -> `T Tree`.1 {
>   bar.39: `T Tree`.1 = match residual.38 {
>     Residuals.0(field.40: f64) => {
>       bar.43: f64 = add(field.40, field.40)
>       bar.44: `T Tree`.1 = Leaf.0(bar.43)
>       yield bar.44
>     }
>     Residuals.1(field.41: `X total`.2, field.42: `X total`.2) => {
>       bar.45: `T Tree`.1 = @`pull total`.2(field.41)
>       bar.46: `T Tree`.1 = @`pull total`.2(field.42)
>       bar.47: `T Tree`.1 = Node.1(bar.46, bar.45)
>       yield bar.47
>     }
>   }
>   yield bar.39
> }

$ pullback show tests/cli/programs/gradients.pull gathered --stage opt
exit 0
> fn @`grad gathered`.0(x.0: []f64, at.1: []i64) -> f64, []f64 {
>   n.2: i64 = dim(at.1, 0)
>   zero.3: []f64 = zero(x.0)
>   acc.4: acc []f64 = new_acc(zero.3)
>   total.5: f64 = for i.6 < n.2 with total.7: f64 = 0.0 {
>     element.8: i64 = at.1[i.6]
>     element.9: f64 = x.0[element.8]
>     t.10: f64 = mul(element.9, element.9)
>     bar.11: f64 = add(element.9, element.9)
>     acc.4[element.8] += bar.11
>     total.12: f64 = add(total.7, t.10)
>     yield total.12
>   }
>   bar.13: []f64 = read_acc(acc.4)
>   yield total.5, bar.13
> }

$ pullback show tests/cli/programs/gradients.pull nearest --stage opt
exit 0
> fn @`grad nearest`.0(points.0: [][]f64, centroids.1: [][]f64) -> f64, [][]f64, [][]f64 {
>   check_size(points.0, 1, 2, "dimension 2 of parameter `points` and its declared size")
>   check_size(centroids.1, 1, 2, "dimension 2 of parameter `centroids` and its declared size")
>   n.2: i64 = dim(points.0, 0)
>   n.3: i64 = dim(centroids.1, 0)
>   t.4: bool = int_eq(n.3, 0)
>   zero.5: [][]f64 = zero(centroids.1)
>   acc.6: acc [][]f64 = new_acc(zero.5)
>   total.7: f64, bar.8: [][]f64 = for i.9 < n.2 with total.10: f64 = 0.0 {
>     element.11: f64 = points.0[i.9, 0]
>     element.12: f64 = points.0[i.9, 1]
>     if t.4 {
>       never.13: f64 = fail("minimum of an empty array")
>     } else { }
>     state.14: f64, array.15: []f64 = for i.16 < n.3 with m.17: f64 = inf {
>       element.18: f64 = centroids.1[i.16, 0]
>       t.19: f64 = sub(element.11, element.18)
>       t.20: f64 = mul(t.19, t.19)
>       element.21: f64 = centroids.1[i.16, 1]
>       t.22: f64 = sub(element.12, element.21)
>       t.23: f64 = mul(t.22, t.22)
>       sum.24: f64 = add(t.20, t.23)
>       t.25: f64 = min(m.17, sum.24)
>       yield t.25
>       collect sum.24
>     }
>     t.26: bool = is_nan(state.14)
>     state.27: i64 = for i.28 < n.3 with state.29: i64 = 0 {
>       element.30: f64 = array.15[i.28]
>       t.31: bool = eq(element.30, state.14)
>       t.32: bool = select(t.26, true, t.31)
>       t.33: i64 = select(t.32, 1, 0)
>       t.34: i64 = int_add(state.29, t.33)
>       yield t.34
>     }
>     t.35: f64 = if t.26 { yield nan } else {
>       t.36: f64 = real(state.27)
>       t.37: f64 = div(1.0, t.36)
>       yield t.37
>     }
>     bar.38: f64, bar.39: f64 = for i.40 < n.3 with total.41: f64 = 0.0, total.42: f64 = 0.0 {
>       element.43: f64 = array.15[i.40]
>       t.44: bool = eq(element.43, state.14)
>       t.45: bool = select(t.26, true, t.44)
>       bar.46: f64 = select(t.45, t.35, 0.0)
>       element.47: f64 = centroids.1[i.40, 1]
>       t.48: f64 = sub(element.12, element.47)
>       element.49: f64 = centroids.1[i.40, 0]
>       t.50: f64 = sub(element.11, element.49)
>       bar.51: f64 = mul_zero(bar.46, t.48)
>       bar.52: f64 = add(bar.51, bar.51)
>       bar.53: f64 = neg(bar.52)
>       acc.6[i.40, 1] += bar.53
>       bar.54: f64 = mul_zero(bar.46, t.50)
>       bar.55: f64 = add(bar.54, bar.54)
>       bar.56: f64 = neg(bar.55)
>       acc.6[i.40, 0] += bar.56
>       total.57: f64 = add(total.41, bar.52)
>       total.58: f64 = add(total.42, bar.55)
>       yield total.57, total.58
>     }
>     bar.59: []f64 = [bar.39, bar.38]
>     total.60: f64 = add(total.10, state.14)
>     yield total.60
>     collect bar.59
>   }
>   bar.61: [][]f64 = sized(bar.8, 1, 2)
>   bar.62: [][]f64 = read_acc(acc.6)
>   yield total.7, bar.61, bar.62
> }

$ pullback show tests/cli/programs/gradients.pull convolved --stage opt
exit 0
> fn @`grad convolved`.0(x.0: []f64, w.1: []f64) -> f64, []f64, []f64 {
>   size.2: i64 = dim(w.1, 0)
>   n.3: i64 = dim(x.0, 0)
>   t.4: i64 = int_sub(n.3, size.2)
>   t.5: i64 = int_add(t.4, 1)
>   zero.6: []f64 = zero(x.0)
>   acc.7: acc []f64 = new_acc(zero.6)
>   zero.8: []f64 = zero(w.1)
>   acc.9: acc []f64 = new_acc(zero.8)
>   check_count(t.5)
>   total.10: f64 = for i.11 < t.5 with total.12: f64 = 0.0 {
>     total.13: f64 = for j.14 < size.2 with total.15: f64 = 0.0 {
>       t.16: i64 = int_add(i.11, j.14)
>       element.17: f64 = x.0[t.16]
>       element.18: f64 = w.1[j.14]
>       t.19: f64 = mul(element.17, element.18)
>       total.20: f64 = add(total.15, t.19)
>       yield total.20
>     }
>     t.21: f64 = mul(total.13, total.13)
>     bar.22: f64 = add(total.13, total.13)
>     for i.23 < size.2 {
>       t.24: i64 = int_add(i.11, i.23)
>       element.25: f64 = x.0[t.24]
>       element.26: f64 = w.1[i.23]
>       bar.27: f64 = mul(bar.22, element.25)
>       bar.28: f64 = mul(bar.22, element.26)
>       acc.9[i.23] += bar.27
>       acc.7[t.24] += bar.28
>     }
>     total.29: f64 = add(total.12, t.21)
>     yield total.29
>   }
>   bar.30: []f64 = read_acc(acc.7)
>   bar.31: []f64 = read_acc(acc.9)
>   yield total.10, bar.30, bar.31
> }

$ pullback show tests/cli/programs/gradients.pull attended --stage opt
exit 0
> fn @`grad attended`.0(q.0: []f64, keys.1: [][]f64, values.2: []f64) -> f64, []f64, [][]f64, []f64 {
>   size.3: i64 = dim(q.0, 0)
>   n.4: i64 = dim(keys.1, 0)
>   check_size(keys.1, 1, size.3, "dimension 2 of parameter `keys` and `d`")
>   check_size(values.2, 0, n.4, "the size of parameter `values` and `n`")
>   total.5: f64, total.6: f64, array.7: []f64 = for i.8 < n.4 with total.9: f64 = 0.0,
>       total.10: f64 = 0.0 {
>     total.11: f64 = for i.12 < size.3 with total.13: f64 = 0.0 {
>       element.14: f64 = q.0[i.12]
>       element.15: f64 = keys.1[i.8, i.12]
>       t.16: f64 = mul(element.14, element.15)
>       total.17: f64 = add(total.13, t.16)
>       yield total.17
>     }
>     t.18: f64 = exp(total.11)
>     element.19: f64 = values.2[i.8]
>     t.20: f64 = mul(t.18, element.19)
>     total.21: f64 = add(total.9, t.20)
>     total.22: f64 = add(total.10, t.18)
>     yield total.21, total.22
>     collect t.18
>   }
>   t.23: f64 = div(total.5, total.6)
>   p.24: f64 = div(1.0, total.6)
>   p.25: f64 = mul(t.23, p.24)
>   zero.26: []f64 = zero(q.0)
>   acc.27: acc []f64 = new_acc(zero.26)
>   bar.28: [][]f64, bar.29: []f64 = for i.30 < n.4 {
>     t.31: f64 = array.7[i.30]
>     element.32: f64 = values.2[i.30]
>     bar.33: f64 = mul(p.24, t.31)
>     bar.34: f64 = mul(p.24, element.32)
>     bar.35: f64 = sub(bar.34, p.25)
>     bar.36: f64 = mul(bar.35, t.31)
>     bar.37: []f64 = for i.38 < size.3 {
>       element.39: f64 = q.0[i.38]
>       element.40: f64 = keys.1[i.30, i.38]
>       bar.41: f64 = mul(bar.36, element.39)
>       bar.42: f64 = mul(bar.36, element.40)
>       acc.27[i.38] += bar.42
>       collect bar.41
>     }
>     collect bar.37, bar.33
>   }
>   bar.43: []f64 = read_acc(acc.27)
>   size.44: i64 = dim(keys.1, 1)
>   bar.45: [][]f64 = sized(bar.28, 1, size.44)
>   yield t.23, bar.43, bar.45, bar.29
> }

$ pullback show tests/cli/programs/gradients.pull curvature --stage opt
exit 0
> fn @`grad curvature`.0(x.0: f64) -> f64, f64 {
>   t.1: f64 = mul(x.0, x.0)
>   p.2: f64 = cos(t.1)
>   p.3: f64 = sin(t.1)
>   p.4: f64 = neg(p.3)
>   bar.5: f64 = mul(p.2, x.0)
>   bar.6: f64 = add(bar.5, bar.5)
>   bar.7: f64 = mul(2.0, p.2)
>   bar.8: f64 = mul(2.0, x.0)
>   bar.9: f64 = mul(bar.8, p.4)
>   bar.10: f64 = mul(bar.9, x.0)
>   bar.11: f64 = add(bar.7, bar.10)
>   bar.12: f64 = add(bar.11, bar.10)
>   yield bar.6, bar.12
> }

$ pullback show tests/cli/programs/gradients.pull inner --stage opt
exit 0
> fn @`grad inner`.0(x.0: []f64, alpha.1: []f64, mu.2: [][]f64) -> f64, []f64, []f64, [][]f64 {
>   size.3: i64 = dim(x.0, 0)
>   n.4: i64 = dim(alpha.1, 0)
>   check_size(mu.2, 1, size.3, "dimension 2 of parameter `mu` and `d`")
>   check_size(mu.2, 0, n.4, "the size of parameter `mu` and `k`")
>   state.5: f64, array.6: []f64 = for j.7 < n.4 with m.8: f64 = -inf {
>     element.9: f64 = alpha.1[j.7]
>     total.10: f64 = for i.11 < size.3 with total.12: f64 = 0.0 {
>       element.13: f64 = x.0[i.11]
>       element.14: f64 = mu.2[j.7, i.11]
>       t.15: f64 = sub(element.13, element.14)
>       t.16: f64 = mul(t.15, t.15)
>       total.17: f64 = add(total.12, t.16)
>       yield total.17
>     }
>     t.18: f64 = mul(0.5, total.10)
>     t.19: f64 = sub(element.9, t.18)
>     t.20: f64 = max(m.8, t.19)
>     yield t.20
>     collect t.19
>   }
>   total.21: f64, array.22: []f64 = for i.23 < n.4 with total.24: f64 = 0.0 {
>     element.25: f64 = array.6[i.23]
>     t.26: f64 = sub(element.25, state.5)
>     t.27: bool = eq(t.26, t.26)
>     t.28: bool = ne(element.25, state.5)
>     t.29: bool = select(t.27, true, t.28)
>     t.30: f64 = select(t.29, t.26, 0.0)
>     t.31: f64 = exp(t.30)
>     total.32: f64 = add(total.24, t.31)
>     yield total.32
>     collect t.31
>   }
>   t.33: f64 = log(total.21)
>   p.34: f64 = div(1.0, total.21)
>   t.35: f64 = add(state.5, t.33)
>   zero.36: []f64 = zero(x.0)
>   acc.37: acc []f64 = new_acc(zero.36)
>   bar.38: []f64, bar.39: [][]f64 = for i.40 < n.4 {
>     t.41: f64 = array.22[i.40]
>     bar.42: f64 = mul(p.34, t.41)
>     bar.43: f64 = neg(bar.42)
>     bar.44: f64 = mul(bar.43, 0.5)
>     bar.45: []f64 = for i.46 < size.3 {
>       element.47: f64 = x.0[i.46]
>       element.48: f64 = mu.2[i.40, i.46]
>       t.49: f64 = sub(element.47, element.48)
>       bar.50: f64 = mul_zero(bar.44, t.49)
>       bar.51: f64 = add(bar.50, bar.50)
>       bar.52: f64 = neg(bar.51)
>       acc.37[i.46] += bar.51
>       collect bar.52
>     }
>     collect bar.42, bar.45
>   }
>   bar.53: []f64 = read_acc(acc.37)
>   size.54: i64 = dim(mu.2, 1)
>   bar.55: [][]f64 = sized(bar.39, 1, size.54)
>   yield t.35, bar.53, bar.38, bar.55
> }

$ pullback grad tests/cli/programs/covariance.pull spread [0.0,0.0,0.0] 0.5 [[1.0]] [1.0] --engine ir
exit 0
> value: 0.15234375
> gradient:
>   times = [0.0, 0.0, 0.0]
>   q = -0.3125
>   a = [[-5.546875]]
>   c = [-4.0625]

$ pullback grad tests/cli/programs/covariance.pull spread [0.0,0.0,0.0] 0.5 [[1.0]] [1.0] --engine native
exit 0
> value: 0.15234375
> gradient:
>   times = [0.0, 0.0, 0.0]
>   q = -0.3125
>   a = [[-5.546875]]
>   c = [-4.0625]
