//! Tokens: a place in an order, as text.
//!
//! The bytes are a version, flags, the mark of the order, a checksum, and the key values as a BSON
//! document; the text is their base64 for URLs.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::key::plain;
use crate::codec;
use crate::error::{Error, Result};

/// A place between two documents of a sorted find, where a page begins or ends.
///
/// It is text for a URL: `Display`, `FromStr` and serde give and take it. Inside are the values that
/// the document at the place is sorted by, readable for who decodes them, and not signed: it names a
/// place and grants nothing. What a token holds is only ever compared with, and never acts as an
/// operator. At most 64 kB of values; a page that would need more fails.
///
/// Text that is no token does not parse, and a token of another collection or sort is refused by
/// the find, before anything is sent.
///
/// ```
/// use odm::PageToken;
///
/// let error = "nonsense".parse::<PageToken>().unwrap_err();
/// assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument);
/// ```
#[derive(Clone)]
pub struct PageToken {
    text: String,
    pub(super) mark: u64,
    /// Whether the document at the place itself belongs to what is beyond it.
    pub(super) inclusive: bool,
    pub(super) values: Vec<Bson>,
}

const VERSION: u8 = 1;
const INCLUSIVE: u8 = 1;

/// The version, the flags, the mark and the checksum.
const HEAD: usize = 1 + 1 + 8 + 4;

/// The most bytes of a token before they are made text.
const LARGEST: usize = 64 * 1024;

impl PageToken {
    pub(super) fn new(mark: u64, inclusive: bool, values: Vec<Bson>) -> Result<Self> {
        let positions = values.iter().enumerate();
        let document: Document =
            positions.map(|(position, value)| (position.to_string(), value.clone())).collect();
        let document = RawDocumentBuf::try_from(&document).map_err(|error| {
            Error::invalid("the sort keys have no BSON form").with_source(error)
        })?;
        let mut bytes = vec![VERSION, if inclusive { INCLUSIVE } else { 0 }];
        bytes.extend(mark.to_le_bytes());
        bytes.extend(checksum(&bytes, document.as_bytes()));
        bytes.extend(document.as_bytes());
        if bytes.len() > LARGEST {
            let message = format!("the sort keys take more than {LARGEST} bytes: sort by others");
            return Err(Error::invalid(message));
        }
        Ok(Self { text: URL_SAFE_NO_PAD.encode(bytes), mark, inclusive, values })
    }

    /// The same place, with its document on the other side.
    pub(crate) fn turned(&self) -> Result<Self> {
        Self::new(self.mark, !self.inclusive, self.values.clone())
    }

    fn parse(text: &str) -> Option<Self> {
        if text.len() > LARGEST.div_ceil(3) * 4 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (head, document) = bytes.split_at_checked(HEAD)?;
        let (known, sum) = head.split_at_checked(HEAD - 4)?;
        let &[version, flags, ref mark @ ..] = known else { return None };
        let mark = u64::from_le_bytes(mark.try_into().ok()?);
        if version != VERSION || flags & !INCLUSIVE != 0 || sum != checksum(known, document) {
            return None;
        }
        let mut values = Vec::new();
        for element in RawDocument::from_bytes(document).ok()?.iter() {
            match codec::shallow(element.ok()?.1)? {
                Bson::Array(_) => return None,
                value => values.push(plain(value)),
            }
        }
        Some(Self { text: text.to_owned(), mark, inclusive: flags & INCLUSIVE != 0, values })
    }
}

fn checksum(head: &[u8], document: &[u8]) -> [u8; 4] {
    let [a, b, c, d, ..] = digest(&[head, document].concat()).to_le_bytes();
    [a, b, c, d]
}

/// A number that tells bytes apart by accident, not against intent (FNV-1a).
pub(super) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, &byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl FromStr for PageToken {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| Error::invalid("the text is no page token"))
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PageToken").field(&self.text).finish()
    }
}

impl PartialEq for PageToken {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PageToken {}

impl From<&PageToken> for Option<PageToken> {
    fn from(token: &PageToken) -> Self {
        Some(token.clone())
    }
}

impl Serialize for PageToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for PageToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
