//! The options that are the same for every action, as methods of its builder.

/// Gives a builder the options that are the same for every action, by name.
///
/// The builder holds a `call`; one that holds another builder names that field first.
macro_rules! option_setters {
    ($($name:ident),+ $(,)?) => {$( option_setters!(@ $name); )+};
    ($field:ident: $($name:ident),+ $(,)?) => {$( option_setters!(@ $name of $field); )+};

    (@ session $(of $field:ident)?) => {
        /// Runs the action on this session, and so in its transaction if it has one. Takes a
        /// [`Session`](crate::Session) or the [`Tx`](crate::Tx) of a transaction.
        pub fn session(mut self, session: impl AsRef<crate::Session>) -> Self {
            self$(.$field)?.call.session(session.as_ref());
            self
        }
    };
    (@ read_concern $(of $field:ident)?) => {
        /// The read concern, in place of the model's. Not in a transaction, which has one itself.
        ///
        /// Source: [read concern](https://www.mongodb.com/docs/manual/reference/read-concern/).
        pub fn read_concern(mut self, read_concern: crate::options::ReadConcern) -> Self {
            self$(.$field)?.call.options().read_concern = Some(read_concern);
            self
        }
    };
    (@ write_concern $(of $field:ident)?) => {
        /// The write concern, in place of the model's. Not in a transaction, which has one itself.
        ///
        /// Source: [write concern](https://www.mongodb.com/docs/manual/reference/write-concern/).
        pub fn write_concern(mut self, write_concern: crate::options::WriteConcern) -> Self {
            self$(.$field)?.call.options().write_concern = Some(write_concern);
            self
        }
    };
    (@ read_preference $(of $field:ident)?) => {
        /// Which members of a replica set may answer, in place of the model's preference.
        ///
        /// Old documents that come from another member than the primary are upgraded in memory
        /// only. Source:
        /// [read preference](https://www.mongodb.com/docs/manual/core/read-preference/).
        pub fn read_preference(mut self, preference: crate::options::ReadPreference) -> Self {
            self$(.$field)?.call.options().selection_criteria = Some(preference.into());
            self
        }
    };
    (@ with_deleted $(of $field:ident)?) => {
        /// Sees deleted documents too, of a model with a soft delete.
        pub fn with_deleted(mut self) -> Self {
            self$(.$field)?.call.see(crate::driver::Visible::All);
            self
        }

        /// Sees deleted documents only; of a model without a soft delete, none.
        pub fn only_deleted(mut self) -> Self {
            self$(.$field)?.call.see(crate::driver::Visible::Deleted);
            self
        }
    };
    (@ permanently $(of $field:ident)?) => {
        /// Deletes for good, of a model with a soft delete: what matches, whether it is marked as
        /// deleted or not, and by `cascade` what refers to it.
        pub fn permanently(mut self) -> Self {
            self$(.$field)?.call.delete_permanently();
            self
        }
    };
    (@ max_time $(of $field:ident)?) => {
        /// How long the server may work on it before it gives up; no limit unless set.
        pub fn max_time(mut self, max_time: std::time::Duration) -> Self {
            self$(.$field)?.call.options().max_time = Some(max_time);
            self
        }
    };
    (@ hint $(of $field:ident)?) => {
        /// The index to use, by its name or keys; the server fails where there is none.
        pub fn hint(mut self, hint: crate::options::Hint) -> Self {
            self$(.$field)?.call.options().hint = Some(hint);
            self
        }
    };
    (@ collation $(of $field:ident)?) => {
        /// How strings are compared, in place of the collection's collation.
        ///
        /// An index serves only under its own collation. Source:
        /// [collation](https://www.mongodb.com/docs/manual/reference/collation/).
        pub fn collation(mut self, collation: crate::options::Collation) -> Self {
            self$(.$field)?.call.options().collation = Some(collation);
            self
        }
    };
    (@ comment $(of $field:ident)?) => {
        /// A comment that the server's logs and profiler show with the command.
        pub fn comment(mut self, comment: impl Into<bson::Bson>) -> Self {
            self$(.$field)?.call.options().comment = Some(comment.into());
            self
        }
    };
    (@ let_vars $(of $field:ident)?) => {
        /// Variables for expressions: `$$name` in an aggregation expression is the value. From
        /// server 5.0.
        pub fn let_vars(mut self, variables: bson::Document) -> Self {
            self$(.$field)?.call.options().let_vars = Some(variables);
            self
        }
    };
    (@ allow_disk_use $(of $field:ident)?) => {
        /// Whether the server may sort on disk what is above 100 MB.
        pub fn allow_disk_use(mut self, allow: bool) -> Self {
            self$(.$field)?.call.options().allow_disk_use = Some(allow);
            self
        }
    };
}
