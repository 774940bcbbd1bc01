$ pullback show tests/cli/programs/delta_stages.pull notation --stage delta
exit 0
> D{notation} = \x -> do
>   let y = mul x.0 x.0
>   u_y <- deltaLet (plus (scale x.0 x.1) (scale x.0 x.1))
>   let f = \z -> do
>     let y2 = add z.0 y
>     u <- deltaLet (plus z.1 u_y)
>     pure (y2, u)
>   f (2.0, Zero)
>
> R{notation} = \s ->
>   let u = Var 0
>   let (t, state) = runDelta 1 (D{notation} (s, u))
>   let size = state.next
>   let binds = state.binds
>   let value = t.0
>   ( value
>   , \dt ->
>     let u2 = plus Zero (scale dt t.1)
>     let finalMap = eval 1.0 u2 binds (emptyMap size)
>     lookupOrZero 0 finalMap
>   )

$ pullback show tests/cli/programs/delta_stages.pull shared --stage delta1
exit 0
> D1{shared} = \x ->
>   let y = mul x.0 x.0
>   let u_y = plus (scale x.0 x.1) (scale x.0 x.1)
>   let y2 = add y y
>   let u = plus u_y u_y
>   (y2, u)
>
> R1{shared} = \s ->
>   let n = narrow 1
>   let u = oneHot n 0
>   let t = D1{shared} (s, u)
>   let value = t.0
>   ( value
>   , \dt ->
>     let u2 = plus Zero (scale dt t.1)
>     let finalMap = vector n u2
>     lookupOrZero 0 finalMap
>   )

$ pullback show tests/cli/programs/delta_stages.pull shared --stage delta2
exit 0
> D2{shared} = \x ->
>   let y = mul x.0 x.0
>   let u_y = plus (scale x.0 x.1) (scale x.0 x.1)
>   let y2 = add y y
>   let u = plus u_y u_y
>   (y2, u)
>
> R2{shared} = \s ->
>   let u = OneHot 0
>   let t = D2{shared} (s, u)
>   let value = t.0
>   ( value
>   , \dt ->
>     let u2 = plus Zero (scale dt t.1)
>     let finalMap = eval2 1.0 u2 (emptyMap 1)
>     lookupOrZero 0 finalMap
>   )

$ pullback show tests/cli/programs/delta_stages.pull two_calls --stage delta-fused
exit 0
> D{two_calls} = \x -> do
>   r <- D'{g} x x
>   r2 <- D'{g} (2.0, Zero) x
>   let y = add r.0 r2.0
>   u <- deltaLet (plus r.1 r2.1)
>   pure (y, u)
>
> D'{g} = \x y ->
>   if isActive y.1
>     then do
>       let y2 = sin y.0
>       let p = cos y.0
>       let y3 = mul x.0 y2
>       let p2 = mul p x.0
>       u <- deltaLet (plus (scale y2 x.1) (scale p2 y.1))
>       pure (y3, u)
>     else D{g} x y
>
> D{g} = \x y -> do
>   let y2 = sin y.0
>   u <- deltaLet (scale (cos y.0) y.1)
>   let y3 = mul x.0 y2
>   u2 <- deltaLet (plus (scale y2 x.1) (scale x.0 u))
>   pure (y3, u2)
>
> R{two_calls} = \s ->
>   let u = Var 0
>   let (t, state) = runDelta 1 (D{two_calls} (s, u))
>   let size = state.next
>   let binds = state.binds
>   let value = t.0
>   ( value
>   , \dt ->
>     let u2 = plus Zero (scale dt t.1)
>     let finalMap = eval 1.0 u2 binds (emptyMap size)
>     lookupOrZero 0 finalMap
>   )

$ pullback show tests/cli/programs/delta_stages.pull two_calls --stage delta
exit 0
> D{two_calls} = \x -> do
>   r <- D{g} x x
>   r2 <- D{g} (2.0, Zero) x
>   let y = add r.0 r2.0
>   u <- deltaLet (plus r.1 r2.1)
>   pure (y, u)
>
> D{g} = \x y -> do
>   let y2 = sin y.0
>   u <- deltaLet (scale (cos y.0) y.1)
>   let y3 = mul x.0 y2
>   u2 <- deltaLet (plus (scale y2 x.1) (scale x.0 u))
>   pure (y3, u2)
>
> R{two_calls} = \s ->
>   let u = Var 0
>   let (t, state) = runDelta 1 (D{two_calls} (s, u))
>   let size = state.next
>   let binds = state.binds
>   let value = t.0
>   ( value
>   , \dt ->
>     let u2 = plus Zero (scale dt t.1)
>     let finalMap = eval 1.0 u2 binds (emptyMap size)
>     lookupOrZero 0 finalMap
>   )

$ pullback show tests/cli/programs/delta_stages.pull two_calls --stage delta --fuse
exit 0
> D{two_calls} = \x -> do
>   r <- D'{g} x x
>   r2 <- D'{g} (2.0, Zero) x
>   let y = add r.0 r2.0
>   u <- deltaLet (plus r.1 r2.1)
>   pure (y, u)
>
> D'{g} = \x y ->
>   if isActive y.1
>     then do
>       let y2 = sin y.0
>       let p = cos y.0
>       let y3 = mul x.0 y2
>       let p2 = mul p x.0
>       u <- deltaLet (plus (scale y2 x.1) (scale p2 y.1))
>       pure (y3, u)
>     else D{g} x y
>
> D{g} = \x y -> do
>   let y2 = sin y.0
>   u <- deltaLet (scale (cos y.0) y.1)
>   let y3 = mul x.0 y2
>   u2 <- deltaLet (plus (scale y2 x.1) (scale x.0 u))
>   pure (y3, u2)
>
> R{two_calls} = \s ->
>   let u = Var 0
>   let (t, state) = runDelta 1 (D{two_calls} (s, u))
>   let size = state.next
>   let binds = state.binds
>   let value = t.0
>   ( value
>   , \dt ->
>     let u2 = plus Zero (scale dt t.1)
>     let finalMap = eval 1.0 u2 binds (emptyMap size)
>     lookupOrZero 0 finalMap
>   )

$ pullback show tests/cli/programs/delta_stages.pull chain --stage delta-lets
exit 0
> -- 1 input, chosen: no arguments were given
> --   x = 1.1
> Let x1 = Scale 0.4535961214 (Var x) in
> Let x2 = Add (Scale 0.8912073601 (Var x)) (Scale 1.1 (Var x1)) in
> Let x3 = Scale 0.5567500339 (Var x2) in
> Let x4 = Add (Scale 0.8306800827 (Var x2)) (Scale 0.9803280961 (Var x3)) in
> Let x5 = Scale 0.6863492528 (Var x4) in
> Let x6 = Add (Scale 0.7272720971 (Var x4)) (Scale 0.8143390239 (Var x5)) in
> Var x6

$ pullback show tests/cli/programs/delta_stages.pull chain --stage delta-lets --fuse
exit 0
> -- 1 input, chosen: no arguments were given
> --   x = 1.1
> Let x1 = Scale 1.390163094 (Var x) in
> Let x2 = Scale 1.376477783 (Var x1) in
> Let x3 = Scale 1.286193078 (Var x2) in
> Var x3

$ pullback show tests/cli/programs/delta_stages.pull chain --stage delta-trace
exit 0
> -- 1 input, chosen: no arguments were given
> --   x = 1.1
> Let x1 = Scale 0.4535961214 (Var x) in
> Let x2 = Add (Scale 0.8912073601 (Var x)) (Scale 1.1 (Var x1)) in
> Let x3 = Scale 0.5567500339 (Var x2) in
> Let x4 = Add (Scale 0.8306800827 (Var x2)) (Scale 0.9803280961 (Var x3)) in
> Let x5 = Scale 0.6863492528 (Var x4) in
> Let x6 = Add (Scale 0.7272720971 (Var x4)) (Scale 0.8143390239 (Var x5)) in
> Var x6

$ pullback show tests/cli/programs/delta_stages.pull chain --stage delta-trace --fuse
exit 0
> -- 1 input, chosen: no arguments were given
> --   x = 1.1
> Let x1 = Scale 1.390163094 (Var x) in
> Let x2 = Scale 1.376477783 (Var x1) in
> Let x3 = Scale 1.286193078 (Var x2) in
> Var x3

$ pullback show tests/cli/programs/delta_stages.pull chain --stage delta-library --fuse
exit 0
> data Maybe = Nothing | Just Real
> data Delta = Zero | Var Int | Scale Real Delta | Add Delta Delta | Rule Int ([]Maybe -> Work -> Work) | Dot []Real []Delta
> data Work = Done | Eval Real Delta Work
> data DeltaBinds = Empty | Let Int Delta DeltaBinds | LetScale Int Real Int DeltaBinds | LetAdd Int Int Int DeltaBinds | LetStep Int Int Real Int DeltaBinds | LetRow Int Real Int Real Int DeltaBinds
>
> emptyMap = \n -> [ Nothing | i < n ]
>
> addDelta = \ai ax am ->
>   match index am ai with
>     | Nothing -> update am ai (Just ax)
>     | Just ay -> update am ai (Just (add ay ax))
>
> lookupOrZero = \li lm -> match index lm li with | Nothing -> 0.0 | Just ly -> ly
>
> primals = \px -> [ (index px pi).0 | pi < size px ]
>
> isActive = \iu -> match iu with | Zero -> false | _ -> true
>
> scale = \sy su -> match su with | Zero -> su | _ -> Scale sy su
>
> plus = \au1 au2 ->
>   match au1 with | Zero -> au2 | _ -> match au2 with | Zero -> au1 | _ -> Add au1 au2
>
> deltaLet = \du ds ->
>   match du with
>     | Zero -> (du, ds)
>     | Var dv -> (du, ds)
>     | _ ->
>       let dn = ds.next
>       (Var dn, { next = int_add dn 1, binds = Let dn du ds.binds })
>
> letScale = \ga gu gs ->
>   match gu with
>     | Zero -> (gu, gs)
>     | Var gi ->
>       let gn = gs.next
>       (Var gn, { next = int_add gn 1, binds = LetScale gn ga gi gs.binds })
>     | _ -> deltaLet (Scale ga gu) gs
>
> letAdd = \hu hv hs ->
>   match hu with
>     | Var hi0 ->
>       match hv with
>         | Var hj ->
>           let hn0 = hs.next
>           (Var hn0, { next = int_add hn0 1, binds = LetAdd hn0 hi0 hj hs.binds })
>         | _ -> deltaLet (plus hu hv) hs
>     | _ -> deltaLet (plus hu hv) hs
>
> letStep = \ku kb kv ks ->
>   match ku with
>     | Zero -> letScale kb kv ks
>     | Var ki ->
>       match kv with
>         | Var kj ->
>           let kn = ks.next
>           (Var kn, { next = int_add kn 1, binds = LetStep kn ki kb kj ks.binds })
>         | _ -> deltaLet (plus ku (scale kb kv)) ks
>     | _ -> deltaLet (plus ku (scale kb kv)) ks
>
> letRow = \pa pu pb pv ps ->
>   match pu with
>     | Zero -> letScale pb pv ps
>     | Var pi0 ->
>       match pv with
>         | Zero -> letScale pa pu ps
>         | Var pj ->
>           let pn = ps.next
>           (Var pn, { next = int_add pn 1, binds = LetRow pn pa pi0 pb pj ps.binds })
>         | _ -> deltaLet (plus (scale pa pu) (scale pb pv)) ps
>     | _ -> deltaLet (plus (scale pa pu) (scale pb pv)) ps
>
> bindAlways = \bu bs ->
>   let bn = bs.next
>   (Var bn, { next = int_add bn 1, binds = Let bn bu bs.binds })
>
> letRule = \rn rg rs ->
>   let rf = rs.next
>   (rf, { next = int_add rf rn, binds = Let rf (Rule rn rg) rs.binds })
>
> sumDeltas = \tx ->
>   loop tu = Zero for ti < size tx do plus tu (index tx ti).1
>
> dotDeltas = \za zu ->
>   let zn = size zu
>   let zk = loop zl = 0 while if int_lt zl zn then match index zu zl with | Zero -> true | _ -> false else false do
>     int_add zl 1
>   if int_lt zk zn then Dot za zu else Zero
>
> addDot = \yx ya yu yw ym ->
>   loop yt = (yw, ym) for yi < size yu do
>     match index yu yi with
>       | Zero -> (yt.0, yt.1)
>       | Var yid -> (yt.0, addDelta yid (mul yx (index ya yi)) yt.1)
>       | _ -> (Eval (mul yx (index ya yi)) (index yu yi) yt.0, yt.1)
>
> run = \w m ->
>   let end = loop st = (w, m) while match st.0 with | Done -> false | _ -> true do
>     match st.0 with
>       | Done -> (st.0, st.1)
>       | Eval x u rest ->
>         match u with
>           | Zero -> (rest, st.1)
>           | Var uid -> (rest, addDelta uid x st.1)
>           | Scale y v -> (Eval (mul x y) v rest, st.1)
>           | Add v1 v2 -> (Eval x v1 (Eval x v2 rest), st.1)
>           | Rule rcount rclosure -> (rest, st.1)
>           | Dot da dus -> addDot x da dus rest st.1
>   end.1
>
> touched = \h0 hn hm ->
>   loop hit = false for hi < hn do
>     if hit
>       then true
>       else match index hm (int_add h0 hi) with | Nothing -> false | Just hx -> true
>
> eval = \ex eu eb em ->
>   let eend = loop es = (eb, run (Eval ex eu Done) em) while match es.0 with | Empty -> false | _ -> true do
>     match es.0 with
>       | Empty -> (es.0, es.1)
>       | Let uid1 rhs older ->
>         match rhs with
>           | Rule count pull ->
>             if touched uid1 count es.1
>               then (older, run (pull (slice es.1 uid1 (int_add uid1 count)) Done) es.1)
>               else (older, es.1)
>           | _ ->
>             match index es.1 uid1 with
>               | Nothing -> (older, es.1)
>               | Just ebar -> (older, run (Eval ebar rhs Done) es.1)
>       | LetScale eid1 ea1 ei1 eolder1 ->
>         match index es.1 eid1 with
>           | Nothing -> (eolder1, es.1)
>           | Just ebar1 -> (eolder1, addDelta ei1 (mul ebar1 ea1) es.1)
>       | LetAdd eid2 ei2 ej2 eolder2 ->
>         match index es.1 eid2 with
>           | Nothing -> (eolder2, es.1)
>           | Just ebar2 -> (eolder2, addDelta ej2 ebar2 (addDelta ei2 ebar2 es.1))
>       | LetStep eid3 ei3 eb3 ej3 eolder3 ->
>         match index es.1 eid3 with
>           | Nothing -> (eolder3, es.1)
>           | Just ebar3 -> (eolder3, addDelta ej3 (mul ebar3 eb3) (addDelta ei3 ebar3 es.1))
>       | LetRow eid4 ea4 ei4 eb4 ej4 eolder4 ->
>         match index es.1 eid4 with
>           | Nothing -> (eolder4, es.1)
>           | Just ebar4 ->
>             (eolder4, addDelta ej4 (mul ebar4 eb4) (addDelta ei4 (mul ebar4 ea4) es.1))
>   eend.1
>
> oldestFirst = \ob ->
>   let oend = loop os = (ob, Empty) while match os.0 with | Empty -> false | _ -> true do
>     match os.0 with
>       | Empty -> (os.0, os.1)
>       | Let ouid orhs oolder -> (oolder, Let ouid orhs os.1)
>       | LetScale oid1 oa1 oi1 oolder1 -> (oolder1, LetScale oid1 oa1 oi1 os.1)
>       | LetAdd oid2 oi2 oj2 oolder2 -> (oolder2, LetAdd oid2 oi2 oj2 os.1)
>       | LetStep oid3 oi3 ob3 oj3 oolder3 -> (oolder3, LetStep oid3 oi3 ob3 oj3 os.1)
>       | LetRow oid4 oa4 oi4 ob4 oj4 oolder4 -> (oolder4, LetRow oid4 oa4 oi4 ob4 oj4 os.1)
>   oend.1
>
> apply = \fw fm ->
>   let fend = loop fs = (fw, Nothing) while match fs.0 with | Done -> false | _ -> true do
>     match fs.0 with
>       | Done -> (fs.0, fs.1)
>       | Eval fx fu frest ->
>         match fu with
>           | Zero -> (frest, fs.1)
>           | Var fuid ->
>             match index fm fuid with
>               | Nothing -> (frest, fs.1)
>               | Just fdot ->
>                 let fterm = mul fx fdot
>                 match fs.1 with
>                   | Nothing -> (frest, Just fterm)
>                   | Just facc -> (frest, Just (add facc fterm))
>           | Scale fy fv -> (Eval (mul fx fy) fv frest, fs.1)
>           | Add fv1 fv2 -> (Eval fx fv1 (Eval fx fv2 frest), fs.1)
>           | Rule fcount fclosure -> (frest, fs.1)
>           | Dot fa fus ->
>             let fmore = loop fr = frest for fi < size fus do
>               let fk = int_sub (int_sub (size fus) 1) fi
>               Eval (mul fx (index fa fk)) (index fus fk) fr
>             (fmore, fs.1)
>   fend.1
>
> times = \ta td -> match td with | Nothing -> td | Just tdot -> Just (mul ta tdot)
>
> both = \vl vr ->
>   match vl with
>     | Nothing -> vr
>     | Just vx -> match vr with | Nothing -> vl | Just vy -> Just (add vx vy)
>
> forward = \qb qm ->
>   let qend = loop qs = (oldestFirst qb, qm) while match qs.0 with | Empty -> false | _ -> true do
>     match qs.0 with
>       | Empty -> (qs.0, qs.1)
>       | Let quid qrhs qnewer ->
>         match qrhs with
>           | Rule qcount qpull ->
>             let qmap = loop qt = qs.1 for qj < qcount do
>               let qunit = [ if int_eq qk qj then Just 1.0 else Nothing | qk < qcount ]
>               let qwork = qpull qunit Done
>               let qdot = apply qwork qt
>               update qt (int_add quid qj) qdot
>             (qnewer, qmap)
>           | _ ->
>             let qdot1 = apply (Eval 1.0 qrhs Done) qs.1
>             (qnewer, update qs.1 quid qdot1)
>       | LetScale qid1 qa1 qi1 qnewer1 ->
>         let qx1 = times qa1 (index qs.1 qi1)
>         (qnewer1, update qs.1 qid1 qx1)
>       | LetAdd qid2 qi2 qj2 qnewer2 ->
>         let qx2 = both (index qs.1 qi2) (index qs.1 qj2)
>         (qnewer2, update qs.1 qid2 qx2)
>       | LetStep qid3 qi3 qb3 qj3 qnewer3 ->
>         let qx3 = both (index qs.1 qi3) (times qb3 (index qs.1 qj3))
>         (qnewer3, update qs.1 qid3 qx3)
>       | LetRow qid4 qa4 qi4 qb4 qj4 qnewer4 ->
>         let qx4 = both (times qa4 (index qs.1 qi4)) (times qb4 (index qs.1 qj4))
>         (qnewer4, update qs.1 qid4 qx4)
>   qend.1
>
> meaning = \mu mm -> match apply (Eval 1.0 mu Done) mm with | Nothing -> 0.0 | Just mx -> mx

$ pullback show tests/cli/programs/delta_stages.pull pair --stage delta
exit 0
> D{pair} = \s -> D{inner} s.0 s.1
>
> D{inner} = \x y -> do
>   r <- D{twice} D{h} x
>   let f = \p -> pure (p.1, p.0)
>   r2 <- D{twice.2} f (y, x)
>   let x2 = r2.0
>   let y2 = mul r.0 x2.0
>   u <- deltaLet (plus (scale x2.0 r.1) (scale r.0 x2.1))
>   pure (y2, u)
>
> D{twice} = \f x -> do
>   r <- f x
>   f r
>
> D{h} = \x -> do
>   let y = sin x.0
>   u <- deltaLet (scale (cos x.0) x.1)
>   let y2 = mul x.0 y
>   u2 <- deltaLet (plus (scale y x.1) (scale x.0 u))
>   pure (y2, u2)
>
> D{twice.2} = \f x -> do
>   r <- f x
>   f r
>
> R{pair} = \s ->
>   let u = Var 0
>   let u2 = Var 1
>   let (t, state) = runDelta 2 (D{pair} ((s.0, u), (s.1, u2)))
>   let size = state.next
>   let binds = state.binds
>   let value = t.0
>   ( value
>   , \dt ->
>     let u3 = plus Zero (scale dt t.1)
>     let finalMap = eval 1.0 u3 binds (emptyMap size)
>     let dx = lookupOrZero 0 finalMap
>     let dx2 = lookupOrZero 1 finalMap
>     (dx, dx2)
>   )

$ pullback show tests/cli/programs/delta_stages.pull pair --stage delta1
exit 0
> D1{pair} = \s -> D1{inner} s.0 s.1
>
> D1{inner} = \x y ->
>   let r = D1{twice} D1{h} x
>   let f = \p -> (p.1, p.0)
>   let r2 = D1{twice.2} f (y, x)
>   let x2 = r2.0
>   let y2 = mul r.0 x2.0
>   let u = plus (scale x2.0 r.1) (scale r.0 x2.1)
>   (y2, u)
>
> D1{twice} = \f x ->
>   let r = f x
>   f r
>
> D1{h} = \x ->
>   let y = sin x.0
>   let u = scale (cos x.0) x.1
>   let y2 = mul x.0 y
>   let u2 = plus (scale y x.1) (scale x.0 u)
>   (y2, u2)
>
> D1{twice.2} = \f x ->
>   let r = f x
>   f r
>
> R1{pair} = \s ->
>   let n = narrow 2
>   let u = oneHot n 0
>   let u2 = oneHot n 1
>   let t = D1{pair} ((s.0, u), (s.1, u2))
>   let value = t.0
>   ( value
>   , \dt ->
>     let u3 = plus Zero (scale dt t.1)
>     let finalMap = vector n u3
>     let dx = lookupOrZero 0 finalMap
>     let dx2 = lookupOrZero 1 finalMap
>     (dx, dx2)
>   )

$ pullback show tests/cli/programs/delta_stages.pull pair --stage delta2
exit 0
> D2{pair} = \s -> D2{inner} s.0 s.1
>
> D2{inner} = \x y ->
>   let r = D2{twice} D2{h} x
>   let f = \p -> (p.1, p.0)
>   let r2 = D2{twice.2} f (y, x)
>   let x2 = r2.0
>   let y2 = mul r.0 x2.0
>   let u = plus (scale x2.0 r.1) (scale r.0 x2.1)
>   (y2, u)
>
> D2{twice} = \f x ->
>   let r = f x
>   f r
>
> D2{h} = \x ->
>   let y = sin x.0
>   let u = scale (cos x.0) x.1
>   let y2 = mul x.0 y
>   let u2 = plus (scale y x.1) (scale x.0 u)
>   (y2, u2)
>
> D2{twice.2} = \f x ->
>   let r = f x
>   f r
>
> R2{pair} = \s ->
>   let u = OneHot 0
>   let u2 = OneHot 1
>   let t = D2{pair} ((s.0, u), (s.1, u2))
>   let value = t.0
>   ( value
>   , \dt ->
>     let u3 = plus Zero (scale dt t.1)
>     let finalMap = eval2 1.0 u3 (emptyMap 2)
>     let dx = lookupOrZero 0 finalMap
>     let dx2 = lookupOrZero 1 finalMap
>     (dx, dx2)
>   )

$ pullback show tests/cli/programs/delta_stages.pull pair --stage dual-source
exit 0
> D→{pair} : ((Real, Real), (Real, Real)) -> (Real, Real)
> D→{pair} = \s -> D→{inner} s.0 s.1
>
> D→{inner} : (Real, Real) -> (Real, Real) -> (Real, Real)
> D→{inner} = \x y ->
>   let r = D→{twice} D→{h} x
>   let f = \p -> (p.1, p.0)
>   let r2 = D→{twice.2} f (y, x)
>   let x2 = r2.0
>   let y2 = mul r.0 x2.0
>   let u = add (mul x2.0 r.1) (mul r.0 x2.1)
>   (y2, u)
>
> D→{twice} : ((Real, Real) -> (Real, Real)) -> (Real, Real) -> (Real, Real)
> D→{twice} = \f x ->
>   let r = f x
>   f r
>
> D→{h} : (Real, Real) -> (Real, Real)
> D→{h} = \x ->
>   let y = sin x.0
>   let u = mul (cos x.0) x.1
>   let y2 = mul x.0 y
>   let u2 = add (mul y x.1) (mul x.0 u)
>   (y2, u2)
>
> D→{twice.2} : (((Real, Real), (Real, Real)) -> ((Real, Real), (Real, Real))) -> ((Real, Real), (Real, Real)) -> ((Real, Real), (Real, Real))
> D→{twice.2} = \f x ->
>   let r = f x
>   f r
>
> F{pair} : ((Real, Real), (Real, Real)) -> (Real, Real)
> F{pair} = \p ->
>   let t = D→{pair} ((p.0.0, p.1.0), (p.0.1, p.1.1))
>   (t.0, t.1)

$ pullback show tests/cli/programs/delta_stages.pull chosen --stage delta-lets
exit 0
> -- 1 input, chosen: no arguments were given
> --   s.1 = 1.1
> --   constant: s.0 = true
> Let x1 = Add (Scale 1.1 (Var s.1)) (Scale 1.1 (Var s.1)) in
> Var x1

$ pullback show examples/papers/quaternion.pull rotate_x --stage delta-trace
exit 0
> -- 7 inputs, chosen: no arguments were given
> --   qx = 1.1, qy = 2.2, qz = 3.3, qw = 4.4, vx = 5.5, vy = 6.6
> --   vz = 7.7
> Let x1 = Add (Scale 5.5 (Var qy)) (Scale 2.2 (Var vx)) in
> Let x2 = Add (Scale 6.6 (Var qx)) (Scale 1.1 (Var vy)) in
> Let x3 = Add (Var x2) (Scale (-1.0) (Var x1)) in
> Let x4 = Add (Scale 7.7 (Var qx)) (Scale 1.1 (Var vz)) in
> Let x5 = Add (Scale 5.5 (Var qz)) (Scale 3.3 (Var vx)) in
> Let x6 = Add (Var x5) (Scale (-1.0) (Var x4)) in
> Let x7 = Add (Scale 6.6 (Var qz)) (Scale 3.3 (Var vy)) in
> Let x8 = Add (Scale 7.7 (Var qy)) (Scale 2.2 (Var vz)) in
> Let x9 = Add (Var x8) (Scale (-1.0) (Var x7)) in
> Let x10 = Zero in
> Let x11 = Add (Scale 4.4 (Var x10)) (Scale 2.0 (Var qw)) in
> Let x12 = Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x3)) in
> Let x13 = Add (Scale 9.68 (Var x11)) (Scale 8.8 (Var x6)) in
> Let x14 = Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x9)) in
> Let x15 = Add (Scale 3.3 (Var qz)) (Scale 3.3 (Var qz)) in
> Let x16 = Add (Scale 2.2 (Var qy)) (Scale 2.2 (Var qy)) in
> Let x17 = Add (Scale 1.1 (Var qx)) (Scale 1.1 (Var qx)) in
> Let x18 = Add (Var x17) (Var x16) in
> Let x19 = Add (Var x18) (Var x15) in
> Let x20 = Add (Scale 4.4 (Var qw)) (Scale 4.4 (Var qw)) in
> Let x21 = Add (Var x20) (Scale (-1.0) (Var x19)) in
> Let x22 = Add (Scale 7.7 (Var x21)) (Scale 2.42 (Var vz)) in
> Let x23 = Add (Scale 6.6 (Var x21)) (Scale 2.42 (Var vy)) in
> Let x24 = Add (Scale 5.5 (Var x21)) (Scale 2.42 (Var vx)) in
> Let x25 = Add (Scale 7.7 (Var qz)) (Scale 3.3 (Var vz)) in
> Let x26 = Add (Scale 6.6 (Var qy)) (Scale 2.2 (Var vy)) in
> Let x27 = Add (Scale 5.5 (Var qx)) (Scale 1.1 (Var vx)) in
> Let x28 = Add (Var x27) (Var x26) in
> Let x29 = Add (Var x28) (Var x25) in
> Let x30 = Zero in
> Let x31 = Add (Scale 45.98 (Var x30)) (Scale 2.0 (Var x29)) in
> Let x32 = Add (Scale 3.3 (Var x31)) (Scale 91.96 (Var qz)) in
> Let x33 = Add (Scale 2.2 (Var x31)) (Scale 91.96 (Var qy)) in
> Let x34 = Add (Scale 1.1 (Var x31)) (Scale 91.96 (Var qx)) in
> Let x35 = Add (Var x32) (Var x22) in
> Let x36 = Add (Var x33) (Var x23) in
> Let x37 = Add (Var x34) (Var x24) in
> Let x38 = Add (Var x35) (Var x12) in
> Let x39 = Add (Var x36) (Var x13) in
> Let x40 = Add (Var x37) (Var x14) in
> Var x40

$ pullback show examples/papers/quaternion.pull rotate_x --stage delta-lets
exit 0
> -- 7 inputs, chosen: no arguments were given
> --   qx = 1.1, qy = 2.2, qz = 3.3, qw = 4.4, vx = 5.5, vy = 6.6
> --   vz = 7.7
> Let x1 = Add (Scale 5.5 (Var qx)) (Scale 1.1 (Var vx)) in
> Let x2 = Add (Scale 6.6 (Var qy)) (Scale 2.2 (Var vy)) in
> Let x3 = Add (Var x1) (Var x2) in
> Let x4 = Add (Scale 7.7 (Var qz)) (Scale 3.3 (Var vz)) in
> Let x5 = Add (Var x3) (Var x4) in
> Let x6 = Scale 2.0 (Var x5) in
> Let x7 = Add (Scale 1.1 (Var x6)) (Scale 91.96 (Var qx)) in
> Let x8 = Add (Scale 2.2 (Var x6)) (Scale 91.96 (Var qy)) in
> Let x9 = Add (Scale 3.3 (Var x6)) (Scale 91.96 (Var qz)) in
> Let x10 = Add (Scale 4.4 (Var qw)) (Scale 4.4 (Var qw)) in
> Let x11 = Add (Scale 1.1 (Var qx)) (Scale 1.1 (Var qx)) in
> Let x12 = Add (Scale 2.2 (Var qy)) (Scale 2.2 (Var qy)) in
> Let x13 = Add (Var x11) (Var x12) in
> Let x14 = Add (Scale 3.3 (Var qz)) (Scale 3.3 (Var qz)) in
> Let x15 = Add (Var x13) (Var x14) in
> Let x16 = Add (Var x10) (Scale (-1.0) (Var x15)) in
> Let x17 = Add (Scale 5.5 (Var x16)) (Scale 2.42 (Var vx)) in
> Let x18 = Add (Scale 6.6 (Var x16)) (Scale 2.42 (Var vy)) in
> Let x19 = Add (Scale 7.7 (Var x16)) (Scale 2.42 (Var vz)) in
> Let x20 = Add (Var x7) (Var x17) in
> Let x21 = Add (Var x8) (Var x18) in
> Let x22 = Add (Var x9) (Var x19) in
> Let x23 = Scale 2.0 (Var qw) in
> Let x24 = Add (Scale 7.7 (Var qy)) (Scale 2.2 (Var vz)) in
> Let x25 = Add (Scale 6.6 (Var qz)) (Scale 3.3 (Var vy)) in
> Let x26 = Add (Var x24) (Scale (-1.0) (Var x25)) in
> Let x27 = Add (Scale 5.5 (Var qz)) (Scale 3.3 (Var vx)) in
> Let x28 = Add (Scale 7.7 (Var qx)) (Scale 1.1 (Var vz)) in
> Let x29 = Add (Var x27) (Scale (-1.0) (Var x28)) in
> Let x30 = Add (Scale 6.6 (Var qx)) (Scale 1.1 (Var vy)) in
> Let x31 = Add (Scale 5.5 (Var qy)) (Scale 2.2 (Var vx)) in
> Let x32 = Add (Var x30) (Scale (-1.0) (Var x31)) in
> Let x33 = Add (Scale (-4.84) (Var x23)) (Scale 8.8 (Var x26)) in
> Let x34 = Add (Scale 9.68 (Var x23)) (Scale 8.8 (Var x29)) in
> Let x35 = Add (Scale (-4.84) (Var x23)) (Scale 8.8 (Var x32)) in
> Let x36 = Add (Var x20) (Var x33) in
> Let x37 = Add (Var x21) (Var x34) in
> Let x38 = Add (Var x22) (Var x35) in
> Var x36
