$ pullback show tests/stages/cube.pull --passes
exit 0
> `tests/stages/cube.pull` after `elaborate`: 2 definitions, 16 terms.
>
> elaborate
>   type  (typed tree, roots) -> Program
>   does  makes the typed calculus of the tree, with a copy of a definition for each list of types
>   law   each definition means what its source means, once for each list of types it is used at;
>         operators, patterns, sizes and the derived differentiation operators are gone
>   phase calculus
>   runs  always, first
>
> fuel
>   type  (Program, n) -> Program
>   does  bounds how deep functions recur
>   law   if the result has a value, the program has the same one; a recursive function may be entered
>         `n` times inside one another, then it fails (Lemmas 6.5 and 6.6 of the first paper)
>   phase calculus
>   runs  with `--fuel`
>
> specialise
>   type  (Program, roots) -> Program
>   does  applies functions that are known where they are used
>   law   each definition that the roots reach has the same meaning, errors and their order included;
>         functions that are known before the program runs are applied where they are used
>   phase calculus
>   runs  where a function that is differentiated inside the program is not known
>
> defunctionalise
>   type  (Program, root) -> (Program, root)
>   does  makes data of functions that are passed on, and a match where one is applied
>   law   the new root has the meaning of the old one, errors and their order included; what it
>         reaches passes no functions as values: a function is a tag and what it captured, which
>         `apply` matches
>   phase calculus
>   runs  where it is still not known after `specialise`
>
> eliminate
>   type  (Program, engine, root) -> Program
>   does  replaces operators of differentiation by calls of what the engine makes, those inside others
>         first
>   law   the root has the same meaning; each `vjp`, `jvp` and `linearize` that it reaches has become
>         a call of a definition that the engine made, those inside others first
>   phase engines
>   runs  in engines that transform programs
>
> unary
>   type  (Program, root) -> (Program, root)
>   does  gives a function one parameter, a tuple of those that it had
>   law   the new root has the meaning of the old one, and its body is a function of one parameter
>   phase engines
>   runs  before `translate`
>
> translate
>   type  (Program, S -> T) -> (Program, S -> (T, T' -> S')), or to (S, S') -> (T, T')
>   does  differentiates a function as the engine's paper does
>   law   by the engine: the first component has the meaning of the function, the second is its
>         pullback, or its tangent; nothing that it reaches is an operator of differentiation
>   phase engines
>   runs  in engines that transform programs: its pages in docs/engines
>
> tidy
>   type  (Program, first, root) -> Program
>   does  takes known functions, tuples and constructors out of what an engine made
>   law   each definition keeps its meaning, errors and their order included; in those made from
>         `first` on, known functions, tuples and constructors are gone, and so is what nobody uses
>         and cannot fail
>   phase engines
>   runs  in `curry-list` and `curry-env`, after reverse mode
>
> pieces
>   type  Program -> Program
>   does  carries the state of a translation through loops piece by piece
>   law   every definition has the same meaning; a loop that goes round with the state of a
>         translation makes no tuple of it
>   phase engines
>   runs  in `delta`, before a run
>
> trim
>   type  (Program, roots) -> Program
>   does  empties the definitions that nothing reaches
>   law   what the roots reach stays as it is; all else is emptied, so that the program is cheap to
>         copy and compile
>   phase engines
>   runs  before and after the passes of an engine
>
> lower
>   type  (Program, definitions) -> (IR, functions)
>   does  makes functions of the IR, with structures as several variables
>   law   each function computes what its definition does, errors and their order included; structures
>         are several variables, functions are known or tagged environments, operators of
>         differentiation are requests
>   phase lower
>   runs  in `ir`, after `specialise`
>
> limit-tapes
>   type  (IR, bytes) -> IR
>   does  puts checkpoints into loops that would save too much
>   law   the code computes what it did; a loop that would save more for reverse mode, as it finds
>         when it starts, runs in segments that are checkpoints
>   phase lower
>   runs  in `ir`, with `--max-tape`
>
> jvp
>   type  (S -> T, which of S move) -> (S, T S) -> (T, T T)
>   does  puts tangents beside the values of a function
>   law   the first results are those of the function, the others its derivative applied to the
>         tangents, linear in them statement by statement; the only pass that reads partial
>         derivatives
>   phase differentiate
>   runs  in `ir`, once for each function and what moves of it
>
> unzip
>   type  (S, T S) -> (T, T T) to S -> (T, X) and (X, T S) -> T T
>   does  takes a function with tangents apart, into its values and a linear part of what these save
>   law   both together are what came in, and the second is linear in the tangents; the only pass that
>         decides what is saved, linear in the operations executed
>   phase differentiate
>   runs  in `ir`, after `jvp`, for linear maps
>
> transpose
>   type  (X, T S) -> T T to (X, T T) -> T S
>   does  turns the linear part around, from cotangents of results to those of parameters
>   law   ⟨u, L v⟩ = ⟨Lᵀ u, v⟩, statement by statement
>   phase differentiate
>   runs  in `ir`, after `unzip`, for reverse mode
>
> small_routines
>   type  (IR, functions) -> (IR, functions)
>   does  calls the text of a routine where its argument is known to be small
>   law   a routine is called for large arguments alone, and gives what its text gives
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> tail_calls_to_loops
>   type  (IR, functions) -> (IR, functions)
>   does  makes loops of functions that call themselves last and hand on an array with other elements,
>         or other Reals where a loop collects what they give
>   law   f(x) = if c { a } else { b; f(y) } = f(x) = x = loop x while not c { b; y }; a
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> inline
>   type  (IR, functions) -> (IR, functions)
>   does  puts the bodies of small functions, and of those called once, in the place of calls, of
>         larger ones without loops inside loops, and of constants of which only parts are looked at
>   law   f(a…) = body of f with a… for its parameters and fresh names for what it binds; checkpoints
>         stay calls
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> unroll_recursion
>   type  (IR, functions) -> (IR, functions)
>   does  writes out the calls of recursive functions that known data or a known number leads to their
>         end
>   law   f(C(a)) = b, if the body of f with C(a) for its parameter is b, and b calls f no more
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> deforest
>   type  (IR, functions) -> (IR, functions)
>   does  makes one recursive function of two, of which one takes apart what the other makes
>   law   f(g(x)) = h(x) with h(x) = g(x) with f(C(y)) for each C(y) it gives, and h(z) for f(g(z)),
>         if nobody else sees g(x)
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> prune
>   type  (IR, functions) -> (IR, functions)
>   does  drops functions, data types and texts that nothing reaches
>   law   what is not named is not evaluated
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> simplify
>   type  (IR, functions) -> (IR, functions)
>   does  evaluates what is known, and replaces operations by cheaper ones
>   law   x * 1 = x, match C(a) { C(x) => b } = b with a for x, and the like: each exact in every bit
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> expand_powers
>   type  (IR, functions) -> (IR, functions)
>   does  makes products of powers with constant exponents
>   law   x ^ 5 = x * ((x * x) * (x * x)): the products that the primitive makes, in its order
>   phase simplify
>   scope code of which no derivative will be taken
>   runs  in the optimiser, until nothing changes
>
> while_to_for
>   type  (IR, functions) -> (IR, functions)
>   does  makes loops over indices of those that count up to a bound
>   law   loop i = a, s while i < n { (i + 1, b) } = for j < max(n, a) - a with s { i = a + j; b },
>         max(n, a), if a is a number from 0 on
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> propagate_sizes
>   type  (IR, functions) -> (IR, functions)
>   does  takes sizes of arrays and counts of loops from where they are known, and comparisons of
>         indices that those decide
>   law   dim([e | i < n], 0) = n, i < n is true below a loop over i < n, and the like
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> interprocedural_sizes
>   type  (IR, functions) -> (IR, functions)
>   does  takes sizes from all calls of a function, where they are one number in all of them
>   law   dim(x, 0) = 3, to_tangent(x, t) = t, if every x that comes here has 3 elements, and every t
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> interprocedural_constants
>   type  (IR, functions) -> (IR, functions)
>   does  takes numbers and constants from all calls of a function, where they are the same in all of
>         them
>   law   body of f = body of f with 3 for x, if every call of f has 3 for x, or x itself
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> preconditions
>   type  (IR, functions) -> (IR, functions)
>   does  writes one for parameters that are the same in all calls of a function, and says which sizes
>         of parameters are the same
>   law   body of f = body of f with x for y, if every call of f is f(a, a)
>   phase simplify
>   scope code of which no derivative will be taken
>   runs  in the optimiser, until nothing changes
>
> unroll
>   type  (IR, functions) -> (IR, functions)
>   does  writes out short loops that run a few times, and work on elements of arrays
>   law   for i < 3 { b } = b with 0 for i; b with 1 for i; b with 2 for i
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> unpack_sums
>   type  (IR, functions) -> (IR, functions)
>   does  keeps values of sum types in loops, branches and calls as their tags and fields
>   law   x = if c { yield C(a) } else { yield D(b) }; match x { C(y) => e, D(z) => f } = t, y, z = if
>         c { yield true, a, _ } else { yield false, _, b }; if t { e } else { f }; the same for
>         states, parameters and results of functions; nothing looks at _
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> scalar_replacement
>   type  (IR, functions) -> (IR, functions)
>   does  passes small arrays of known size, and keeps them in loops, as their elements
>   law   f(x) = f'(x[0], x[1]) with f'(a, b) = f([a, b]), if every x has 2 elements; the same for
>         states and results
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> scalarise_accumulators
>   type  (IR, functions) -> (IR, functions)
>   does  makes an accumulator for each number of a small array that is added to at known places
>   law   a = new_acc([x, y]); a[1] += v; read_acc(a) = b = new_acc(y); b += v; [x, read_acc(b)]
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> if_conversion
>   type  (IR, functions) -> (IR, functions)
>   does  makes selections of branches that are cheap and surely have a value
>   law   if c { a } else { b } = select(c, a, b)
>   phase simplify
>   scope code of which no derivative will be taken
>   runs  in the optimiser, until nothing changes
>
> reduce_from_identity
>   type  (IR, functions) -> (IR, functions)
>   does  finds largest and smallest elements from an infinity on
>   law   loop m = a[0] for i < n - 1 { min(m, a[i + 1]) } = loop m = inf for i < n { min(m, a[i]) },
>         where a has n elements
>   phase simplify
>   scope code of which no derivative will be taken
>   runs  in the optimiser, until nothing changes
>
> guarded_reductions
>   type  (IR, functions) -> (IR, functions)
>   does  adds to a state of a loop what a branch adds to it, or nothing
>   law   if p { s + x } else { s } = s + (if p { x } else { -0 })
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> merge_branches
>   type  (IR, functions) -> (IR, functions)
>   does  makes one branch of two that ask the same
>   law   x = if c { a } else { b }; y = if c { d } else { e } = x, y = if c { a; d with a for x }
>         else { b; e with b for x }
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> cse
>   type  (IR, functions) -> (IR, functions)
>   does  computes once what is computed again where the first result is seen
>   law   x = e, y = e: y = x
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> congruent_states
>   type  (IR, functions) -> (IR, functions)
>   does  makes one state of states of a loop that are always the same
>   law   loop (x, y) = (a, a) do (f x y, g x y), where f z z = g z z: loop x = a do f x x, y = x
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> dce
>   type  (IR, functions) -> (IR, functions)
>   does  leaves out what no result and no error depends on, through loops, branches, calls and boxes
>   law   x = e, b = b, if e does not fail and x is not in b
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> hoist
>   type  (IR, functions) -> (IR, functions)
>   does  moves what a loop does not change before the loop
>   law   for i < n { x = e; b } = x = e; for i < n { b }, if e does not name what the loop binds
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> hoist_field_loads
>   type  (IR, functions) -> (IR, functions)
>   does  takes arrays out of what a loop does not change before the loop
>   law   for i { match d { C(x) => b; … } } = y = match d { C(x) => x; … => undef }; for i { match d
>         { C(x) => b with y for x; … } }
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> split_reductions
>   type  (IR, functions) -> (IR, functions)
>   does  takes apart loops that only add up: what is added, and the sum
>   law   for i < n with s = 0 { yield s + e } = sum [e | i < n]
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> forward_elements
>   type  (IR, functions) -> (IR, functions)
>   does  reads elements of arrays that only arrange others from those
>   law   x = [a[j] | i < n]; x[k] = a[j] with k for i, if k is inside
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> interchange_loops
>   type  (IR, functions) -> (IR, functions)
>   does  adds up outer products element by element
>   law   a = new_acc(0); for i < n { for j < m { for k < p { a[j, k] += x[i, j] * y[i, k] } } } = a =
>         new_acc(0); for j < m { for k < p { s = for i < n with s = 0 { s + x[i, j] * y[i, k] }; a[j,
>         k] += s } }
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> update_to_accumulate
>   type  (IR, functions) -> (IR, functions)
>   does  adds to rows of an accumulator what a loop adds to rows of its state
>   law   loop s = a for i < n { s with [p] = [ s[p, j] + x | j < m ] } = acc = new_acc(a); for i < n
>         { for j < m { acc[p, j] += x } }; read_acc(acc), if rows of a have m elements
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> scatter_to_gather
>   type  (IR, functions) -> (IR, functions)
>   does  reads at neighbours what would be added to them
>   law   a = new_acc(0); for i < n { if i != 0 { a[i - 1] += v } }; y = read_acc(a) = b = [if i != 0
>         { v } else { 0 } | i < n]; y = [if j == n - 1 { 0 } else { b[j + 1] } | j < n], and one
>         element after the other for several places
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> scatter_to_map
>   type  (IR, functions) -> (IR, functions)
>   does  lets a loop collect what it adds to an accumulator row by row
>   law   a = new_acc(x); for i < n { a[i] += v }; y = read_acc(a) = y = for i < n { b =
>         new_acc(x[i]); b += v; collect read_acc(b) }, if x has n rows and nothing else adds to it
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> promote_accumulators
>   type  (IR, functions) -> (IR, functions)
>   does  makes states of loops, and results of branches, of what is accumulated in one number
>   law   a = new_acc(x); for i < n { a += v }; y = read_acc(a) = for i < n with y = x { yield y + v
>         }; 0 + v = v, for the zero that an accumulator begins with
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> unbox
>   type  (IR, functions) -> (IR, functions)
>   does  makes an array of boxes several arrays, of what is in the boxes
>   law   x = [C(a, b) | i < n]; x[k] = C(y[k], z[k]) with y = [a | i < n], z = [b | i < n], if C is
>         the only constructor and the rows of a and b are of one size each; so also where x is a
>         state of a loop, and where a call hands x on
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> drop_strong_zeros
>   type  (IR, functions) -> (IR, functions)
>   does  makes products of strong products with what is never absent
>   law   mul_zero(t, x) = t * x, if t is a (co)tangent that is there
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> elementwise_adds
>   type  (IR, functions) -> (IR, functions)
>   does  adds an array that is used once element by element
>   law   a += x = for i < n { a[i] += x[i] }, x + y = [x[i] + y[i] | i < n], if x has n elements
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> fuse
>   type  (IR, functions) -> (IR, functions)
>   does  makes one loop of several that run over the same indices
>   law   x = [e | i < n]; for i < n { b } = x = for i < n { b with e for x[i]; collect e }
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> fuse_recursive_sweeps
>   type  (IR, functions) -> (IR, functions)
>   does  makes one recursive function of a forward sweep and the backward sweep that follows it
>   law   y, x = F(a); c = B(x, g) = y, c = S(a, g), if nobody else sees x, S(a, g) = F(a), B(x, g)
>         with the same law for every call of F and B inside, and g does not wait for F
>   phase simplify
>   scope any code
>   runs  in the optimiser, until nothing changes
>
> specialise_constructors
>   type  (IR, functions) -> (IR, functions)
>   does  makes constructors for each way of the branch whose results and condition one constructor
>         keeps
>   law   x = if c { a } else { b }; d = C(c, x) and match d { C(c, x) => if c { e } else { f } } = d
>         = if c { C(a) } else { C'(b) } and match d { C(x) => e, C'(x) => f }
>   phase specialise
>   scope code of which no derivative will be taken
>   runs  in the optimiser, when the passes before change nothing more, and with them again until
>         nothing changes
>
> static_arguments
>   type  (IR, functions) -> (IR, functions)
>   does  hands what a recursive function puts into each of its values to what takes these apart
>   law   g (f a) = g' a (f a), if f p = C(p, f p …) and g (C(p, x …)) = e and g' p (C(_, x …)) = e
>   phase specialise
>   scope code of which no derivative will be taken
>   runs  in the optimiser, when the passes before change nothing more, and with them again until
>         nothing changes
>
> fuse_reductions
>   type  (IR, functions) -> (IR, functions)
>   does  adds up in the loop that makes what is added, without an array
>   law   sum [e | i < n] = for i < n with s = 0 { yield s + e }
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> overwrite_log
>   type  (IR, functions) -> (IR, functions)
>   does  saves what a loop writes over in an array instead of the array
>   law   m, a = for i with m { m' = m with [p] = x; yield m' collect m }; for down i { s(a[i]) } = m,
>         o = for i with m { m' = m with [p] = x; yield m' collect m[p] }; for down i with r = m { r'
>         = r with [p] = o[i]; s(r'); yield r' }
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> fuse_states
>   type  (IR, functions) -> (IR, functions)
>   does  makes one loop of several that run over the same indices, loops with states too
>   law   x = [e | i < n]; for i < n { b } = x = for i < n { b with e for x[i]; collect e }
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> accumulator_init
>   type  (IR, functions) -> (IR, functions)
>   does  begins with an array that is added to zeros
>   law   acc = new_acc(zeros); acc[p] += x; s; acc += a = s; acc = new_acc(a); acc[p] += x, if s does
>         not name acc
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> distribute_products
>   type  (IR, functions) -> (IR, functions)
>   does  gives a vector times a matrix, inside a loop over rows, a loop over rows of its own
>   law   y = for r < b { h = x[r] * w; s; collect z } = c = for r < b { h = x[r] * w; collect h }; y
>         = for q < b { h' = c[q]; s with h' for h; collect z }, if one of both at most fails, and
>         both touch no accumulator, or only elements that no other iteration touches
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> dead_collects
>   type  (IR, functions) -> (IR, functions)
>   does  lets loops collect nothing that is not read, also if their count may be negative
>   law   for i < n with s { yield t collect e } = check_count n, for i < n with s { yield t }
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> skip_zero_directions
>   type  (IR, functions) -> (IR, functions)
>   does  passes over iterations that add zeros, in loops over directions
>   law   for i < n with s = 0 { s + f x[i] } = z = [x[i] == 0 | i < n], for i < n with s = 0 { if
>         z[i] { s } else { s + f x[i] } }, if f 0 = 0
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> partition_loops
>   type  (IR, functions) -> (IR, functions)
>   does  sets apart the iterations at which a place wraps around or stops at an end
>   law   for i < n { b } = for i < n { if i == n - 1 { b } else { b with i + 1 for (i + 1) % n } },
>         if n is not negative, and the like for other distances, and for min and max
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> sink_updates
>   type  (IR, functions) -> (IR, functions)
>   does  makes an array with another element after what looks at the array before
>   law   b = a with [i] = x; s = s; b = a with [i] = x, if s does not name b, and `a with [i] = x`
>         does not fail; b = a with [i] = x; s = r = a[i]; b = a with [i] = x; s with r for a[i]; b =
>         a with [i] = a[j] = r = [ x | x <- a[j] ]; b = a with [i] = r; r = a[i]; if c { s } else { t
>         } = if c { r = a[i]; s } else { t }, if t does not name r, and s writes a; b = a with [i] =
>         x; s; n = dim(a, k) = n = dim(a, k); b = a with [i] = x; s
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> accumulate_to_update
>   type  (IR, functions) -> (IR, functions)
>   does  writes what is added to one element of an array, and leaves what is taken out and added
>         again
>   law   acc = new_acc(a); acc[p] += x; b = read_acc(acc) = r = a[p]; y = r + x; b = a with [p] = y;
>         r = a[p]; b = a with [p] = 0; acc = new_acc(b); s; acc[p] += r = r = a[p]; acc = new_acc(a);
>         s
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> distribute_loops
>   type  (IR, functions) -> (IR, functions)
>   does  computes what a loop writes into an array before it is written
>   law   m' = for j < n with a = m { s; b = a with [p, c + j] = x; yield b } = v = for j < n { s with
>         m for a; collect x }; m' = for j < n with a = m { b = a with [p, c + j] = v[j]; yield b },
>         if s reads nothing of a that an iteration before has written, and s or the place does not
>         fail
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> distribute_recurrences
>   type  (IR, functions) -> (IR, functions)
>   does  computes before the loop what does not need the array that the loop updates
>   law   b = for k < e with a = m { x = s; c = a with [i] = add(a[i], x); yield c } = v = for k < e {
>         x = s; _ = m[i]; collect x }; b = for j < e with a = m { c = a with [i] = add(a[i], v[j]);
>         yield c }, if s does not read a
>   phase schedule
>   scope any code
>   runs  once, when the other passes of the optimiser change nothing more
>
> split_functions
>   type  IR -> C
>   does  makes several functions of one that has very many statements
>   law   the statements are the same, in the same order
>   phase functions
>   runs  in `native`, where a function becomes C
>
> inline_base_cases
>   type  IR -> C
>   does  puts the base cases of recursive functions in the place of calls
>   law   f(x) = if c { a } else { g(x) }, if the body of f is if c { a } else { b } and g(x) = b
>   phase functions
>   runs  in `native`, where a function becomes C
>
> outline_slow_path
>   type  IR -> C
>   does  writes such a function as two: base cases, and the rest
>   law   both together are the statements of the function, in their order
>   phase functions
>   runs  in `native`, where a function becomes C
>   stays it cannot be left out
>
> borrow
>   type  IR -> C
>   does  lends arrays to recursive functions that only look at them
>   law   values are the same, and no array lives longer than the outermost call that is lent it
>   phase functions
>   runs  in `native`, where a function becomes C
>
> ownership
>   type  IR -> C
>   does  counts who holds an array or data, and gives back at the last use
>   law   each owner gives its count back or hands it on, once on each way through a block
>   phase functions
>   runs  in `native`, where a function becomes C
>   stays it cannot be left out
>
> literals
>   type  IR -> C
>   does  makes static tables of array literals that hold only constants
>   law   values are the same
>   phase functions
>   runs  in `native`, where a function becomes C
>
> rounded
>   type  IR -> C
>   does  rounds products before they are subtracted, where fast code could fuse the two
>   law   x * x - y * y is as strict code has it
>   phase functions
>   runs  in `native`, where a function becomes C
>   stays it cannot be left out
>
> parallel_loops
>   type  IR -> C
>   does  shares the iterations of loops that call, search or allocate out among threads
>   law   the bits and errors are those of one thread
>   phase functions
>   runs  in `native`, where a function becomes C
>
> loop_idioms
>   type  IR -> C
>   does  makes bare loops of those that copy elements or write one number
>   law   the array is the same; where a place may be outside, the checked loop runs
>   phase functions
>   runs  in `native`, where a function becomes C
>
> translation_units
>   type  IR -> C
>   does  writes a long program as several texts, which are compiled side by side
>   law   together they are the functions of the program
>   phase functions
>   runs  in `native`, where a function becomes C
>
> loop_versioning
>   type  IR -> C
>   does  asks before a kernel whether anything in it could fail, and goes to the checked loop if so
>   law   if the guard passes, no statement of the kernel fails
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> vectorise
>   type  IR -> C
>   does  lays loops across lanes whose iterations need not wait for each other
>   law   a variable has in every lane the value that its kind says: uniform, linear or varying
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> pack_rows
>   type  IR -> C
>   does  copies rows that are read again and again, the elements of eight rows side by side
>   law   what is read has the same bits
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> unroll_and_jam
>   type  IR -> C
>   does  runs two or four vectors of iterations at once, jammed into the loops inside
>   law   an iteration computes what it computed; the order of sums hangs on sizes alone
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> tile_products
>   type  IR -> C
>   does  adds up the products of 24 columns at once, in registers, by a function of the runtime
>   law   a sum has the same addends; products that are strong are 0 where they should be
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> jam_inner
>   type  IR -> C
>   does  runs up to four iterations of a loop inside one across lanes at once
>   law   an iteration computes what it computed; states go from one to the next in their order
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> pack_columns
>   type  IR -> C
>   does  reads the columns of large matrices from copies: turned, or some columns at a time
>   law   what is read has the same bits
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> index_tables
>   type  IR -> C
>   does  does Int arithmetic on the index of an inner loop once, before the kernel
>   law   values are the same; what could fail is not done early
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> elide_masks
>   type  IR -> C
>   does  leaves out masks where eight iterations lie on one side of every comparison of the index
>   law   which blocks an iteration runs stays the same
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> horizontal_reduce
>   type  IR -> C
>   does  reduces in each lane, and puts the lanes together after the loop
>   law   maxima, minima and Int sums are those of the loop; Real sums have one other, fixed order
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> masked_while
>   type  IR -> C
>   does  runs loops that end by a condition in lanes, with a mask of those that go on
>   law   each lane ends with the states that it would end with alone
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> carried_stores
>   type  IR -> C
>   does  carries what is added to neighbours in a vector, and stores each element once
>   law   an element gets its addends in the order of the iterations
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> skip_zeros
>   type  IR -> C
>   does  skips statements that only hand on a zero unless a condition holds in some lane
>   law   what is skipped would have added zeros
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> plain_products
>   type  IR -> C
>   does  adds up strong products as plain ones, and again as what they are if that gives NaN
>   law   a sum that is not NaN had no product of 0 and an infinity
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> combined_functions
>   type  IR -> C
>   does  computes functions of one argument that share their work, such as sine and cosine, by one
>         call
>   law   each result is what the function alone gives
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> piece_sums
>   type  IR -> C
>   does  gives each piece of a shared loop places of its own for what it adds up
>   law   the order of addends hangs on sizes alone, not on the number of threads
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C
>
> threads
>   type  IR -> C
>   does  shares the iterations of a kernel's outermost loop out among threads
>   law   the bits are those of one thread
>   phase kernels
>   runs  in `native`, where a nest of loops over numbers becomes C

$ pullback show tests/stages/cube.pull square --passes --stage lambda
exit 2
! error: the argument '--passes' cannot be used with '--stage <STAGE>'
!
! Usage: pullback show --passes <FILE> <ENTRY> [ARG]...
!
! For more information, try '--help'.

$ pullback show tests/stages/nowhere.pull --passes
exit 2
! error[E0801]: cannot read `tests/stages/nowhere.pull`: no such file or directory
!  |
!  = help: check the path and its permissions
!
