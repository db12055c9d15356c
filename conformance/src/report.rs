//! What became of the cases of a suite.

/// What became of one case.
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// The case asks for something that is not the library's, for this reason.
    NotApplicable(String),
}

impl Outcome {
    /// Passed without a reason to the contrary.
    pub(crate) fn of(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(reason) => Self::Failed(reason),
        }
    }
}

/// The outcomes of a suite.
pub(crate) struct Report {
    suite: &'static str,
    cases: Vec<(String, Outcome)>,
}

impl Report {
    pub(crate) fn new(suite: &'static str) -> Self {
        Self { suite, cases: Vec::new() }
    }

    pub(crate) fn add(&mut self, case: String, outcome: Outcome) {
        self.cases.push((case, outcome));
    }

    pub(crate) fn is_passed(&self) -> bool {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_))) == 0
    }

    /// Prints each case that did not pass, with its reason.
    pub(crate) fn print_cases(&self) {
        for (case, outcome) in &self.cases {
            match outcome {
                Outcome::Passed => {}
                Outcome::Failed(reason) => println!("{}: failed: {case}: {reason}", self.suite),
                Outcome::NotApplicable(reason) => {
                    println!("{}: not applicable: {case}: {reason}", self.suite);
                }
            }
        }
    }

    pub(crate) fn summary(&self) -> String {
        let passed = self.count(|outcome| matches!(outcome, Outcome::Passed));
        let failed = self.count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let not_applicable = self.count(|outcome| matches!(outcome, Outcome::NotApplicable(_)));
        format!("{}: {passed} passed, {failed} failed, {not_applicable} not applicable", self.suite)
    }

    fn count(&self, is: impl Fn(&Outcome) -> bool) -> usize {
        self.cases.iter().filter(|(_, outcome)| is(outcome)).count()
    }
}
