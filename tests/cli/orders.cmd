$ pullback dev examples/papers/towers.pull order 20 0.5 --count
exit 0
>             value  gradient
> operations   1657      3966
> weight       1724      4093
> bytes       21312     27248
> peak        19536     20352
> copied          0         0
> steps         293       606

$ pullback dev examples/papers/towers.pull order 40 0.5 --count
exit 0
>             value  gradient
> operations   6107     14716
> weight       6234     14963
> bytes       22592     33328
> peak        19536     21632
> copied          0         0
> steps         983      2006

$ pullback dev examples/papers/towers.pull order 80 0.5 --count
exit 0
>             value  gradient
> operations  23407     56616
> weight      23654     57103
> bytes       25152     45488
> peak        20328     24192
> copied          0         0
> steps        3563      7206
