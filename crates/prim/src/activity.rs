//! Activity: through which variables a derivative flows.
//!
//! Input: for each function an account of what its values depend on differentiably, a [`Flow`]. Output: through
//! which parameters of each function derivatives flow ([`through`]), and which of its variables are active
//! ([`Flow::active`]). It knows no program: whoever has steps says what each of them adds.
//!
//! Law: a variable is active if and only if a path leads from a parameter that varies through it to a result.
//! So the derivative of a result with respect to a parameter is that of the function in which every other
//! variable is constant. A call is a path from an argument if one leads from that parameter to a result of
//! the callee, by the least solution for functions that call each other. Of several results of a function
//! the account does not say which one depends on which parameter.
//! Cost: linear in the account, but for the logarithm of looking variables up.
//!
//! | step | adds |
//! |---|---|
//! | `y = prim x …` | [`Flow::edge`] from each operand whose partial derivative is not zero, or whose values move |
//! | `y = if … then a else b` | an edge from the result of each branch |
//! | `y = match x with C v … -> a` | an edge from `x` to each `v`, and from each `a` |
//! | `y = loop s = x … do next` | [`Flow::carried`] |
//! | `y = f x …` | [`Flow::call`] |

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::bug;

/// What the values of a function depend on differentiably. `V` names variables, `F` functions.
#[derive(Clone, Debug)]
pub struct Flow<F, V> {
    /// The parameters by position; none where a parameter has no derivative.
    params: Vec<Option<u32>>,
    results: Vec<u32>,
    nodes: BTreeMap<V, u32>,
    /// What each variable depends on, by its node.
    sources: Vec<Vec<u32>>,
    /// The calls that each variable is a result of.
    made_by: Vec<Vec<u32>>,
    calls: Vec<Call<F>>,
}

#[derive(Clone, Debug)]
struct Call<F> {
    callee: F,
    /// The arguments by position; none where an argument is no variable that can vary.
    args: Vec<Option<u32>>,
    outs: Vec<u32>,
}

/// Through which parameters of each function derivatives flow, by position.
pub type Flows<F> = BTreeMap<F, Vec<bool>>;

impl<F: Copy + Ord, V: Copy + Ord> Flow<F, V> {
    /// The account of a function with these parameters; none stands for one without derivative.
    pub fn new(params: impl IntoIterator<Item = Option<V>>) -> Self {
        let mut flow = Self {
            params: vec![],
            results: vec![],
            nodes: BTreeMap::new(),
            sources: vec![],
            made_by: vec![],
            calls: vec![],
        };
        for param in params {
            let param = param.map(|var| flow.node(var));
            flow.params.push(param);
        }
        flow
    }

    /// A variable is a result.
    pub fn result(&mut self, var: V) {
        let node = self.node(var);
        self.results.push(node);
    }

    /// A variable depends on another one.
    pub fn edge(&mut self, from: V, to: V) {
        let (from, to) = (self.node(from), self.node(to));
        self.sources[to as usize].push(from);
    }

    /// What a loop carries: a state that starts as one variable and becomes another one, and ends as `out`.
    /// Each may be none, if it cannot vary.
    pub fn carried(&mut self, state: Option<V>, start: Option<V>, next: Option<V>, out: Option<V>) {
        for from in [start, next].into_iter().flatten() {
            for to in [state, out].into_iter().flatten() {
                self.edge(from, to);
            }
        }
    }

    /// Variables are the results of a call with these arguments; none is one that cannot vary.
    pub fn call(
        &mut self,
        callee: F,
        args: impl IntoIterator<Item = Option<V>>,
        outs: impl IntoIterator<Item = V>,
    ) {
        let args = args.into_iter().map(|arg| arg.map(|var| self.node(var))).collect();
        let outs: Vec<u32> = outs.into_iter().map(|var| self.node(var)).collect();
        for out in &outs {
            self.made_by[*out as usize].push(self.calls.len() as u32);
        }
        self.calls.push(Call { callee, args, outs });
    }

    /// The variables on paths to a result from one of those that vary.
    pub fn active(&self, flows: &Flows<F>, varying: impl IntoIterator<Item = V>) -> BTreeSet<V> {
        let mut sources = self.sources.clone();
        for call in &self.calls {
            let Some(through) = flows.get(&call.callee) else { bug("activity", "a known callee") };
            for arg in call.flowing(through) {
                call.outs.iter().for_each(|out| sources[*out as usize].push(arg));
            }
        }
        let mut users = vec![vec![]; sources.len()];
        for (to, sources) in sources.iter().enumerate() {
            sources.iter().for_each(|from| users[*from as usize].push(to as u32));
        }
        let varying = varying.into_iter().filter_map(|var| self.nodes.get(&var).copied());
        let varied = reached(&users, varying);
        let needed = reached(&sources, self.results.iter().copied());
        let active = |node: u32| varied[node as usize] && needed[node as usize];
        self.nodes.iter().filter(|(_, node)| active(**node)).map(|(var, _)| *var).collect()
    }

    fn node(&mut self, var: V) -> u32 {
        let next = self.sources.len() as u32;
        let node = *self.nodes.entry(var).or_insert(next);
        if node == next {
            self.sources.push(vec![]);
            self.made_by.push(vec![]);
        }
        node
    }
}

impl<F> Call<F> {
    /// The arguments that the results depend on.
    fn flowing<'c>(&'c self, through: &'c [bool]) -> impl Iterator<Item = u32> + 'c {
        let args = self.args.iter().zip(through).filter(|(_, through)| **through);
        args.filter_map(|(arg, _)| *arg)
    }
}

/// The nodes to which arrows lead from some of them, these included.
fn reached(arrows: &[Vec<u32>], from: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut seen = vec![false; arrows.len()];
    let mut todo: Vec<u32> = from.collect();
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            todo.extend(&arrows[node as usize]);
        }
    }
    seen
}

/// Through which parameters of functions derivatives flow: the least solution. They call nothing else.
pub fn through<F: Copy + Ord, V: Copy + Ord>(functions: &BTreeMap<F, Flow<F, V>>) -> Flows<F> {
    let mut search = Search::new(functions);
    for (function, (_, flow)) in functions.iter().enumerate() {
        flow.results.iter().for_each(|result| search.need(function, *result));
    }
    while let Some((function, node)) = search.todo.pop() {
        search.visit(function, node);
    }
    search.flows.into_iter().zip(functions.keys()).map(|(flows, id)| (*id, flows)).collect()
}

/// A search backwards through all functions at once, from their results. Each edge is passed once; a
/// parameter that is reached opens the way through every call of its function.
struct Search<'f, F, V> {
    functions: Vec<&'f Flow<F, V>>,
    index: BTreeMap<F, usize>,
    /// Where each function is called: in which function, and which of its calls.
    callers: Vec<Vec<(usize, usize)>>,
    /// The positions of parameters, by function and node.
    params: Vec<BTreeMap<u32, usize>>,
    needed: Vec<Vec<bool>>,
    needed_calls: Vec<Vec<bool>>,
    flows: Vec<Vec<bool>>,
    todo: Vec<(usize, u32)>,
}

impl<'f, F: Copy + Ord, V: Copy + Ord> Search<'f, F, V> {
    fn new(functions: &'f BTreeMap<F, Flow<F, V>>) -> Self {
        let index: BTreeMap<F, usize> =
            functions.keys().enumerate().map(|(at, id)| (*id, at)).collect();
        let functions: Vec<&Flow<F, V>> = functions.values().collect();
        let mut callers = vec![vec![]; functions.len()];
        for (caller, flow) in functions.iter().enumerate() {
            for (at, call) in flow.calls.iter().enumerate() {
                let Some(callee) = index.get(&call.callee) else {
                    bug("activity", "an account of each function that is called")
                };
                callers[*callee].push((caller, at));
            }
        }
        let params = functions.iter().map(|flow| {
            let params = flow.params.iter().enumerate();
            params.filter_map(|(position, node)| node.map(|node| (node, position))).collect()
        });
        Self {
            params: params.collect(),
            needed: functions.iter().map(|flow| vec![false; flow.sources.len()]).collect(),
            needed_calls: functions.iter().map(|flow| vec![false; flow.calls.len()]).collect(),
            flows: functions.iter().map(|flow| vec![false; flow.params.len()]).collect(),
            todo: vec![],
            functions,
            index,
            callers,
        }
    }

    fn need(&mut self, function: usize, node: u32) {
        if !std::mem::replace(&mut self.needed[function][node as usize], true) {
            self.todo.push((function, node));
        }
    }

    fn visit(&mut self, function: usize, node: u32) {
        let flow = self.functions[function];
        for source in &flow.sources[node as usize] {
            self.need(function, *source);
        }
        for call in &flow.made_by[node as usize] {
            let at = *call as usize;
            if std::mem::replace(&mut self.needed_calls[function][at], true) {
                continue;
            }
            let call = &flow.calls[at];
            let through = self.flows[self.index[&call.callee]].clone();
            call.flowing(&through).for_each(|arg| self.need(function, arg));
        }
        if let Some(position) = self.params[function].get(&node).copied() {
            self.flows[function][position] = true;
            for (caller, call) in self.callers[function].clone() {
                let arg = self.functions[caller].calls[call].args.get(position);
                if self.needed_calls[caller][call]
                    && let Some(Some(arg)) = arg
                {
                    self.need(caller, *arg);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Account = Flow<&'static str, &'static str>;

    /// A function of these parameters with this result.
    fn account(params: &[&'static str], result: &'static str) -> Account {
        let mut flow = Account::new(params.iter().copied().map(Some));
        flow.result(result);
        flow
    }

    fn active(flow: &Account, flows: &Flows<&'static str>, varying: &[&'static str]) -> String {
        let active = flow.active(flows, varying.iter().copied());
        active.into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_lies_between_is_active() {
        // dead = x; a = x * k; y = a
        let mut flow = account(&["x", "k"], "y");
        flow.edge("x", "dead");
        flow.edge("x", "a");
        flow.edge("k", "a");
        flow.edge("a", "y");
        let flows = through(&BTreeMap::from([("f", flow.clone())]));
        assert_eq!(flows["f"], [true, true]);
        assert_eq!(active(&flow, &flows, &["x"]), "a x y");
        assert_eq!(active(&flow, &flows, &["k"]), "a k y");
        assert_eq!(active(&flow, &flows, &[]), "");
    }

    #[test]
    fn a_loop_carries_through_its_state() {
        // y = loop s = x do s * k: from both. y = loop s = x do k: the state itself is not looked at.
        for (reads_state, expected) in [(true, "k next s x y"), (false, "k next x y")] {
            let mut flow = account(&["x", "k"], "y");
            flow.carried(Some("s"), Some("x"), Some("next"), Some("y"));
            flow.edge("k", "next");
            if reads_state {
                flow.edge("s", "next");
            }
            let flows = through(&BTreeMap::from([("f", flow.clone())]));
            assert_eq!(active(&flow, &flows, &["x", "k"]), expected);
        }
        // What only the second time around depends on x: loop (s, t) = (k, x) do (t, t).
        let mut flow = account(&["x", "k"], "y");
        flow.carried(Some("s"), Some("k"), Some("t"), Some("y"));
        flow.carried(Some("t"), Some("x"), Some("t"), None);
        let flows = through(&BTreeMap::from([("f", flow.clone())]));
        assert_eq!(active(&flow, &flows, &["x"]), "t x y");
    }

    #[test]
    fn calls_let_through_what_their_functions_do() {
        // even a b = if … then a else odd b a; odd a b = if … then 0 else even b a
        let mut even = account(&["a", "b"], "r");
        even.edge("a", "r");
        even.call("odd", [Some("b"), Some("a")], ["r"]);
        let mut odd = account(&["a", "b"], "r");
        odd.call("even", [Some("b"), Some("a")], ["r"]);
        // main x n = odd 1.0 (x * n), where n is an Int; unused x = 0
        let mut main = Account::new([Some("x"), None]);
        main.result("y");
        main.edge("x", "p");
        main.call("odd", [None, Some("p")], ["y"]);
        let unused = account(&["x"], "zero");
        let mut caller = account(&["x"], "y");
        caller.call("unused", [Some("x")], ["y"]);
        let functions = BTreeMap::from([
            ("even", even),
            ("odd", odd),
            ("main", main.clone()),
            ("unused", unused),
            ("caller", caller.clone()),
        ]);
        let flows = through(&functions);
        assert_eq!(flows["even"], [true, false]);
        assert_eq!(flows["odd"], [false, true]);
        assert_eq!(flows["main"], [true, false]);
        assert_eq!(flows["unused"], [false]);
        assert_eq!(flows["caller"], [false]);
        assert_eq!(active(&main, &flows, &["x"]), "p x y");
        assert_eq!(active(&caller, &flows, &["x"]), "");
    }

    #[test]
    fn recursion_alone_lets_nothing_through() {
        // f a b = f b a + a: both, the second by the call. g a = g a: never.
        let mut f = account(&["a", "b"], "r");
        f.edge("a", "r");
        f.call("f", [Some("b"), Some("a")], ["r"]);
        let mut g = account(&["a"], "r");
        g.call("g", [Some("a")], ["r"]);
        let flows = through(&BTreeMap::from([("f", f), ("g", g)]));
        assert_eq!(flows["f"], [true, true]);
        assert_eq!(flows["g"], [false]);
    }

    #[test]
    fn loops_inside_loops_are_walked_once() {
        // Each carries what the one inside of it ends with; a search that enters it again never ends.
        let mut flow = Flow::<u32, u32>::new([Some(0)]);
        let depth = 1000;
        for level in 1..=depth {
            let (state, out, inner) = (2 * level, 2 * level + 1, 2 * level + 3);
            flow.carried(Some(state), Some(0), Some(inner), Some(out));
        }
        flow.edge(2 * depth, 2 * depth + 3);
        flow.result(3);
        let flows = through(&BTreeMap::from([(0, flow.clone())]));
        assert_eq!(flows[&0], [true]);
        assert_eq!(flow.active(&flows, [0]).len(), 1 + depth as usize + 1 + 1);
    }
}
