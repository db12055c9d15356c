//! The concerns that a model declares for its actions.

/// Read concern, write concern and read preference of a model's actions, in the server's words.
///
/// What an action or a transaction sets wins over them; what is `None` is the client's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Concerns {
    /// The level of the read concern: `local`, `available`, `majority`, `linearizable`,
    /// `snapshot`.
    pub read_concern: Option<&'static str>,
    /// The members that must have a write before it is confirmed: `majority`, a number of them, or
    /// a tag of the replica set's configuration.
    pub write_concern: Option<&'static str>,
    /// The mode of the read preference: `primary`, `primaryPreferred`, `secondary`,
    /// `secondaryPreferred`, `nearest`.
    pub read_preference: Option<&'static str>,
}

impl Concerns {
    /// Those of the client.
    #[doc(hidden)]
    pub const NONE: Self = Self { read_concern: None, write_concern: None, read_preference: None };

    #[doc(hidden)]
    #[must_use]
    pub const fn read_concern(mut self, level: &'static str) -> Self {
        self.read_concern = Some(level);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn write_concern(mut self, acknowledgment: &'static str) -> Self {
        self.write_concern = Some(acknowledgment);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn read_preference(mut self, mode: &'static str) -> Self {
        self.read_preference = Some(mode);
        self
    }
}
