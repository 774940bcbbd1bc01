//! The manifest of a library: what is in it, as JSON.

use pullback_base::Name;
use pullback_codegen::{Field, Interface};

use super::entries::Offered;
use crate::output::push_json_string;

/// The text.
pub fn text(interface: &Interface, offers: &[Offered], left_out: &[(Name, String)]) -> String {
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
    let left_out = left_out.iter().map(|(name, why)| {
        format!("    {{\"entry\": {}, \"reason\": {}}}", string(name), string(why))
    });
    format!(
        "{{\n  \"library\": {},\n  \"abi\": \"c\",\n  \"functions\": {},\n  \"left_out\": {}\n}}\n",
        string(&interface.name),
        list(functions.collect()),
        list(left_out.collect())
    )
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
