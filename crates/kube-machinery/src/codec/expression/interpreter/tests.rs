//! Runs the CEL expressions that were recorded from upstream, and expressions that must be stopped because they take
//! too much time or memory.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::*;
use crate::codec::expression::COST_OF_AN_OBJECT;
use crate::codec::expression::checker::{Type, check};
use crate::codec::expression::parse::parse;
use crate::conventions::go_number::general;
use crate::value::json;

/// The variable `object`, whose type the checker does not know.
struct Seen(Value);

impl Variables for Seen {
    fn variable(&self, name: &str, _: &Meter) -> Option<Outcome> {
        (name == "object").then(|| Ok(self.0.clone()))
    }

    fn is_dynamic(&self, _: &str) -> bool {
        true
    }
}

/// Returns the value of `object` that the recorded expressions saw.
fn object() -> Seen {
    Seen(Value::from(&json!({
        "a": 1, "f": 1.5, "list": [1, 2, 3], "names": ["x", "y"], "map": {"k": "v", "l": "w"}, "nothing": null, "empty": "",
        "text": "Hällo, Wörld", "yes": true, "items": [{"name": "x", "n": 1}, {"name": "y", "n": 2}],
        "deep": {"er": {"est": "bottom"}},
    })))
}

/// A line of `fixtures/expressions`.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
struct Case {
    expression: String,
    value: Option<String>,
    error: Option<String>,
    /// The error of an expression that does not compile.
    refused: Option<String>,
    cost: u64,
}

/// Returns the result and the cost that this implementation gives to an expression.
fn answer(expression: &str) -> Case {
    let mut case = Case { expression: expression.to_owned(), ..Case::default() };
    let program = match check(expression, vec![("object".to_owned(), Type::Dyn)]) {
        Err(faults) => Err(format!("compilation failed: {faults}")),
        Ok(checked) => checked.program().map_err(|why| format!("program {why}")),
    };
    match program {
        Err(why) => case.refused = Some(why),
        Ok(program) => {
            let meter = Meter::new(COST_OF_AN_OBJECT);
            match run(&program, &object(), &meter) {
                Ok(value) => case.value = Some(shown(&value)),
                Err(why) => case.error = Some(why.to_string()),
            }
            case.cost = COST_OF_AN_OBJECT - meter.remaining();
        }
    }
    case
}

/// Returns a value as the recordings show it: the text also shows the type.
fn shown(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Uint(uint) => format!("{uint}u"),
        Value::Double(double) => format!("double({})", general(*double)),
        Value::String(text) => quoted(text),
        Value::Bytes(bytes) => {
            format!("bytes({})", base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes))
        }
        Value::List(items) => format!("[{}]", joined(items.iter().map(shown).collect())),
        Value::Map(map) => {
            let mut pairs: Vec<_> =
                map.iter().map(|(key, value)| format!("{}: {}", shown(&key), shown(value))).collect();
            pairs.sort();
            format!("{{{}}}", joined(pairs))
        }
        Value::Duration(nanoseconds) => format!("duration({})", go_duration(*nanoseconds)),
        Value::Timestamp(at) => {
            format!(
                "timestamp({})",
                library::printed(&Value::Timestamp(super::super::value::Timestamp { offset: 0, ..*at }))
            )
        }
        Value::Type(name) => format!("type({name})"),
        Value::Optional(None) => "optional()".to_owned(),
        Value::Optional(Some(held)) => format!("optional({})", shown(held)),
        Value::Object(object) => object.shown(),
        Value::Invalid(why) => (*why).to_owned(),
    }
}

/// Returns a text in JSON's quotes. Go also escapes the line separators U+2028 and U+2029.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Returns a duration as Go prints it: `1h30m0s`.
fn go_duration(nanoseconds: i64) -> String {
    let (sign, size) = (if nanoseconds < 0 { "-" } else { "" }, nanoseconds.unsigned_abs());
    let (hours, minutes) = (size / 3_600_000_000_000, size / 60_000_000_000 % 60);
    let mut to = sign.to_owned();
    if size == 0 {
        return "0s".to_owned();
    }
    if size < 1_000_000_000 {
        let (unit, length) =
            [("ms", 1e6), ("µs", 1e3), ("ns", 1.0)].into_iter().find(|(_, length)| size as f64 >= *length).unwrap();
        return format!("{sign}{}{unit}", size as f64 / length);
    }
    if hours > 0 {
        write!(to, "{hours}h").unwrap();
    }
    if hours > 0 || minutes > 0 {
        write!(to, "{minutes}m").unwrap();
    }
    let seconds = size % 60_000_000_000;
    let fraction = format!("{:09}", seconds % 1_000_000_000);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    write!(to, "{}{point}{fraction}s", seconds / 1_000_000_000).unwrap();
    to
}

fn directory() -> PathBuf {
    let given = std::env::var_os("EXPRESSIONS_DIR").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/expressions"))
}

#[test]
fn recorded_expressions_have_upstreams_results_and_costs() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for file in fs::read_dir(directory()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(&path).unwrap().lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let answer = answer(&case.expression);
            cases += 1;
            if answer != case {
                wrong.push(format!("  wanted {case:?}\n  got    {answer:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cases} expressions differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// One variable whose fields are computed on demand, like the `variables` of policies.
struct ComputedFields;

impl Variables for ComputedFields {
    fn variable(&self, _: &str, _: &Meter) -> Option<Outcome> {
        None
    }

    fn member(&self, of: &str, field: &str, _: &Meter) -> Option<Outcome> {
        (of == "variables").then(|| Ok(Value::text(format!("<{field}>"))))
    }
}

fn program(expression: &str) -> Program {
    Program::of(parse(expression).unwrap()).unwrap()
}

#[test]
fn fields_of_variables_are_computed() {
    let meter = Meter::new(COST_OF_AN_OBJECT);
    let outcome = run(&program("variables.any == '<any>' && has(variables.any)"), &ComputedFields, &meter);
    assert!(matches!(outcome, Ok(Value::Bool(true))), "{outcome:?}");
}

#[test]
fn an_expression_that_costs_too_much_is_stopped() {
    let hundred = "abcdefghij".repeat(10);
    for expression in [
        "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))".to_owned(),
        format!("lists.range(10000).map(x, 'abcdefghij').join(',').replace('', '{hundred}').size() > 0"),
        "'%.999999999f'.format([1.0]) != ''".to_owned(),
        "[1].all(a, lists.range(900000).all(b, b >= 0)) || true".to_owned(),
        "lists.range(900000).map(a, lists.range(900000)).size() > 0".to_owned(),
        // Each `map` doubles its input, while upstream charges 1 for it.
        format!("[lists.range(1000)]{}.size() > 0", ".map(x, x + x)".repeat(20)),
        format!("['{hundred}']{}.size() > 0", ".map(x, dyn(x) + dyn(x))".repeat(40)),
        format!("[{{'a': lists.range(1000)}}]{}.size() > 0", ".map(x, {'a': [x, x], 'b': [x == x]})".repeat(30)),
        format!("[{}].all(a, [{0}].all(b, [{0}].all(c, sets.equivalent([{0}], [{0}]))))", "1, ".repeat(200) + "2"),
        format!("lists.range(1000).map(x, string(x)).exists(x, '{hundred}'.matches(x + '{{1,1000}}'))"),
    ] {
        let start = std::time::Instant::now();
        let outcome = run(&program(&expression), &ComputedFields, &Meter::new(COST_OF_AN_OBJECT));
        assert!(matches!(outcome, Err(Error::Cancelled)), "{expression}: {outcome:.100?}");
        assert!(start.elapsed().as_secs() < 20, "{expression}: {:?}", start.elapsed());
    }
}

#[test]
fn a_budget_is_shared_by_expressions() {
    let meter = Meter::new(1_000_000);
    let loops = program("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, a > 0)");
    let ran = (0..100_000).take_while(|_| run(&loops, &ComputedFields, &meter).is_ok()).count();
    assert_eq!(ran, 1_000_000 / 51); // each run costs 51
    assert!(matches!(run(&loops, &ComputedFields, &meter), Err(Error::OutOfBudget)));
}

#[test]
fn an_expression_as_deep_as_the_parser_takes_runs() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("int(", ")"), ("-", ""), ("1 + (", ")"), ("[1].all(x, true || ", " == 1)")]
    {
        for n in [10, 40, 100, 120, 200] {
            if let Ok(expression) = parse(&format!("{}1{}", open.repeat(n), close.repeat(n))) {
                let ran = Program::of(expression)
                    .map(|program| run(&program, &ComputedFields, &Meter::new(COST_OF_AN_OBJECT)));
                assert!(!matches!(ran, Ok(Err(Error::OutOfBudget))), "{open}");
            }
        }
    }
}
