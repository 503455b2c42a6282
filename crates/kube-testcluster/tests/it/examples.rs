//! Runs the crate's examples as tests.

#[path = "../../examples/operator_in_virtual_time.rs"]
mod operator_in_virtual_time;
#[path = "../../examples/pods_with_lifecycles.rs"]
mod pods_with_lifecycles;

#[test]
fn the_example_of_an_operator_in_virtual_time_works() {
    operator_in_virtual_time::main().unwrap();
}

#[test]
fn the_example_of_pods_with_lifecycles_works() {
    pods_with_lifecycles::main().unwrap();
}
