//! The stored names of an embedded document, known at compile time.

/// The names that a type's fields are stored under, those of flattened fields among them.
///
/// A flattened field stands beside its siblings, so no name may be in both: the derive checks it.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// The names of the fields that are not flattened.
    pub own: &'static [&'static str],
    /// The names in each flattened field.
    pub flattened: &'static [&'static Names],
}

impl Names {
    /// The names of a type without fields.
    pub const NONE: Self = Self { own: &[], flattened: &[] };

    /// Whether no name is in both.
    #[must_use]
    pub const fn is_disjoint(&self, other: &Self) -> bool {
        let mut i = 0;
        while i < self.own.len() {
            if other.has(self.own[i]) {
                return false;
            }
            i += 1;
        }
        let mut i = 0;
        while i < self.flattened.len() {
            if !self.flattened[i].is_disjoint(other) {
                return false;
            }
            i += 1;
        }
        true
    }

    const fn has(&self, name: &str) -> bool {
        let mut i = 0;
        while i < self.own.len() {
            if is_equal(self.own[i], name) {
                return true;
            }
            i += 1;
        }
        let mut i = 0;
        while i < self.flattened.len() {
            if self.flattened[i].has(name) {
                return true;
            }
            i += 1;
        }
        false
    }
}

/// Whether two names are equal, in a constant.
pub(crate) const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::Names;

    const STAMPS: Names = Names { own: &["created", "updated"], flattened: &[] };
    const META: Names = Names { own: &["title"], flattened: &[&STAMPS] };

    #[test]
    fn names_are_found_in_flattened_fields_of_either_side() {
        for (own, expected) in [("title", false), ("updated", false), ("create", true)] {
            let beside = Names { own: vec![own].leak(), flattened: &[] };
            assert_eq!(META.is_disjoint(&beside), expected, "{own}");
            assert_eq!(beside.is_disjoint(&META), expected, "{own}");
        }
        assert!(Names::NONE.is_disjoint(&META));
    }
}
