//! Ordinary mistakes, and the errors that the compiler shows for them.

/// Each mistake under `tests/ui` is refused with the message beside it; what is under
/// `tests/ui/pass` compiles.
#[test]
fn mistakes_are_explained_by_the_compiler() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/ui/[!p]*/*.rs");
    tests.pass("tests/ui/pass/*.rs");
}
