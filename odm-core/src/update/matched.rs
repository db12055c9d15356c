//! The positional operator `$`: whether a filter says which element it is.
//!
//! The server takes the position that the last condition on any array has found, whichever array
//! that is: with conditions on two of them, the wrong element is changed, and nobody is told. So a
//! filter must have exactly one condition on arrays, and that on the one of the update.
//!
//! Source: [`$` (update)](https://www.mongodb.com/docs/manual/reference/operator/update/positional/).

use bson::{Bson, Document};

use crate::error::{Error, Result};
use crate::model::{Kind, Shape};

/// Checks the filter for an update of `path`, which may hold a `$`.
pub(super) fn check(path: &str, filter: &Document, shape: &Shape) -> Result<()> {
    let Some(array) = array_of(path) else { return Ok(()) };
    let mut found = Vec::new();
    positions(filter, shape, array, &mut found);
    let message = match found.as_slice() {
        [one] if *one == array => return Ok(()),
        [] => format!(
            "the filter must say which element of `{array}` is meant: it has no condition that \
             an element meets"
        ),
        [other] => format!(
            "the filter must say which element of `{array}` is meant, and its only condition on \
             elements is on `{other}`"
        ),
        [one, other, ..] => format!(
            "the filter has several conditions on elements (`{one}`, `{other}`), and the server \
             takes the position of any of them: join those on `{array}` by `elem_match`, or select \
             the elements by `filtered` in place of `matched`"
        ),
    };
    Err(Error::invalid(message).with_path(path))
}

/// Checks a path that a pipeline sets: there, a number is the name of a field in each element.
pub(super) fn check_in_pipeline(path: &str, shape: &Shape) -> Result<()> {
    let mut shape = Some(shape);
    let mut segments = path.split('.').peekable();
    while let Some(segment) = segments.next() {
        let field = shape.and_then(|shape| shape.field(segment));
        let is_array = field.is_some_and(|field| field.kind == Kind::Array);
        if is_array && segments.peek().is_some_and(|next| is_number(next)) {
            let message = "a pipeline cannot set an element by its position: set the whole list, or \
                           use operators";
            return Err(Error::invalid(message).with_path(path));
        }
        shape = field.and_then(|field| (field.shape)());
    }
    Ok(())
}

/// The array that `$` stands in.
fn array_of(path: &str) -> Option<&str> {
    path.find(".$.").or_else(|| path.ends_with(".$").then(|| path.len() - 2)).map(|at| &path[..at])
}

/// Collects the arrays in which conditions find a position, one entry for each condition. What is
/// in `$or`, `$nor` and `$not` finds none.
fn positions<'a>(filter: &'a Document, shape: &Shape, target: &str, found: &mut Vec<&'a str>) {
    for (path, condition) in filter {
        match condition {
            Bson::Array(parts) if path == "$and" => parts
                .iter()
                .filter_map(Bson::as_document)
                .for_each(|part| positions(part, shape, target, found)),
            _ if path.starts_with('$') => {}
            condition => {
                if let Some(array) = array_on(path, shape, target) {
                    let count = conditions_on_elements(condition);
                    found.extend(std::iter::repeat_n(array, count));
                }
            }
        }
    }
}

/// The first array that the path goes through or ends in, without naming a position. What the
/// model does not declare counts where it is the one that is looked for.
fn array_on<'a>(path: &'a str, shape: &Shape, target: &str) -> Option<&'a str> {
    let is_target = |prefix: &str| prefix == target;
    let mut shape = Some(shape);
    let mut end = 0;
    let mut segments = path.split('.').peekable();
    while let Some(segment) = segments.next() {
        end += segment.len() + usize::from(end > 0);
        let prefix = &path[..end];
        let field = shape.and_then(|shape| shape.field(segment));
        let is_array = field.is_some_and(|field| field.kind == Kind::Array);
        let by_position = segments.peek().is_some_and(|next| is_number(next));
        if is_array && by_position {
            let position = segments.next().unwrap_or_default();
            end += 1 + position.len();
        } else if is_array || is_target(prefix) {
            return (!by_position).then_some(prefix);
        }
        shape = field.and_then(|field| (field.shape)());
    }
    None
}

fn is_number(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// How many positions a condition on an array, or on a field of its elements, can find.
fn conditions_on_elements(condition: &Bson) -> usize {
    /// Operators that look at the whole array, or that hold where no element meets something.
    const NONE: [&str; 6] = ["$ne", "$nin", "$not", "$size", "$comment", "$options"];
    match condition {
        Bson::Document(operators)
            if operators.keys().next().is_some_and(|k| k.starts_with('$')) =>
        {
            let counts = operators.iter().map(|(operator, operand)| match operand {
                _ if NONE.contains(&operator.as_str()) => 0,
                Bson::Boolean(false) if operator == "$exists" => 0,
                Bson::Array(all) if operator == "$all" => all.len(),
                // The whole array is compared.
                Bson::Array(_) if operator != "$in" && operator != "$type" => 0,
                _ => 1,
            });
            counts.sum()
        }
        Bson::Array(_) => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::model::Field;

    const COMMENT: Shape = Shape::new(
        "Comment",
        "",
        &[
            Field::of::<String>().named("who", "who", ""),
            Field::of::<Vec<i32>>().named("marks", "marks", ""),
        ],
    );
    const POST: Shape = Shape::new(
        "Post",
        "",
        &[
            Field::of::<String>().named("title", "title", ""),
            Field::of::<Vec<String>>().named("tags", "tags", ""),
            Field {
                shape: || Some(&COMMENT),
                ..Field::of::<Vec<String>>().named("comments", "comments", "")
            },
        ],
    );

    #[test]
    fn a_filter_says_which_element_by_one_condition_on_elements() {
        for (filter, accepted) in [
            (doc! { "comments.who": "b" }, true),
            (doc! { "comments": { "$elemMatch": { "who": "b", "n": 2 } } }, true),
            (doc! { "comments": { "who": "b" } }, true),
            (doc! { "comments.who": { "$in": ["b", "c"] } }, true),
            (doc! { "comments.who": { "$regex": "b", "$options": "i" } }, true),
            (doc! { "$and": [{ "title": "x" }, { "comments.who": "b" }] }, true),
            (doc! { "comments.who": "b", "tags": { "$ne": "x" } }, true),
            (doc! { "comments.who": "b", "tags": { "$size": 2 }, "title": { "$gt": "a" } }, true),
            (doc! { "comments.marks": 5 }, true),
            (doc! { "title": "x" }, false),
            (doc! { "tags": "x" }, false),
            (doc! { "comments.who": "b", "tags": "x" }, false),
            (doc! { "comments.who": "b", "comments.n": 2 }, false),
            (doc! { "comments.n": { "$gt": 1, "$lt": 3 } }, false),
            (doc! { "comments.who": { "$all": ["a", "b"] } }, false),
            (doc! { "comments.who": { "$ne": "b" } }, false),
            (doc! { "comments.who": { "$not": { "$eq": "b" } } }, false),
            (doc! { "comments.1.who": "b" }, false),
            (doc! { "comments": [{ "who": "b" }] }, false),
            (doc! { "comments": { "$size": 2 } }, false),
            (doc! { "$or": [{ "comments.who": "b" }, { "title": "x" }] }, false),
            (doc! { "$nor": [{ "comments.who": "b" }] }, false),
        ] {
            let result = check("comments.$.n", &filter, &POST);
            assert_eq!(result.is_ok(), accepted, "{filter}: {result:?}");
        }
        assert!(check("comments.0.marks.$", &doc! { "comments.0.marks": 5 }, &POST).is_ok());
        assert!(check("extra.list.$", &doc! { "extra.list": 5 }, &POST).is_ok());
        assert!(check("comments.$[].n", &doc! {}, &POST).is_ok());
    }
}
