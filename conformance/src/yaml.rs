//! YAML as Ruby writes it: nodes with their tags, aliases resolved.

mod value;

pub(crate) use value::{regex, to_bson};

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::Result;

/// A value, with the tag that says what Ruby makes of it.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) tag: Option<String>,
    pub(crate) content: Content,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// A text without quotes, which may be a number, a date and other things.
    Plain(String),
    Quoted(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.content {
            Content::Map(entries) => {
                entries.iter().find_map(|(name, node)| (name == key).then_some(node))
            }
            _ => None,
        }
    }

    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Plain(text) | Content::Quoted(text) => Some(text),
            Content::List(_) | Content::Map(_) => None,
        }
    }
}

/// The items of the list that a file holds.
pub(crate) fn items(text: &str) -> Result<Vec<Node>> {
    let mut composer = Composer { parser: Parser::new_from_str(text), anchors: HashMap::new() };
    loop {
        match composer.next()? {
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            event => {
                return match composer.node(event)?.content {
                    Content::List(items) => Ok(items),
                    _ => Err("expected a list of cases".into()),
                };
            }
        }
    }
}

/// Makes nodes of the parser's events.
struct Composer<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: HashMap<usize, Node>,
}

impl<'a> Composer<'a> {
    fn next(&mut self) -> Result<Event<'a>> {
        match self.parser.next() {
            Some(event) => Ok(event?.0),
            None => Err("the file ends too early".into()),
        }
    }

    fn node(&mut self, event: Event<'a>) -> Result<Node> {
        let (anchor, tag, content) = match event {
            Event::Alias(anchor) => {
                return self.anchors.get(&anchor).cloned().ok_or_else(|| "unknown alias".into());
            }
            Event::Scalar(text, style, anchor, tag) => {
                let text = text.into_owned();
                let content = match style {
                    ScalarStyle::Plain => Content::Plain(text),
                    _ => Content::Quoted(text),
                };
                (anchor, tag, content)
            }
            Event::SequenceStart(anchor, tag) => (anchor, tag, Content::List(self.list()?)),
            Event::MappingStart(anchor, tag) => (anchor, tag, Content::Map(self.map()?)),
            event => return Err(format!("unexpected {event:?}").into()),
        };
        let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
        let node = Node { tag, content };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self) -> Result<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(items),
                event => items.push(self.node(event)?),
            }
        }
    }

    fn map(&mut self) -> Result<Vec<(String, Node)>> {
        let mut entries = Vec::new();
        loop {
            let key = match self.next()? {
                Event::MappingEnd => return Ok(entries),
                event => self.node(event)?,
            };
            let name = match &key.content {
                // A symbol of Ruby.
                Content::Plain(text) => text.strip_prefix(':').unwrap_or(text).to_owned(),
                Content::Quoted(text) => text.clone(),
                Content::List(_) | Content::Map(_) => return Err("a key is no text".into()),
            };
            let event = self.next()?;
            entries.push((name, self.node(event)?));
        }
    }
}
