//! Expressions: what each operator becomes, and what the server computes by it.

use std::collections::BTreeMap;

use bson::raw::cstr;
use bson::{Bson, DateTime, bson, doc, oid::ObjectId};
use futures::TryStreamExt;
use odm::model::Kind;
use odm::prelude::*;
use odm::{DateUnit, Expr, IntoExpr};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    item: String,
    price: f64,
    quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "q")]
    quantity: i32,
    price: f64,
    count: u32,
    text: String,
    padded: String,
    number: String,
    open: bool,
    note: Option<String>,
    at: DateTime,
    tags: Vec<String>,
    scores: Vec<i32>,
    flags: Vec<bool>,
    pairs: Vec<Vec<Bson>>,
    lines: Vec<Line>,
    views: BTreeMap<String, i32>,
    more: BTreeMap<String, i32>,
    oid: String,
    stamp: bson::Timestamp,
}

fn line(item: &str, price: f64, quantity: i32) -> Line {
    Line { item: item.into(), price, quantity }
}

fn order() -> Order {
    Order {
        id: 1,
        quantity: 7,
        price: 2.5,
        count: 4,
        text: "Äpfel und Birnen".into(),
        padded: "  xx  ".into(),
        number: "42".into(),
        open: true,
        note: None,
        // 2024-02-29T13:30:15.250Z, a Thursday.
        at: DateTime::from_millis(1_709_213_415_250),
        tags: vec!["b".into(), "a".into()],
        scores: vec![70, 90, 80],
        flags: vec![true, false],
        pairs: vec![vec!["x".into(), 1.into()]],
        lines: vec![line("a", 1.5, 2), line("b", 4.0, 1)],
        views: BTreeMap::from([("en".into(), 1)]),
        more: BTreeMap::from([("de".into(), 2)]),
        oid: "65e0a5a70000000000000000".into(),
        stamp: bson::Timestamp { time: 5, increment: 6 },
    }
}

/// A value that stands as itself.
fn lit(value: impl Into<Bson>) -> Bson {
    bson!({ "$literal": value.into() })
}

/// Each expression, the BSON it becomes, and what the server computes.
type Table = Vec<(Expr<Order>, Bson, Bson)>;

fn arithmetic() -> Table {
    let p = Order::fields();
    let quantity = || p.quantity().expr();
    vec![
        (p.quantity() + p.count(), bson!({ "$add": ["$q", "$count"] }), bson!(11_i64)),
        (p.quantity() + 1 + 2, bson!({ "$add": ["$q", lit(1), lit(2)] }), bson!(10)),
        (p.quantity() - 1, bson!({ "$subtract": ["$q", lit(1)] }), bson!(6)),
        (
            p.quantity() - 1 - 2,
            bson!({ "$subtract": [{ "$subtract": ["$q", lit(1)] }, lit(2)] }),
            bson!(4),
        ),
        (p.quantity() * p.price(), bson!({ "$multiply": ["$q", "$price"] }), bson!(17.5)),
        (p.quantity() / 2, bson!({ "$divide": ["$q", lit(2)] }), bson!(3.5)),
        (p.quantity() % 4, bson!({ "$mod": ["$q", lit(4)] }), bson!(3)),
        ((quantity() - 9).abs(), bson!({ "$abs": { "$subtract": ["$q", lit(9)] } }), bson!(2)),
        (p.price().expr().ceil(), bson!({ "$ceil": "$price" }), bson!(3.0)),
        (p.price().expr().floor(), bson!({ "$floor": "$price" }), bson!(2.0)),
        ((quantity() - 7).exp(), bson!({ "$exp": { "$subtract": ["$q", lit(7)] } }), bson!(1.0)),
        ((quantity() - 6).ln(), bson!({ "$ln": { "$subtract": ["$q", lit(6)] } }), bson!(0.0)),
        (p.count().expr().log(2), bson!({ "$log": ["$count", lit(2)] }), bson!(2.0)),
        (Expr::literal(100).log10(), bson!({ "$log10": lit(100) }), bson!(2.0)),
        (quantity().pow(2), bson!({ "$pow": ["$q", lit(2)] }), bson!(49)),
        (p.price().expr().round(), bson!({ "$round": "$price" }), bson!(2.0)),
        (Expr::literal(1.26).round_to(1), bson!({ "$round": [lit(1.26), lit(1)] }), bson!(1.3)),
        (p.count().expr().sqrt(), bson!({ "$sqrt": "$count" }), bson!(2.0)),
        (p.price().expr().trunc(), bson!({ "$trunc": "$price" }), bson!(2.0)),
        (Expr::literal(1.26).trunc_to(1), bson!({ "$trunc": [lit(1.26), lit(1)] }), bson!(1.2)),
    ]
}

fn logic() -> Table {
    let p = Order::fields();
    let q = || p.quantity().expr();
    let truth = || p.open().expr();
    vec![
        (truth() & q(), bson!({ "$and": ["$open", "$q"] }), bson!(true)),
        (truth() & q() & p.note(), bson!({ "$and": ["$open", "$q", "$note"] }), bson!(false)),
        (p.note().expr() | p.open(), bson!({ "$or": ["$note", "$open"] }), bson!(true)),
        (!truth(), bson!({ "$not": ["$open"] }), bson!(false)),
        (Expr::and([p.open()]), bson!({ "$and": ["$open"] }), bson!(true)),
        (Expr::and([true; 0]), bson!({ "$and": [] }), bson!(true)),
        (Expr::or([p.open()]), bson!({ "$or": ["$open"] }), bson!(true)),
        (Expr::or([true; 0]), bson!({ "$or": [] }), bson!(false)),
        (q().eq(7), bson!({ "$eq": ["$q", lit(7)] }), bson!(true)),
        (q().ne(7), bson!({ "$ne": ["$q", lit(7)] }), bson!(false)),
        (q().gt(p.count()), bson!({ "$gt": ["$q", "$count"] }), bson!(true)),
        (q().gte(8), bson!({ "$gte": ["$q", lit(8)] }), bson!(false)),
        (q().lt(8), bson!({ "$lt": ["$q", lit(8)] }), bson!(true)),
        (q().lte(6), bson!({ "$lte": ["$q", lit(6)] }), bson!(false)),
        (q().cmp(8), bson!({ "$cmp": ["$q", lit(8)] }), bson!(-1)),
        (
            Expr::cond(p.open(), 1, p.text()),
            bson!({ "$cond": ["$open", lit(1), "$text"] }),
            bson!(1),
        ),
        (
            p.note().expr().if_null(None::<String>).if_null("none"),
            bson!({ "$ifNull": ["$note", lit(Bson::Null), lit("none")] }),
            bson!("none"),
        ),
        (
            Expr::switch().case(q().gt(9), "many").case(q().gt(5), "some").otherwise("few"),
            bson!({ "$switch": {
                "branches": [
                    { "case": { "$gt": ["$q", lit(9)] }, "then": lit("many") },
                    { "case": { "$gt": ["$q", lit(5)] }, "then": lit("some") },
                ],
                "default": lit("few"),
            } }),
            bson!("some"),
        ),
        (
            Expr::switch().case(p.open(), "open").into_expr(),
            bson!({ "$switch": { "branches": [{ "case": "$open", "then": lit("open") }] } }),
            bson!("open"),
        ),
    ]
}

fn trigonometry() -> Table {
    let zero = || Expr::literal(0.0);
    let one = || Expr::literal(1.0);
    vec![
        (zero().sin(), bson!({ "$sin": lit(0.0) }), bson!(0.0)),
        (zero().cos(), bson!({ "$cos": lit(0.0) }), bson!(1.0)),
        (zero().tan(), bson!({ "$tan": lit(0.0) }), bson!(0.0)),
        (zero().asin(), bson!({ "$asin": lit(0.0) }), bson!(0.0)),
        (one().acos(), bson!({ "$acos": lit(1.0) }), bson!(0.0)),
        (zero().atan(), bson!({ "$atan": lit(0.0) }), bson!(0.0)),
        (zero().atan2(1.0), bson!({ "$atan2": [lit(0.0), lit(1.0)] }), bson!(0.0)),
        (zero().sinh(), bson!({ "$sinh": lit(0.0) }), bson!(0.0)),
        (zero().cosh(), bson!({ "$cosh": lit(0.0) }), bson!(1.0)),
        (zero().tanh(), bson!({ "$tanh": lit(0.0) }), bson!(0.0)),
        (zero().asinh(), bson!({ "$asinh": lit(0.0) }), bson!(0.0)),
        (one().acosh(), bson!({ "$acosh": lit(1.0) }), bson!(0.0)),
        (zero().atanh(), bson!({ "$atanh": lit(0.0) }), bson!(0.0)),
        (
            Expr::literal(180.0).degrees_to_radians().radians_to_degrees(),
            bson!({ "$radiansToDegrees": { "$degreesToRadians": lit(180.0) } }),
            bson!(180.0),
        ),
    ]
}

fn strings() -> Table {
    let p = Order::fields();
    let text = || p.text().expr();
    let regex = bson::Regex { pattern: cstr!("u(nd)").into(), options: cstr!("i").into() };
    let found = doc! { "match": "und", "idx": 6, "captures": ["nd"] };
    vec![
        (
            text().concat(" ").concat(p.number()),
            bson!({ "$concat": ["$text", lit(" "), "$number"] }),
            bson!("Äpfel und Birnen 42"),
        ),
        (text().index_of_bytes("und"), bson!({ "$indexOfBytes": ["$text", lit("und")] }), bson!(7)),
        (text().index_of_cp("und"), bson!({ "$indexOfCP": ["$text", lit("und")] }), bson!(6)),
        (p.padded().expr().trim(), bson!({ "$trim": { "input": "$padded" } }), bson!("xx")),
        (p.padded().expr().ltrim(), bson!({ "$ltrim": { "input": "$padded" } }), bson!("xx  ")),
        (
            p.padded().expr().rtrim().chars(" x"),
            bson!({ "$rtrim": { "input": "$padded", "chars": lit(" x") } }),
            bson!(""),
        ),
        (
            text().regex_find(regex.clone()),
            bson!({ "$regexFind": { "input": "$text", "regex": lit(regex.clone()) } }),
            found.clone().into(),
        ),
        (
            text().regex_find_all("u(nd)"),
            bson!({ "$regexFindAll": { "input": "$text", "regex": lit("u(nd)") } }),
            bson!([found]),
        ),
        (
            text().regex_match(regex.clone()),
            bson!({ "$regexMatch": { "input": "$text", "regex": lit(regex) } }),
            bson!(true),
        ),
        (
            text().replace_one("n", "m"),
            bson!({ "$replaceOne": { "input": "$text", "find": lit("n"), "replacement": lit("m") } }),
            bson!("Äpfel umd Birnen"),
        ),
        (
            text().replace_all("n", "m"),
            bson!({ "$replaceAll": { "input": "$text", "find": lit("n"), "replacement": lit("m") } }),
            bson!("Äpfel umd Birmem"),
        ),
        (
            text().split(" "),
            bson!({ "$split": ["$text", lit(" ")] }),
            bson!(["Äpfel", "und", "Birnen"]),
        ),
        (text().str_len_bytes(), bson!({ "$strLenBytes": "$text" }), bson!(17)),
        (text().str_len_cp(), bson!({ "$strLenCP": "$text" }), bson!(16)),
        (
            p.number().expr().strcasecmp("43"),
            bson!({ "$strcasecmp": ["$number", lit("43")] }),
            bson!(-1),
        ),
        (
            text().substr_bytes(2, 4),
            bson!({ "$substrBytes": ["$text", lit(2), lit(4)] }),
            bson!("pfel"),
        ),
        (text().substr_cp(0, 5), bson!({ "$substrCP": ["$text", lit(0), lit(5)] }), bson!("Äpfel")),
        (Expr::literal("aB").to_lower(), bson!({ "$toLower": lit("aB") }), bson!("ab")),
        (Expr::literal("aB").to_upper(), bson!({ "$toUpper": lit("aB") }), bson!("AB")),
    ]
}

fn arrays() -> Table {
    let p = Order::fields();
    let (tags, scores) = (|| p.tags().expr(), || p.scores().expr());
    vec![
        (tags().array_elem_at(-1), bson!({ "$arrayElemAt": ["$tags", lit(-1)] }), bson!("a")),
        (tags().first(), bson!({ "$first": "$tags" }), bson!("b")),
        (tags().last(), bson!({ "$last": "$tags" }), bson!("a")),
        (
            scores().first_n(2),
            bson!({ "$firstN": { "n": lit(2), "input": "$scores" } }),
            bson!([70, 90]),
        ),
        (
            scores().last_n(2),
            bson!({ "$lastN": { "n": lit(2), "input": "$scores" } }),
            bson!([90, 80]),
        ),
        (
            scores().max_n(2),
            bson!({ "$maxN": { "n": lit(2), "input": "$scores" } }),
            bson!([90, 80]),
        ),
        (
            scores().min_n(2),
            bson!({ "$minN": { "n": lit(2), "input": "$scores" } }),
            bson!([70, 80]),
        ),
        (
            tags().concat_arrays(["c"]),
            bson!({ "$concatArrays": ["$tags", [lit("c")]] }),
            bson!(["b", "a", "c"]),
        ),
        (p.quantity().expr().in_([6, 7]), bson!({ "$in": ["$q", [lit(6), lit(7)]] }), bson!(true)),
        (scores().index_of_array(90), bson!({ "$indexOfArray": ["$scores", lit(90)] }), bson!(1)),
        (tags().is_array(), bson!({ "$isArray": ["$tags"] }), bson!(true)),
        (
            Expr::range(0, p.quantity(), 3),
            bson!({ "$range": [lit(0), "$q", lit(3)] }),
            bson!([0, 3, 6]),
        ),
        (scores().reverse_array(), bson!({ "$reverseArray": "$scores" }), bson!([80, 90, 70])),
        (scores().size(), bson!({ "$size": "$scores" }), bson!(3)),
        (scores().slice(-2), bson!({ "$slice": ["$scores", lit(-2)] }), bson!([90, 80])),
        (scores().slice_from(1, 1), bson!({ "$slice": ["$scores", lit(1), lit(1)] }), bson!([90])),
        (
            scores().sort_array_asc(),
            bson!({ "$sortArray": { "input": "$scores", "sortBy": 1 } }),
            bson!([70, 80, 90]),
        ),
        (
            scores().sort_array_desc(),
            bson!({ "$sortArray": { "input": "$scores", "sortBy": -1 } }),
            bson!([90, 80, 70]),
        ),
        (
            p.lines().expr().sort_array(Line::fields().price().desc()).first().get_field("item"),
            bson!({ "$getField": {
                "field": lit("item"),
                "input": { "$first": { "$sortArray": { "input": "$lines", "sortBy": { "price": -1 } } } },
            } }),
            bson!("b"),
        ),
        (
            Expr::zip([tags(), scores()]),
            bson!({ "$zip": { "inputs": ["$tags", "$scores"] } }),
            bson!([["b", 70], ["a", 90]]),
        ),
        (
            Expr::zip([tags(), scores()]).defaults(["-".into_expr(), 0.into_expr()]),
            bson!({ "$zip": { "inputs": ["$tags", "$scores"], "useLongestLength": true, "defaults": [lit("-"), lit(0)] } }),
            bson!([["b", 70], ["a", 90], ["-", 80]]),
        ),
        (scores().sum(), bson!({ "$sum": "$scores" }), bson!(240)),
        (scores().avg(), bson!({ "$avg": "$scores" }), bson!(80.0)),
        (scores().max(), bson!({ "$max": "$scores" }), bson!(90)),
        (scores().min(), bson!({ "$min": "$scores" }), bson!(70)),
        (
            scores().slice(1).std_dev_pop(),
            bson!({ "$stdDevPop": { "$slice": ["$scores", lit(1)] } }),
            bson!(0.0),
        ),
        (scores().std_dev_samp(), bson!({ "$stdDevSamp": "$scores" }), bson!(10.0)),
        (Expr::max_of([p.quantity(), p.id()]), bson!({ "$max": ["$q", "$_id"] }), bson!(7)),
        (Expr::min_of([p.quantity(), p.id()]), bson!({ "$min": ["$q", "$_id"] }), bson!(1)),
        (Expr::array([p.quantity(), p.id()]), bson!(["$q", "$_id"]), bson!([7, 1])),
        (p.lines().price().into_expr(), bson!("$lines.price"), bson!([1.5, 4.0])),
        (Expr::array([1, 2]).sum(), bson!({ "$sum": [[lit(1), lit(2)]] }), bson!(3)),
        (Expr::array([1, 2]).size(), bson!({ "$size": [[lit(1), lit(2)]] }), bson!(2)),
    ]
}

fn elements() -> Table {
    let p = Order::fields();
    let each = |price: &str| bson!({ "$gt": [price, lit(2)] });
    vec![
        (
            p.lines().filter(|line| line.price().expr().gt(2)).size(),
            bson!({ "$size": { "$filter": { "input": "$lines", "as": "each", "cond": each("$$each.price") } } }),
            bson!(1),
        ),
        (
            p.scores().filter(|score| score.expr().gt(70)).limit(1),
            bson!({ "$filter": { "input": "$scores", "as": "each", "cond": { "$gt": ["$$each", lit(70)] }, "limit": lit(1) } }),
            bson!([90]),
        ),
        (
            p.scores().expr().filter(|score| score.gt(70)),
            bson!({ "$filter": { "input": "$scores", "as": "each", "cond": { "$gt": ["$$each", lit(70)] } } }),
            bson!([90, 80]),
        ),
        (
            p.lines().map(|line| line.item()),
            bson!({ "$map": { "input": "$lines", "as": "each", "in": "$$each.item" } }),
            bson!(["a", "b"]),
        ),
        (
            p.scores().expr().map(|score| score + p.quantity()),
            bson!({ "$map": { "input": "$scores", "as": "each", "in": { "$add": ["$$each", "$q"] } } }),
            bson!([77, 97, 87]),
        ),
        // An inner closure does not hide the element of the outer one.
        (
            p.lines().map(|line| p.tags().map(|tag| line.item().expr().concat(tag))),
            bson!({ "$map": { "input": "$lines", "as": "each", "in": { "$map": {
                "input": "$tags", "as": "each2", "in": { "$concat": ["$$each.item", "$$each2"] },
            } } } }),
            bson!([["ab", "aa"], ["bb", "ba"]]),
        ),
        (
            p.lines().reduce(0, |sum, line| sum + line.price() * line.quantity()),
            bson!({ "$reduce": { "input": "$lines", "initialValue": lit(0), "in": {
                "$add": ["$$value", { "$multiply": ["$$this.price", "$$this.quantity"] }],
            } } }),
            bson!(7.0),
        ),
        (
            p.scores().expr().reduce(1, |value, this| value + this),
            bson!({ "$reduce": { "input": "$scores", "initialValue": lit(1), "in": { "$add": ["$$value", "$$this"] } } }),
            bson!(241),
        ),
        (
            p.lines().reduce(0, |sum, line| {
                p.scores().reduce(sum, |sum, score| sum + score * line.quantity())
            }),
            bson!({ "$reduce": { "input": "$lines", "initialValue": lit(0), "in": { "$let": {
                "vars": { "outer_value": "$$value", "outer_this": "$$this" },
                "in": { "$reduce": { "input": "$scores", "initialValue": "$$value", "in": { "$let": {
                    "vars": {
                        "value2": "$$value", "this2": "$$this",
                        "value": "$$outer_value", "this": "$$outer_this",
                    },
                    "in": { "$add": ["$$value2", { "$multiply": ["$$this2", "$$this.quantity"] }] },
                } } } },
            } } } }),
            bson!(720),
        ),
    ]
}

fn sets() -> Table {
    let p = Order::fields();
    let tags = || p.tags().expr();
    vec![
        (
            tags().set_equals(["a", "b"]),
            bson!({ "$setEquals": ["$tags", [lit("a"), lit("b")]] }),
            bson!(true),
        ),
        (
            tags().set_intersection(["a"]),
            bson!({ "$setIntersection": ["$tags", [lit("a")]] }),
            bson!(["a"]),
        ),
        (
            tags().set_union(["a"]).size(),
            bson!({ "$size": { "$setUnion": ["$tags", [lit("a")]] } }),
            bson!(2),
        ),
        (
            tags().set_difference(["a"]),
            bson!({ "$setDifference": ["$tags", [lit("a")]] }),
            bson!(["b"]),
        ),
        (
            tags().set_is_subset(["a"]),
            bson!({ "$setIsSubset": ["$tags", [lit("a")]] }),
            bson!(false),
        ),
        (
            p.flags().expr().all_elements_true(),
            bson!({ "$allElementsTrue": ["$flags"] }),
            bson!(false),
        ),
        (
            p.flags().expr().any_element_true(),
            bson!({ "$anyElementTrue": ["$flags"] }),
            bson!(true),
        ),
    ]
}

fn dates() -> Table {
    let p = Order::fields();
    let at = || p.at().expr();
    let part = |operator: &str| bson!({ operator: { "date": "$at" } });
    let date =
        |text: &str| Bson::DateTime(DateTime::parse_rfc3339_str(text).unwrap_or(DateTime::MIN));
    vec![
        (at().year(), part("$year"), bson!(2024)),
        (at().month(), part("$month"), bson!(2)),
        (at().week(), part("$week"), bson!(8)),
        (at().day_of_year(), part("$dayOfYear"), bson!(60)),
        (at().day_of_month(), part("$dayOfMonth"), bson!(29)),
        (at().day_of_week(), part("$dayOfWeek"), bson!(5)),
        (at().hour(), part("$hour"), bson!(13)),
        (
            at().hour().timezone("+02:00"),
            bson!({ "$hour": { "date": "$at", "timezone": lit("+02:00") } }),
            bson!(15),
        ),
        (at().minute(), part("$minute"), bson!(30)),
        (at().second(), part("$second"), bson!(15)),
        (at().millisecond(), part("$millisecond"), bson!(250)),
        (at().iso_week_year(), part("$isoWeekYear"), bson!(2024_i64)),
        (at().iso_week(), part("$isoWeek"), bson!(9)),
        (at().iso_day_of_week(), part("$isoDayOfWeek"), bson!(4)),
        (
            at().date_to_parts(),
            part("$dateToParts"),
            bson!({ "year": 2024, "month": 2, "day": 29, "hour": 13, "minute": 30, "second": 15, "millisecond": 250 }),
        ),
        (at().date_to_string(), part("$dateToString"), bson!("2024-02-29T13:30:15.250Z")),
        (
            at().date_to_string().format("%d.%m.%Y").on_null("never"),
            bson!({ "$dateToString": { "date": "$at", "format": lit("%d.%m.%Y"), "onNull": lit("never") } }),
            bson!("29.02.2024"),
        ),
        (
            at().date_add(DateUnit::Year, 1),
            bson!({ "$dateAdd": { "startDate": "$at", "unit": lit("year"), "amount": lit(1) } }),
            date("2025-02-28T13:30:15.250Z"),
        ),
        (
            at().date_subtract(DateUnit::Quarter, 1),
            bson!({ "$dateSubtract": { "startDate": "$at", "unit": lit("quarter"), "amount": lit(1) } }),
            date("2023-11-29T13:30:15.250Z"),
        ),
        (
            at().date_diff(DateTime::from_millis(1_709_220_000_000), DateUnit::Hour),
            bson!({ "$dateDiff": {
                "startDate": "$at", "endDate": lit(DateTime::from_millis(1_709_220_000_000)), "unit": lit("hour"),
            } }),
            bson!(2_i64),
        ),
        (
            at().date_trunc(DateUnit::Minute).bin_size(15),
            bson!({ "$dateTrunc": { "date": "$at", "unit": lit("minute"), "binSize": lit(15) } }),
            date("2024-02-29T13:30:00Z"),
        ),
        (
            at().date_trunc(DateUnit::Week).start_of_week("monday"),
            bson!({ "$dateTrunc": { "date": "$at", "unit": lit("week"), "startOfWeek": lit("monday") } }),
            date("2024-02-26T00:00:00Z"),
        ),
        (
            p.number().expr().date_from_string().format("%Y").on_error(DateTime::from_millis(0)),
            bson!({ "$dateFromString": {
                "dateString": "$number", "format": lit("%Y"), "onError": lit(DateTime::from_millis(0)),
            } }),
            date("1970-01-01T00:00:00Z"),
        ),
        (
            Expr::date_from_parts([(DateUnit::Year, 2024), (DateUnit::Month, 2)]),
            bson!({ "$dateFromParts": { "year": lit(2024), "month": lit(2) } }),
            date("2024-02-01T00:00:00Z"),
        ),
        (
            Expr::date_from_parts([
                (DateUnit::Year, 2024),
                (DateUnit::Week, 9),
                (DateUnit::Day, 4),
            ]),
            bson!({ "$dateFromParts": { "isoWeekYear": lit(2024), "isoWeek": lit(9), "isoDayOfWeek": lit(4) } }),
            date("2024-02-29T00:00:00Z"),
        ),
        (p.stamp().expr().ts_second(), bson!({ "$tsSecond": "$stamp" }), bson!(5_i64)),
        (p.stamp().expr().ts_increment(), bson!({ "$tsIncrement": "$stamp" }), bson!(6_i64)),
    ]
}

fn types() -> Table {
    let p = Order::fields();
    let number = || p.number().expr();
    let decimal = |text: &str| text.parse().map_or(Bson::Null, Bson::Decimal128);
    let oid = ObjectId::parse_str("65e0a5a70000000000000000").map_or(Bson::Null, Bson::ObjectId);
    vec![
        (
            number().convert(Kind::Long),
            bson!({ "$convert": { "input": "$number", "to": lit("long") } }),
            bson!(42_i64),
        ),
        (
            p.text().expr().convert(Kind::Int).on_error(-1).on_null(0),
            bson!({ "$convert": { "input": "$text", "to": lit("int"), "onError": lit(-1), "onNull": lit(0) } }),
            bson!(-1),
        ),
        (number().type_(), bson!({ "$type": "$number" }), bson!("string")),
        (number().is_number(), bson!({ "$isNumber": "$number" }), bson!(false)),
        (p.quantity().expr().to_bool(), bson!({ "$toBool": "$q" }), bson!(true)),
        (
            Expr::literal(0_i64).to_date(),
            bson!({ "$toDate": lit(0_i64) }),
            Bson::DateTime(DateTime::from_millis(0)),
        ),
        (number().to_decimal(), bson!({ "$toDecimal": "$number" }), decimal("42")),
        (number().to_double(), bson!({ "$toDouble": "$number" }), bson!(42.0)),
        (number().to_int(), bson!({ "$toInt": "$number" }), bson!(42)),
        (number().to_long(), bson!({ "$toLong": "$number" }), bson!(42_i64)),
        (p.oid().expr().to_object_id(), bson!({ "$toObjectId": "$oid" }), oid),
        (p.quantity().expr().to_str(), bson!({ "$toString": "$q" }), bson!("7")),
    ]
}

fn objects() -> Table {
    let p = Order::fields();
    let views = || p.views().expr();
    vec![
        (
            views().merge_objects(p.more()),
            bson!({ "$mergeObjects": ["$views", "$more"] }),
            bson!({ "en": 1, "de": 2 }),
        ),
        (
            views().object_to_array(),
            bson!({ "$objectToArray": "$views" }),
            bson!([{ "k": "en", "v": 1 }]),
        ),
        (
            p.pairs().expr().array_to_object(),
            bson!({ "$arrayToObject": "$pairs" }),
            bson!({ "x": 1 }),
        ),
        (
            views().get_field("en"),
            bson!({ "$getField": { "field": lit("en"), "input": "$views" } }),
            bson!(1),
        ),
        (
            views().set_field("$a.b", 5).get_field("$a.b"),
            bson!({ "$getField": { "field": lit("$a.b"), "input": {
                "$setField": { "field": lit("$a.b"), "input": "$views", "value": lit(5) },
            } } }),
            bson!(5),
        ),
        (
            views().unset_field("en"),
            bson!({ "$unsetField": { "field": lit("en"), "input": "$views" } }),
            bson!({}),
        ),
        (Expr::object([("n", p.quantity())]), bson!({ "n": "$q" }), bson!({ "n": 7 })),
        (Expr::object([("n", 1); 0]), bson!({ "$literal": {} }), bson!({})),
        (
            (p.quantity() + 1).let_in(|v| v.clone() * v),
            bson!({ "$let": {
                "vars": { "each": { "$add": ["$q", lit(1)] } },
                "in": { "$multiply": ["$$each", "$$each"] },
            } }),
            bson!(64),
        ),
        (
            Expr::root().get_field("q"),
            bson!({ "$getField": { "field": lit("q"), "input": "$$ROOT" } }),
            bson!(7),
        ),
        (Expr::current().type_(), bson!({ "$type": "$$CURRENT" }), bson!("object")),
        (Expr::now().type_(), bson!({ "$type": "$$NOW" }), bson!("date")),
        (Expr::cluster_time().type_(), bson!({ "$type": "$$CLUSTER_TIME" }), bson!("timestamp")),
        (Expr::rand().floor(), bson!({ "$floor": { "$rand": {} } }), bson!(0.0)),
        (p.number().expr().binary_size(), bson!({ "$binarySize": "$number" }), bson!(2)),
        (views().bson_size(), bson!({ "$bsonSize": "$views" }), bson!(13)),
        (p.number().expr().apply("$toInt"), bson!({ "$toInt": "$number" }), bson!(42)),
        (Expr::raw("$q") + 1, bson!({ "$add": ["$q", lit(1)] }), bson!(8)),
        (p.open().literal(true).into_expr(), bson!({ "$literal": true }), bson!(true)),
    ]
}

fn table() -> Table {
    let groups = [
        arithmetic(),
        logic(),
        trigonometry(),
        strings(),
        arrays(),
        elements(),
        sets(),
        dates(),
        types(),
        objects(),
    ];
    groups.into_iter().flatten().collect()
}

#[test]
fn each_expression_becomes_the_servers_words() -> TestResult {
    for (expression, expected, _) in table() {
        assert_eq!(expression.into_bson()?, expected);
    }
    Ok(())
}

#[test]
fn each_expression_is_computed_as_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        orders.insert_one(order()).await?;
        for (expression, bson, expected) in table() {
            let project = doc! { "$project": { "_id": 0, "value": expression.into_bson()? } };
            let rows = orders.driver().aggregate([project]).await?;
            let rows: Vec<_> = rows.try_collect().await?;
            assert_eq!(rows, [doc! { "value": expected }], "{bson}");
        }
        Ok(())
    })
}

/// What only newer servers know is held against the manual's words.
#[test]
fn newer_operators_become_the_servers_words() -> TestResult {
    let p = Order::fields();
    let q = || p.quantity().expr();
    let rows = [
        (q().bit_and(1), bson!({ "$bitAnd": ["$q", lit(1)] })),
        (q().bit_or(1).bit_or(2), bson!({ "$bitOr": ["$q", lit(1), lit(2)] })),
        (q().bit_xor(1), bson!({ "$bitXor": ["$q", lit(1)] })),
        (q().bit_not(), bson!({ "$bitNot": "$q" })),
        (
            p.scores().expr().median(),
            bson!({ "$median": { "input": "$scores", "method": "approximate" } }),
        ),
        (
            p.scores().expr().percentile([0.5, 0.9]),
            bson!({ "$percentile": { "input": "$scores", "p": [0.5, 0.9], "method": "approximate" } }),
        ),
        (Expr::text_score(), bson!({ "$meta": "textScore" })),
        (Expr::index_key(), bson!({ "$meta": "indexKey" })),
        (Expr::remove(), bson!("$$REMOVE")),
        (Expr::keep(), bson!("$$KEEP")),
        (Expr::prune(), bson!("$$PRUNE")),
        (Expr::descend(), bson!("$$DESCEND")),
        (Expr::var("rate"), bson!("$$rate")),
    ];
    for (expression, expected) in rows {
        assert_eq!(expression.into_bson()?, expected);
    }
    Ok(())
}

/// Whatever a value looks like, the server takes it as it is.
#[test]
fn values_never_become_paths_or_operators() -> TestResult {
    let values: [Expr<Order>; 7] = [
        "$q".into_expr(),
        "$$ROOT".into_expr(),
        String::from("$$NOW").into_expr(),
        doc! { "$add": [1, 2] }.into_expr(),
        Bson::from(doc! { "$literal": "$q" }).into_expr(),
        vec!["$q".to_owned()].into_expr(),
        BTreeMap::from([("$gt".to_owned(), vec![1, 0])]).into_expr(),
    ];
    let expected = [
        bson!("$q"),
        bson!("$$ROOT"),
        bson!("$$NOW"),
        bson!({ "$add": [1, 2] }),
        bson!({ "$literal": "$q" }),
        bson!(["$q"]),
        bson!({ "$gt": [1, 0] }),
    ];
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        orders.insert_one(order()).await?;
        for (value, expected) in values.iter().zip(&expected) {
            for expression in [
                value.clone(),
                Expr::array([value]).first(),
                Expr::object([("f", value)]).get_field("f"),
                Expr::cond(true, value, 0),
            ] {
                let project = doc! { "$project": { "_id": 0, "value": expression.into_bson()? } };
                let rows = orders.driver().aggregate([project]).await?;
                let rows: Vec<_> = rows.try_collect().await?;
                assert_eq!(rows, [doc! { "value": expected }]);
            }
        }
        Ok(())
    })
}

#[test]
fn errors_are_kept_until_the_end() {
    let p = Order::fields();
    let error = |expression: Expr<Order>| expression.into_bson().map_err(|error| error.to_string());
    let rows = [
        (p.quantity() + u64::MAX, "is above 9223372036854775807"),
        (p.lines().at(0).price() + 1, "cannot name a position in an array"),
        (p.views().key("a.b") + 1, "contains `.`"),
        (p.quantity().expr().timezone("CET"), "`timezone` is said right after the operator"),
        ((p.at().expr().hour() + 1).timezone("CET"), "`timezone` is said right after the operator"),
        (Expr::var("NOW"), "cannot be the name of a variable"),
        (Expr::var("a.b"), "cannot be the name of a variable"),
        (Expr::object([("$a", 1)]), "cannot have the field"),
        (Expr::object([("a.b", 1)]), "cannot have the field"),
    ];
    for (expression, expected) in rows {
        let error = error(expression);
        assert!(error.as_ref().is_err_and(|error| error.contains(expected)), "{error:?}");
    }
}

stored_like_serde!(order());
