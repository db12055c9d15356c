//! Ordinary mistakes, and the errors that the compiler shows for them.
//!
//! In two tests, since mistakes are checked all at once only where no program is to be linked.

use trybuild::TestCases;

/// Each mistake under `tests/ui` is refused with the message beside it.
#[test]
fn mistakes_are_explained_by_the_compiler() {
    TestCases::new().compile_fail("tests/ui/[!p]*/*.rs");
}

/// What is under `tests/ui/pass` compiles, and its assertions hold.
#[test]
fn unusual_models_compile() {
    TestCases::new().pass("tests/ui/pass/*.rs");
}
