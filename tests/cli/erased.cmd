$ pullback grad examples/papers/differentiable_curry.pull summed_1 3.0 --engine curry-env --erase --verbose

$ pullback jvp examples/papers/differentiable_curry.pull summed_1 3.0 --tangent 1.0 --engine curry-env --erase

$ pullback vjp examples/papers/differentiable_curry.pull forgotten 3.0 --cotangent 2.0 --engine curry-env --erase

$ pullback run examples/papers/differentiable_curry.pull -e 'grad (grad summed_1) 3.0' --engine curry-env --erase

$ pullback test examples/papers/differentiable_curry.pull --engine curry-env --erase

$ pullback show examples/papers/differentiable_curry.pull summed_2 --stage rep --engine curry-env --erase

$ pullback show examples/papers/differentiable_curry.pull summed_2 --stage combinators --engine curry-env --erase

$ pullback grad examples/papers/differentiable_curry.pull summed_1 3.0 --erase

$ pullback grad examples/papers/differentiable_curry.pull summed_1 3.0 --engine delta --fuse --erase
