//! Connection strings as they may be shown.

use std::borrow::Cow;

/// The connection string without the user and the password, for logs and errors.
pub(crate) fn without_credentials(uri: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = uri.split_once("://") else {
        return uri.into();
    };
    let (hosts, options) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    match hosts.rsplit_once('@') {
        Some((_, hosts)) => format!("{scheme}://***@{hosts}{options}").into(),
        None => uri.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_shown() {
        for (uri, shown) in [
            ("mongodb://a:1,b:2/?replicaSet=x", "mongodb://a:1,b:2/?replicaSet=x"),
            ("mongodb://me:secret@a:1,b:2/?x=y@z", "mongodb://***@a:1,b:2/?x=y@z"),
            ("mongodb+srv://me:s@cret@host?w=1", "mongodb+srv://***@host?w=1"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(without_credentials(uri), shown);
        }
    }
}
