//! Says a query in the server's words by typed filters on dynamic paths.

use bson::{Binary, Bson, Document as BsonDocument, Regex};
use odm::filter::{BsonType, IntoBits, Pattern};
use odm::path::{Path, dynamic};
use odm::prelude::*;

/// Why no filter can say a query.
type Said<T> = Result<T, String>;

/// A query, which is a document; `null` is none at all.
pub(super) fn filter(query: &Bson) -> Said<Filter<BsonDocument>> {
    match query {
        Bson::Null => Ok(Filter::new()),
        Bson::Document(query) => conditions(query, &|path| dynamic(path.to_owned())),
        _ => Err("a filter is made of conditions on paths".to_owned()),
    }
}

/// Conditions on paths, of a document or of an element.
fn conditions<M: 'static>(
    query: &BsonDocument,
    path: &dyn Fn(&str) -> Path<M, Bson>,
) -> Said<Filter<M>> {
    let mut filter = Filter::new();
    for (key, value) in query {
        filter = match (key.as_str(), value) {
            ("$comment", Bson::String(comment)) => filter.comment(comment),
            ("$and", value) => filter & Filter::and(parts(value, path)?),
            ("$or", value) => filter & Filter::or(parts(value, path)?),
            ("$nor", value) => filter & Filter::nor(parts(value, path)?),
            (key, _) if key.starts_with('$') => return Err(format!("there is no filter `{key}`")),
            (key, value) => filter & condition(&path(key), value)?,
        };
    }
    Ok(filter)
}

/// What `$and`, `$or` and `$nor` join.
fn parts<M: 'static>(value: &Bson, path: &dyn Fn(&str) -> Path<M, Bson>) -> Said<Vec<Filter<M>>> {
    let parts = list(value)?;
    if parts.is_empty() {
        return Err("filters that join nothing are not sent".to_owned());
    }
    let part = |part: &Bson| match part {
        Bson::Document(part) => conditions(part, path),
        _ => Err("a logical filter joins filters".to_owned()),
    };
    parts.iter().map(part).collect()
}

fn condition<M: 'static>(path: &Path<M, Bson>, value: &Bson) -> Said<Filter<M>> {
    match value {
        Bson::Document(operators) if is_operators(operators) => self::operators(path, operators),
        Bson::RegularExpression(regex) => Ok(path.regex(pattern(regex)?)),
        value => Ok(path.eq(value)),
    }
}

fn is_operators(document: &BsonDocument) -> bool {
    document.keys().next().is_some_and(|key| key.starts_with('$'))
}

fn operators<M: 'static>(path: &Path<M, Bson>, document: &BsonDocument) -> Said<Filter<M>> {
    let mut filter = Filter::new();
    for (operator, value) in document {
        filter = filter & self::operator(path, operator, value, document)?;
    }
    Ok(filter)
}

fn operator<M: 'static>(
    path: &Path<M, Bson>,
    operator: &str,
    value: &Bson,
    beside: &BsonDocument,
) -> Said<Filter<M>> {
    Ok(match operator {
        "$eq" => path.eq(value),
        "$ne" => match value {
            Bson::RegularExpression(_) => return Err("`ne` takes a value, no pattern".to_owned()),
            value => path.ne(value),
        },
        "$gt" => path.gt(value),
        "$gte" => path.gte(value),
        "$lt" => path.lt(value),
        "$lte" => path.lte(value),
        "$in" => one_of(path, list(value)?)?,
        "$nin" => !one_of(path, list(value)?)?,
        "$all" => all(path, list(value)?)?,
        "$elemMatch" => elem_match(path, value)?,
        "$size" => path.size(u32::try_from(whole(value)?).map_err(|e| e.to_string())?),
        "$exists" => path.exists(is_true(value)),
        "$type" => path.is_type(types(value)?),
        "$mod" => match list(value)? {
            [divisor, remainder] => path.modulo(whole(divisor)?, whole(remainder)?),
            _ => return Err("`modulo` takes a divisor and a remainder".to_owned()),
        },
        "$bitsAllSet" => bits(value, |mask| path.bits_all_set(mask), |p| path.bits_all_set(p))?,
        "$bitsAnySet" => bits(value, |mask| path.bits_any_set(mask), |p| path.bits_any_set(p))?,
        "$bitsAllClear" => {
            bits(value, |mask| path.bits_all_clear(mask), |p| path.bits_all_clear(p))?
        }
        "$bitsAnyClear" => {
            bits(value, |mask| path.bits_any_clear(mask), |p| path.bits_any_clear(p))?
        }
        "$regex" => path.regex(pattern_with(value, beside.get("$options"))?),
        "$options" if beside.contains_key("$regex") => Filter::new(),
        "$not" => match value {
            Bson::RegularExpression(regex) => !path.regex(pattern(regex)?),
            Bson::Document(inner) if is_operators(inner) => !operators(path, inner)?,
            _ => return Err("a negation is of a filter".to_owned()),
        },
        _ => return Err(format!("a path has no `{operator}`")),
    })
}

/// `$in`, whose patterns are filters of their own.
fn one_of<M: 'static>(path: &Path<M, Bson>, values: &[Bson]) -> Said<Filter<M>> {
    let mut filters = Vec::new();
    let mut plain = Vec::new();
    for value in values {
        match value {
            Bson::RegularExpression(regex) => filters.push(path.regex(pattern(regex)?)),
            Bson::Document(document) if is_operators(document) => {
                return Err("`in_` takes values, no operators".to_owned());
            }
            value => plain.push(value),
        }
    }
    filters.insert(0, path.in_(plain));
    Ok(Filter::or(filters))
}

fn all<M: 'static>(path: &Path<M, Bson>, values: &[Bson]) -> Said<Filter<M>> {
    // Ours is about elements alone, while the server's `$all` of a null finds a null field too.
    let is_condition =
        |value: &Bson| matches!(value, Bson::RegularExpression(_) | Bson::Document(_) | Bson::Null);
    if !values.iter().any(is_condition) {
        return Ok(path.all(values));
    }
    let each = |value: &Bson| match value {
        Bson::Document(document) if document.len() == 1 && document.contains_key("$elemMatch") => {
            operators(path, document)
        }
        Bson::Document(document) if is_operators(document) => {
            Err("`all` takes values, no operators".to_owned())
        }
        Bson::RegularExpression(regex) => Ok(path.regex(pattern(regex)?)),
        Bson::Null => Ok(path.eq(Bson::Null)),
        value => Ok(path.all([value])),
    };
    Ok(Filter::and(values.iter().map(each).collect::<Said<Vec<_>>>()?))
}

fn elem_match<M: 'static>(path: &Path<M, Bson>, value: &Bson) -> Said<Filter<M>> {
    let Bson::Document(query) = value else {
        return Err("`elem_match` takes a filter".to_owned());
    };
    let is_logical = |key: &String| matches!(key.as_str(), "$and" | "$or" | "$nor");
    let is_of_value = is_operators(query) && !query.keys().any(is_logical);
    let mut said = Ok(());
    let filter = path.elem_match(|element| {
        let condition = match is_of_value {
            true => operators(&element, query),
            false => conditions(query, &|path| nested(&element, path)),
        };
        condition.unwrap_or_else(|reason| {
            said = Err(reason);
            Filter::new()
        })
    });
    said.map(|()| filter)
}

/// The path below an element.
fn nested(element: &Path<Bson, Bson>, path: &str) -> Path<Bson, Bson> {
    path.split('.').fold(element.clone(), |outer, name| outer.key(name))
}

fn bits<M>(
    value: &Bson,
    by_mask: impl Fn(Mask) -> Filter<M>,
    by_positions: impl Fn(Vec<u32>) -> Filter<M>,
) -> Said<Filter<M>> {
    Ok(match value {
        Bson::Binary(mask) => by_mask(Mask::Binary(mask.clone())),
        Bson::Array(positions) => {
            let position =
                |position: &Bson| u32::try_from(whole(position)?).map_err(|e| e.to_string());
            by_positions(positions.iter().map(position).collect::<Said<_>>()?)
        }
        mask => by_mask(Mask::Number(whole(mask)?)),
    })
}

/// A mask of either form.
enum Mask {
    Number(i64),
    Binary(Binary),
}

impl IntoBits for Mask {
    fn into_bits(self) -> odm::Result<Bson> {
        match self {
            Self::Number(mask) => mask.into_bits(),
            Self::Binary(mask) => mask.into_bits(),
        }
    }
}

fn pattern(regex: &Regex) -> Said<Pattern> {
    with_options(Pattern::new(regex.pattern.as_str()), regex.options.as_str())
}

fn pattern_with(value: &Bson, options: Option<&Bson>) -> Said<Pattern> {
    let pattern = match value {
        Bson::String(expression) => Pattern::new(expression),
        Bson::RegularExpression(regex) if options.is_none() => return pattern(regex),
        Bson::RegularExpression(regex) => Pattern::new(regex.pattern.as_str()),
        _ => return Err("a pattern is text".to_owned()),
    };
    match options {
        None => Ok(pattern),
        Some(Bson::String(options)) => with_options(pattern, options),
        Some(_) => Err("the options of a pattern are methods".to_owned()),
    }
}

fn with_options(pattern: Pattern, options: &str) -> Said<Pattern> {
    options.chars().try_fold(pattern, |pattern, option| match option {
        'i' => Ok(pattern.ignore_case()),
        'm' => Ok(pattern.multi_line()),
        's' => Ok(pattern.dot_all()),
        'x' => Ok(pattern.extended()),
        _ => Err(format!("a pattern has no option `{option}`")),
    })
}

fn list(value: &Bson) -> Said<&[Bson]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| "the operator takes a list".to_owned())
}

/// A whole number, of whatever type.
fn whole(value: &Bson) -> Said<i64> {
    match value {
        Bson::Int32(number) => Ok((*number).into()),
        Bson::Int64(number) => Ok(*number),
        Bson::Double(number) if number.fract() == 0.0 => Ok(*number as i64),
        _ => Err("the operator takes whole numbers".to_owned()),
    }
}

/// What the server takes for true.
fn is_true(value: &Bson) -> bool {
    match value {
        Bson::Null | Bson::Undefined => false,
        Bson::Boolean(value) => *value,
        Bson::Int32(number) => *number != 0,
        Bson::Int64(number) => *number != 0,
        Bson::Double(number) => *number != 0.0,
        _ => true,
    }
}

/// Types by their numbers or aliases.
fn types(value: &Bson) -> Said<Vec<BsonType>> {
    match value {
        Bson::Array(types) if types.is_empty() => Err("a type is named".to_owned()),
        Bson::Array(types) => types.iter().map(bson_type).collect(),
        one => Ok(vec![bson_type(one)?]),
    }
}

fn bson_type(value: &Bson) -> Said<BsonType> {
    let number = whole(value)?;
    Ok(match number {
        1 => BsonType::Double,
        2 => BsonType::String,
        3 => BsonType::Object,
        4 => BsonType::Array,
        5 => BsonType::BinData,
        6 => BsonType::Undefined,
        7 => BsonType::ObjectId,
        8 => BsonType::Bool,
        9 => BsonType::Date,
        10 => BsonType::Null,
        11 => BsonType::Regex,
        12 => BsonType::DbPointer,
        13 => BsonType::JavaScript,
        14 => BsonType::Symbol,
        15 => BsonType::JavaScriptWithScope,
        16 => BsonType::Int,
        17 => BsonType::Timestamp,
        18 => BsonType::Long,
        19 => BsonType::Decimal,
        -1 => BsonType::MinKey,
        127 => BsonType::MaxKey,
        _ => return Err(format!("there is no type {number}")),
    })
}
