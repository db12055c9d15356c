//! Lists whose elements have keys: stored as the lists that they are.

use crate::errors::Errors;
use crate::input::Field;

pub(super) fn check_field(field: &Field<'_>, errors: &mut Errors) {
    let Some(embedded) = &field.attrs.embedded else { return };
    if field.serialize_with.is_some() || field.attrs.opaque || field.flatten {
        let message = "this is about a list that is stored as its type says: remove `with`, \
                       `opaque` or `flatten`";
        errors.at(&embedded.word, message);
    }
}
