//! The examples, which are tests themselves.

#[path = "../../examples/operator_in_virtual_time.rs"]
mod operator_in_virtual_time;
#[path = "../../examples/pods_with_lifecycles.rs"]
mod pods_with_lifecycles;

#[test]
fn an_operator_is_tested_in_virtual_time() {
    operator_in_virtual_time::main().unwrap();
}

#[test]
fn an_operator_is_tested_with_pods_that_go_through_lifecycles() {
    pods_with_lifecycles::main().unwrap();
}
