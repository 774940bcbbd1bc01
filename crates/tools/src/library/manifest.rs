//! The manifest of a library: what is in it, as JSON. Among that are the routines that it calls: there are none, since a
//! library stands alone.

use pullback_codegen::{Field, Interface, Leaf, Table};
use pullback_data::output::push_json_string;

use super::entries::Offered;
use super::left_out::LeftOut;

/// The text.
pub fn text(interface: &Interface, offers: &[Offered], left_out: &[LeftOut]) -> String {
    let functions = interface.functions.iter().zip(offers).map(|(function, offer)| {
        let Offered { entry, ty, shape, .. } = offer;
        let wrt = shape.params.iter().filter(|param| param.moves).map(|param| string(&param.name));
        format!(
            "    {{\n      \"symbol\": {},\n      \"entry\": {},\n      \"type\": {},\n      \"kind\": {},\n      \
             \"wrt\": [{}],\n      \"parameters\": {},\n      \"results\": {}\n    }}",
            string(&function.symbol),
            string(entry),
            string(ty),
            string(shape.kind.name()),
            wrt.collect::<Vec<_>>().join(", "),
            fields(interface, &function.params),
            fields(interface, &function.results),
        )
    });
    text_of(&interface.name, "c", functions.collect(), left_out)
}

/// The text for a library that CasADi loads.
pub fn of_tables(name: &str, tables: &[Table], left_out: &[LeftOut]) -> String {
    let functions = tables.iter().map(|table| {
        format!(
            "    {{\n      \"symbol\": {},\n      \"about\": {},\n      \"inputs\": {},\n      \"outputs\": {}\n    }}",
            string(&table.symbol),
            string(&table.about),
            leaves(&table.inputs),
            leaves(&table.outputs),
        )
    });
    text_of(name, "casadi", functions.collect(), left_out)
}

fn text_of(name: &str, abi: &str, functions: Vec<String>, left_out: &[LeftOut]) -> String {
    let left_out = left_out.iter().map(|LeftOut { entry, derivatives, reason }| {
        let names: Vec<String> = derivatives.iter().map(|kind| string(kind.name())).collect();
        let derivatives = if names.is_empty() {
            String::new()
        } else {
            format!("\"derivatives\": [{}], ", names.join(", "))
        };
        let (entry, reason) = (string(entry), string(reason));
        format!("    {{\"entry\": {entry}, {derivatives}\"reason\": {reason}}}")
    });
    format!(
        "{{\n  \"library\": {},\n  \"abi\": {},\n  \"functions\": {},\n  \"routines\": [],\n  \"left_out\": {}\n}}\n",
        string(name),
        string(abi),
        list(functions),
        list(left_out.collect())
    )
}

fn leaves(leaves: &[Leaf]) -> String {
    let texts = leaves.iter().map(|Leaf { name, rows, columns, .. }| {
        format!("{{\"name\": {}, \"rows\": {rows}, \"columns\": {columns}}}", string(name))
    });
    parts(texts.collect())
}

fn list(items: Vec<String>) -> String {
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", items.join(",\n")) }
}

fn fields(interface: &Interface, fields: &[Field]) -> String {
    let seen = fields.iter().filter(|field| field.is_seen());
    let texts: Vec<String> = seen
        .map(|field| {
            format!(
                "{{\"name\": {}, \"type\": {}, \"dimensions\": {}}}",
                string(&field.name),
                string(&interface.c_type(field.ty)),
                field.ty.rank
            )
        })
        .collect();
    parts(texts)
}

fn parts(texts: Vec<String>) -> String {
    if texts.is_empty() {
        return "[]".to_owned();
    }
    format!("[\n        {}\n      ]", texts.join(",\n        "))
}

fn string(text: &str) -> String {
    let mut out = String::new();
    push_json_string(&mut out, text);
    out
}
