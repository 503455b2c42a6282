//! Expressions and what comes out of them, as cel-go and upstream's `plugin/cel/condition_test.go` have it.

use serde_json::json;

use super::*;
use crate::codec::expression::parse::parse;
use crate::codec::expression::{cost, value_of};

/// `object` and `params`, which may be null.
struct Seen(serde_json::Value);

impl Names for Seen {
    fn variable(&self, name: &str, _: &Meter) -> Option<Outcome> {
        self.0.get(name).map(|value| Ok(value_of(value)))
    }

    fn member(&self, of: &str, field: &str, _: &Meter) -> Option<Outcome> {
        (of == "variables").then(|| Ok(Value::String(Arc::new(format!("<{field}>")))))
    }
}

fn outcome(expression: &str) -> Result<Value, String> {
    let seen = Seen(json!({
        "object": {"a": 1, "f": 1.5, "list": [1, 2, 3], "names": ["x", "y"], "map": {"k": "v", "l": "w"}, "nothing": null},
        "oldObject": null, "params": null,
    }));
    let meter = Meter::new(cost::OF_AN_OBJECT);
    run(&parse(expression).unwrap(), &seen, &meter).map_err(|why| why.to_string())
}

fn is_true(expression: &str) {
    assert_eq!(outcome(expression), Ok(Value::Bool(true)), "{expression}");
}

fn fails(expression: &str, why: &str) {
    assert_eq!(outcome(expression), Err(why.to_owned()), "{expression}");
}

#[test]
fn fields_and_items_are_found() {
    is_true("object.a == 1 && object['a'] == 1 && object.list[1] == 2 && object.list[1.0] == 2");
    is_true("has(object.a) && !has(object.b) && !has(oldObject.metadata) && !has(params.data)");
    is_true("oldObject == null && object.nothing == null && object != null");
    is_true("'k' in object.map && !('z' in object.map) && 2 in object.list && !(4 in object.list)");
    fails("oldObject.x == 100", "no such key: x");
    fails("object.b.c == 1", "no such key: b");
    is_true(
        "object.list[?0] == object.list[?0] && object.list[?0] != object.list[?1] && object.list[?7] == object[?'z']",
    );
    fails("object.list[3] == 1", "index out of bounds: 3");
    fails("object.map['z'] == 'v'", "no such key: z");
    fails("object.a[0] == 1", "no such overload");
    fails("self.a == 1", "no such attribute(s): self");
}

#[test]
fn one_side_decides_whatever_is_wrong_with_the_other() {
    is_true("object.b == 1 || true");
    is_true("true || object.b == 1");
    is_true("!(object.b == 1 && false) && !(false && object.b == 1)");
    is_true("[1, 2].exists(x, object.b == x || x == 2)");
    is_true("[0, 2].exists(x, 4 / x == 2)");
    is_true("![0, 2].all(x, 4 / x > 2)");
    fails("object.b == 1 && true", "no such key: b");
    fails("[0, 2].all(x, 4 / x == 2)", "division by zero");
    fails("object.a || false", "no such overload");
}

#[test]
fn operators_are_those_of_cel() {
    is_true("1 + 2 * 3 == 7 && 7 % 4 == 3 && -object.a == -1 && 'a' + 'b' == 'ab' && [1] + [2] == [1, 2]");
    is_true("1 == 1.0 && 1u == 1 && 1 < 1.5 && 2u > 1 && !(1 == 'a') && [1, 2] == [1.0, 2u]");
    is_true("(object.a == 1 ? 'x' : object.b) == 'x' && {'a': 1}.a == 1 && {'a': 1} == {'a': 1.0}");
    is_true(
        "duration('1m') > duration('59s') && timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z')",
    );
    is_true("b'a' + b'b' == b'ab' && size(b'ab') == 2");
    fails("1 / 0 == 1", "division by zero");
    fails("1 % 0 == 1", "modulus by zero");
    fails("9223372036854775807 + 1 > 0", "integer overflow");
    fails("object.a < 'a'", "no such overload");
    fails("object.a + 'a' == ''", "no such overload");
}

#[test]
fn loops_make_lists_and_count() {
    is_true("object.list.map(x, x * 2) == [2, 4, 6] && object.list.filter(x, x > 1) == [2, 3]");
    is_true("object.list.map(x, x > 1, x * 2) == [4, 6] && object.list.exists_one(x, x == 2)");
    is_true("object.map.all(k, object.map[k] != '') && object.map.map(k, k) == ['k', 'l']");
    is_true("object.list.all(x, object.names.exists(y, y == 'x' && x < 4))");
    is_true("object.names.map(n, object.list.map(x, n + string(x))) == [['x1', 'x2', 'x3'], ['y1', 'y2', 'y3']]");
    fails("object.a.all(x, true)", "no such overload");
}

#[test]
fn functions_are_those_of_kubernetes() {
    is_true("size('é') == 1 && 'abc'.size() == 3 && object.list.size() == 3 && object.map.size() == 2");
    is_true("'abc'.startsWith('a') && 'abc'.endsWith('c') && 'abc'.contains('b') && 'abc'.matches('^a.c$')");
    is_true(
        "'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+', 1) == ['1']",
    );
    is_true("'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b' && 'Ab'.lowerAscii() == 'ab'");
    is_true("quantity('1k').isGreaterThan(quantity('1')) && isQuantity('1Gi') && sets.contains([1, 2], [1])");
    is_true("int('3') == 3 && string(3) == '3' && double('1.5') == object.f && type(1) == int && dyn(1) == 1");
    is_true("object.list.includes(2) && !object.list.includes(5) && 'a'.includes('a')");
    is_true(
        "object.?a.orValue(0) == 1 && object.?b.orValue(5) == 5 && object.?b.c.orValue(6) == 6 && !object.?b.hasValue()",
    );
    is_true("optional.of(1).value() == 1 && [?object.?b, ?object.?a] == [1]");
    is_true("variables.any == '<any>' && has(variables.any)");
    assert!(outcome("'a'.matches('(')").unwrap_err().starts_with("error parsing regexp: "));
    fails("optional.none().value() == 1", "optional.none() dereference");
    fails("object.a.startsWith('a')", "no such overload");
}

#[test]
fn what_costs_too_much_is_stopped() {
    let limit = "operation cancelled: actual cost limit exceeded";
    fails("lists.range(10000000).size() > 0", limit);
    fails("lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))", limit);
    fails(
        "lists.range(10000).map(x, 'abcdefghij').join(',').replace('', 'abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij').size() > 0",
        limit,
    );
    fails("'%.999999999f'.format([1.0]) != ''", limit);
    fails("[1].all(a, lists.range(900000).all(b, b >= 0)) || true", limit);
}

#[test]
fn a_budget_is_shared_by_expressions() {
    let seen = Seen(json!({}));
    let meter = Meter::new(1_000_000);
    let loops = parse("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, a > 0)").unwrap();
    let ran = (0..100_000).take_while(|_| run(&loops, &seen, &meter).is_ok()).count();
    assert!((1_000..50_000).contains(&ran), "{ran}");
    assert_eq!(run(&loops, &seen, &meter), Err(Error::OutOfBudget));
}

#[test]
fn what_nests_as_deep_as_it_can_be_read_runs() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("int(", ")"), ("-", ""), ("1 + (", ")"), ("[1].all(x, true || ", " == 1)")]
    {
        for n in [10, 40, 100, 120, 200] {
            let text = format!("{}1{}", open.repeat(n), close.repeat(n));
            if let Ok(expression) = parse(&text) {
                let meter = Meter::new(cost::OF_AN_OBJECT);
                let _ = run(&expression, &Seen(json!({})), &meter);
            }
        }
    }
}

#[test]
fn times_are_converted_as_in_go() {
    is_true("timestamp('2024-01-01T00:00:00Z').getHours('America/New_York') == 19");
    is_true(
        "timestamp('2024-01-01T00:00:00Z').getHours('-05:30') == 18 && timestamp('2024-01-01T00:00:00Z').getHours() == 0",
    );
    is_true("timestamp('2024-01-01T00:00:00Z').getDayOfMonth('-05:30') == 30");
    fails("timestamp('2024-01-01T00:00:00Z').getHours('Nope/Zone') == 0", "unknown time zone Nope/Zone");
    is_true("string(duration('90s')) == '90s' && string(duration('1500ms')) == '1.5s'");
    is_true("string(timestamp('2024-01-01T02:00:00+02:00')) == '2024-01-01T00:00:00Z'");
    is_true("int(timestamp('1970-01-01T00:00:01Z')) == 1 && timestamp(1) == timestamp('1970-01-01T00:00:01Z')");
    is_true("bool('true') && !bool('F')");
}
