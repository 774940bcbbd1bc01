$ pullback run examples/lstm_text.pull main 2 20 --input examples/data/jabberwocky.json --json
exit 0
> {"before": 3.187279185564526, "after": 2.9671319539044743, "continuation": ["h", " ", " ", " ", " ", "i", "i", "i", " ", "i", " ", "i", " ", "i", "h", "v", "h", "s", "r", "h", " ", "a", " ", "i", "h", "r", "a", " ", " ", "a", "i", "i", "h", "s", " ", " ", " ", "a", " ", "i"]}

$ pullback run examples/logistic.pull --input examples/data/iris.json --json
exit 0
> {"loss": 0.1733316642160788, "accuracy": 0.9533333333333334}

$ pullback grad examples/papers/quaternion.pull rotate_x q0 v0
exit 0
> value: 71.87400000000008
> gradient:
>   q = { x = 91.96000000000001, y = 58.08, z = -77.44, w = 38.72000000000001 }
>   v = { x = 4.840000000000005, y = -24.2, z = 26.620000000000005 }

$ pullback grad examples/papers/notes.pull f2 1.0
exit 0
> value: 2.0
> gradient:
>   x = 7.0

$ pullback grad examples/tree_product.pull leaf_product 'Node (Leaf 2.0) (Leaf 3.0)'
exit 0
> value: 6.0
> gradient:
>   t = Node (Leaf 3.0) (Leaf 2.0)

$ pullback grad examples/gmm.pull objective --input examples/data/gmm.json --wrt alpha --json
exit 0
> {"value": -180.92386346126932, "gradient": {"alpha": [2.4382717693296523, 3.671723011325553, -0.10684711436752543, -6.003147666287682]}}
