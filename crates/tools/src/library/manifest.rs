//! The manifest of a library: what is in it, as JSON. Among that are the routines that it calls: there are none, since a
//! library stands alone.

use std::collections::BTreeSet;

use crate::json::quoted;
use pullback_codegen::{Casadi, Entries, Field, Interface, Leaf};
use pullback_lambda::{Data, DataId, Program};

use super::entries::Offered;
use super::left_out::LeftOut;

/// The text.
pub fn text(
    interface: &Interface,
    offers: &[Offered],
    left_out: &[LeftOut],
    sums: &[String],
) -> String {
    let functions = interface.functions.iter().zip(offers).map(|(function, offer)| {
        let Offered { entry, ty, shape, .. } = offer;
        let wrt = shape.params.iter().filter(|param| param.moves).map(|param| quoted(&param.name));
        format!(
            "    {{\n      \"symbol\": {},\n      \"entry\": {},\n      \"type\": {},\n      \"kind\": {},\n      \
             \"wrt\": [{}],\n      \"parameters\": {},\n      \"results\": {}\n    }}",
            quoted(&function.symbol),
            quoted(entry),
            quoted(ty),
            quoted(shape.kind.name()),
            wrt.collect::<Vec<_>>().join(", "),
            fields(interface, &function.params),
            fields(interface, &function.results),
        )
    });
    text_of(interface, "c", functions.collect(), sums, left_out)
}

/// The sum types that functions take and give, with their constructors in the order of the tags.
pub fn sums(program: &Program, sums: &BTreeSet<DataId>) -> Vec<String> {
    let sum = |data: &DataId| {
        let Data { name, constructors, .. } = &program.datas[*data];
        let constructors = constructors.iter().map(|con| {
            let fields = con.fields.iter().map(|field| quoted(&program.show_type(field)));
            let fields = fields.collect::<Vec<_>>().join(", ");
            format!("{{\"name\": {}, \"fields\": [{fields}]}}", quoted(&con.name))
        });
        let constructors = parts(constructors.collect());
        format!(
            "    {{\n      \"name\": {},\n      \"constructors\": {constructors}\n    }}",
            quoted(name)
        )
    };
    sums.iter().map(sum).collect()
}

/// The same in words, a line each: `Shape: 0 Circle Real, 1 Rect Real Real`.
pub fn tags(program: &Program, sums: &BTreeSet<DataId>) -> Vec<String> {
    let sum = |data: &DataId| {
        let Data { name, constructors, .. } = &program.datas[*data];
        let constructors = constructors.iter().enumerate().map(|(tag, con)| {
            let fields = con.fields.iter().map(|field| match program.show_type(field) {
                words if words.contains(' ') && !words.starts_with(['(', '{']) => {
                    format!(" ({words})")
                }
                words => format!(" {words}"),
            });
            format!("{tag} {}{}", con.name, fields.collect::<String>())
        });
        format!("{name}: {}", constructors.collect::<Vec<_>>().join(", "))
    };
    sums.iter().map(sum).collect()
}

/// The text for a library that CasADi loads.
pub fn of_tables(casadi: &Casadi, left_out: &[LeftOut]) -> String {
    let functions = casadi.tables.iter().map(|table| {
        format!(
            "    {{\n      \"symbol\": {},\n      \"about\": {},\n      \"inputs\": {},\n      \"outputs\": {}\n    }}",
            quoted(&table.symbol),
            quoted(&table.about),
            leaves(&table.inputs),
            leaves(&table.outputs),
        )
    });
    text_of(&casadi.interface, "casadi", functions.collect(), &[], left_out)
}

fn text_of(
    interface: &Interface,
    abi: &str,
    functions: Vec<String>,
    sums: &[String],
    left_out: &[LeftOut],
) -> String {
    let left_out = left_out.iter().map(|LeftOut { entry, derivatives, reason }| {
        let names: Vec<String> = derivatives.iter().map(|kind| quoted(kind.name())).collect();
        let derivatives = if names.is_empty() {
            String::new()
        } else {
            format!("\"derivatives\": [{}], ", names.join(", "))
        };
        let (entry, reason) = (quoted(entry), quoted(reason));
        format!("    {{\"entry\": {entry}, {derivatives}\"reason\": {reason}}}")
    });
    let sums = if sums.is_empty() {
        String::new()
    } else {
        format!("  \"sums\": {},\n", list(sums.to_vec()))
    };
    let targets = if interface.targets.is_empty() {
        String::new()
    } else {
        let names: Vec<String> = interface.targets.iter().map(|of| quoted(of.name())).collect();
        format!("  \"targets\": [{}],\n", names.join(", "))
    };
    format!(
        "{{\n  \"library\": {},\n  \"abi\": {},\n{targets}  \"functions\": {},\n{sums}  \"routines\": [],\n  \"left_out\": {}\n}}\n",
        quoted(&interface.name),
        quoted(abi),
        list(functions),
        list(left_out.collect())
    )
}

fn leaves(leaves: &[Leaf]) -> String {
    let texts = leaves.iter().map(|Leaf { name, rows, columns, entries, .. }| {
        let entries = match entries {
            Entries::Dense => String::new(),
            Entries::Zero => ", \"entries\": 0".to_owned(),
            Entries::Some { rows, .. } => format!(", \"entries\": {}", rows.len()),
        };
        let name = quoted(name);
        format!("{{\"name\": {name}, \"rows\": {rows}, \"columns\": {columns}{entries}}}")
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
                quoted(&field.name),
                quoted(&interface.c_type(field.ty)),
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
