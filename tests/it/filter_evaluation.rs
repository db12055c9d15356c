//! Evaluation operators: `$regex`, `$mod`, `$jsonSchema`, `$text`, `$comment`.

use bson::{Document as BsonDocument, doc};
use odm::filter::{Pattern, TextSearch};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent, ids, refused, with};
use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Label(String);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "notes")]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    subtitle: Option<String>,
    label: Label,
    tags: Vec<String>,
    lines: Vec<Line>,
    votes: i64,
    scores: Vec<u32>,
}

fn bson_regex(pattern: &str, options: &str) -> TestResult<bson::Regex> {
    Ok(bson::Regex {
        pattern: pattern.to_owned().try_into()?,
        options: options.to_owned().try_into()?,
    })
}

fn patterns() -> TestResult<Vec<Row<Note>>> {
    let n = Note::fields();
    let title = n.title();
    let like = |pattern: &str| doc! { "title": { "$regex": pattern } };
    Ok(vec![
        (title.regex("whal(e|ing)"), like("whal(e|ing)"), &[1, 2]),
        (title.regex(String::from("^Moby")), like("^Moby"), &[1]),
        (
            title.regex(Pattern::new("^moby").ignore_case()),
            doc! { "title": { "$regex": "^moby", "$options": "i" } },
            &[1],
        ),
        (
            title.regex(Pattern::new("^second").multi_line()),
            doc! { "title": { "$regex": "^second", "$options": "m" } },
            &[3],
        ),
        (
            title.regex(Pattern::new("first.second").dot_all().ignore_case()),
            doc! { "title": { "$regex": "first.second", "$options": "si" } },
            &[3],
        ),
        (
            title.regex(Pattern::new("fir st # a comment\n").extended()),
            doc! { "title": { "$regex": "fir st # a comment\n", "$options": "x" } },
            &[3],
        ),
        (
            title.regex(bson_regex("^MOBY", "i")?),
            doc! { "title": { "$regex": "^MOBY", "$options": "i" } },
            &[1],
        ),
        (title.starts_with("Moby"), like("^Moby"), &[1]),
        (title.starts_with("a.c*"), like(r"^a\.c\*"), &[4]),
        (title.starts_with("^"), like(r"^\^"), &[5]),
        (title.starts_with(""), like("^"), &[1, 2, 3, 4, 5, 6, 7]),
        (title.starts_with("nul\0"), like(r"^nul\x00"), &[6]),
        (title.starts_with("é"), like("^é"), &[7]),
        (title.ends_with("first"), like(r"first\z"), &[]),
        (title.ends_with("second"), like(r"second\z"), &[]),
        (title.ends_with("second\n"), like("second\n\\z"), &[3]),
        (title.ends_with("$1 (x)"), like(r"\$1 \(x\)\z"), &[5]),
        (title.contains_str("a|b[c]{1}\\#"), like(r"a\|b\[c\]\{1\}\\\#"), &[5]),
        (title.contains_str("?"), like(r"\?"), &[4]),
        (n.subtitle().starts_with("or"), doc! { "subtitle": { "$regex": "^or" } }, &[1]),
        (n.label().starts_with("x"), doc! { "label": { "$regex": "^x" } }, &[2]),
        (n.tags().starts_with("whal"), doc! { "tags": { "$regex": "^whal" } }, &[1]),
        (n.tags().any().regex("t$"), doc! { "tags": { "$regex": "t$" } }, &[2]),
        (
            n.tags().elem_match(|tag| tag.starts_with("s") & tag.ne("ship")),
            doc! { "tags": { "$elemMatch": { "$regex": "^s", "$ne": "ship" } } },
            &[2],
        ),
        (n.lines().text().regex("^Call"), doc! { "lines.text": { "$regex": "^Call" } }, &[1]),
        (
            n.lines().elem_match(|line| line.text().ends_with("Ishmael.")),
            doc! { "lines": { "$elemMatch": { "text": { "$regex": r"Ishmael\.\z" } } } },
            &[1],
        ),
        (
            title.starts_with("M") & title.ne("Moby") & n.votes().gte(0),
            doc! { "title": { "$regex": "^M", "$ne": "Moby" }, "votes": { "$gte": 0_i64 } },
            &[1],
        ),
        (
            title.starts_with("M") & title.contains_str("whale"),
            doc! { "$and": [{ "title": { "$regex": "^M" } }, { "title": { "$regex": "whale" } }] },
            &[1],
        ),
    ])
}

fn others() -> Vec<Row<Note>> {
    let n = Note::fields();
    vec![
        (n.votes().modulo(4, 0), doc! { "votes": { "$mod": [4_i64, 0_i64] } }, &[1, 4, 6]),
        (n.votes().modulo(4, -1), doc! { "votes": { "$mod": [4_i64, -1_i64] } }, &[2]),
        (n.scores().modulo(10, 3), doc! { "scores": { "$mod": [10_i64, 3_i64] } }, &[1]),
        (
            n.scores().elem_match(|score| score.modulo(2, 1) & score.gt(20)),
            doc! { "scores": { "$elemMatch": { "$mod": [2_i64, 1_i64], "$gt": 20_i64 } } },
            &[1],
        ),
        (
            Filter::expr(n.votes().expr().gt(n.id())),
            doc! { "$expr": { "$gt": ["$votes", "$_id"] } },
            &[1, 3, 4],
        ),
        (
            Filter::expr(n.title().expr().eq("$title")),
            doc! { "$expr": { "$eq": ["$title", { "$literal": "$title" }] } },
            &[],
        ),
        (
            Filter::json_schema(doc! { "required": ["subtitle"] }),
            doc! { "$jsonSchema": { "required": ["subtitle"] } },
            &[1],
        ),
        (
            n.votes().gt(5).comment("checked at night"),
            doc! { "votes": { "$gt": 5_i64 }, "$comment": "checked at night" },
            &[1, 4],
        ),
    ]
}

fn stored() -> Vec<BsonDocument> {
    vec![
        doc! {
            "_id": 1, "title": "Moby Dick, a whale", "subtitle": "or, The Whale", "label": "a",
            "tags": ["whaling", "ship"], "lines": [{ "text": "Call me Ishmael." }],
            "votes": 8_i64, "scores": [13, 21],
        },
        doc! { "_id": 2, "title": "on whaling", "label": "xy", "tags": ["salt"], "votes": -5_i64 },
        doc! { "_id": 3, "title": "first\nsecond\n", "votes": 5_i64, "scores": [1, 22] },
        with(4, "title", "a.c*d?").into_iter().chain(doc! { "votes": 12_i64 }).collect(),
        with(5, "title", "^ a|b[c]{1}\\# $1 (x)"),
        with(6, "title", "nul\0x").into_iter().chain(doc! { "votes": 0_i64 }).collect(),
        with(7, "title", "école"),
    ]
}

#[test]
fn each_filter_becomes_the_servers_words() -> TestResult {
    assert_sent(patterns()?)?;
    assert_sent(others())
}

#[test]
fn each_filter_finds_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let table = patterns()?.into_iter().chain(others()).collect();
        assert_found(&kit, stored(), table).await.map(drop)
    })
}

/// An anchored prefix reads an index only where it begins so.
#[test]
fn a_prefix_reads_its_part_of_an_index() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = database(&kit).collection::<Note>();
        let title = Note::fields().title();
        let documents: Vec<_> =
            (0..100).map(|id| with(id, "title", format!("{}.{id}", id % 10))).collect();
        notes.driver().insert_many(documents).await?;
        let index = doc! {
            "createIndexes": "notes", "indexes": [{ "key": { "title": 1 }, "name": "title" }],
        };
        kit.database().run_command(index).await?;
        for (filter, most) in [(title.starts_with("3."), 11), (title.contains_str("3."), 101)] {
            let explain = doc! {
                "explain": { "find": "notes", "filter": filter.into_document()? },
                "verbosity": "executionStats",
            };
            let explained = kit.database().run_command(explain).await?;
            let stats = explained.get_document("executionStats")?;
            let keys = stats.get_i32("totalKeysExamined")?;
            assert_eq!(stats.get_i32("nReturned")?, 10);
            assert!((10..=most).contains(&keys) && (most == 11 || keys > 11), "{keys}");
        }
        Ok(())
    })
}

/// What the server would refuse is refused before it is asked.
#[test]
fn impossible_patterns_and_divisors_are_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = database(&kit).collection::<Note>();
        let n = Note::fields();
        for (filter, message) in [
            (n.title().regex("a\0b"), "null character"),
            (n.title().regex(bson_regex("a", "q")?), "option `q`"),
            (n.votes().modulo(0, 1), "divided by 0"),
            (!n.votes().modulo(0, 1), "divided by 0"),
            (n.lines().elem_match(|_| Filter::text("a")), "whole document"),
            (n.lines().elem_match(|_| Filter::json_schema(doc! {})), "whole document"),
            (
                n.lines().elem_match(|line| Filter::expr(line.text().expr().eq("a"))),
                "whole document",
            ),
        ] {
            let error = refused(&kit, &notes, filter).await?;
            assert!(error.contains(message), "{error}");
        }
        // The server compiles the expression, and says what is wrong with it.
        let error = notes.find(n.title().regex("(")).await.err().ok_or("accepted")?;
        assert_eq!(error.kind(), odm::ErrorKind::Server, "{error}");
        Ok(())
    })
}

fn searches() -> Vec<Row<Note>> {
    vec![
        (Filter::text("coffee"), doc! { "$text": { "$search": "coffee" } }, &[1, 2, 3]),
        (Filter::text("coffee -shop"), doc! { "$text": { "$search": "coffee -shop" } }, &[1, 3]),
        (Filter::text("\"coffee shop\""), doc! { "$text": { "$search": "\"coffee shop\"" } }, &[2]),
        (
            Filter::text(TextSearch::new("Coffee").case_sensitive(true)),
            doc! { "$text": { "$search": "Coffee", "$caseSensitive": true } },
            &[1],
        ),
        (
            Filter::text(TextSearch::new("cafe").diacritic_sensitive(true)),
            doc! { "$text": { "$search": "cafe", "$diacriticSensitive": true } },
            &[],
        ),
        (Filter::text("cafe"), doc! { "$text": { "$search": "cafe" } }, &[3]),
        (
            Filter::text(TextSearch::new("the").language("none")),
            doc! { "$text": { "$search": "the", "$language": "none" } },
            &[],
        ),
        (
            Filter::text("coffee") & Note::fields().votes().gt(1),
            doc! { "$text": { "$search": "coffee" }, "votes": { "$gt": 1_i64 } },
            &[2, 3],
        ),
    ]
}

#[test]
fn text_searches_become_the_servers_words() -> TestResult {
    assert_sent(searches())
}

#[test]
fn text_searches_find_what_they_say_once_and_not_negated() -> TestResult {
    odm_testkit::run(async |kit| {
        let index = doc! {
            "createIndexes": "notes", "indexes": [{ "key": { "title": "text" }, "name": "text" }],
        };
        kit.database().run_command(index).await?;
        let stored = vec![
            doc! { "_id": 1, "title": "Coffee", "votes": 1_i64 },
            doc! { "_id": 2, "title": "the coffee shop", "votes": 2_i64 },
            doc! { "_id": 3, "title": "café: coffee", "votes": 3_i64 },
        ];
        let notes = assert_found(&kit, stored, searches()).await?;

        let n = Note::fields();
        let text = || Filter::<Note>::text("coffee");
        for (filter, message) in [
            (text() & text(), "twice"),
            ((text() & n.id().gt(0)) & (text() & n.id().lt(9)), "twice"),
            (text() | text(), "twice"),
            (text() & Filter::raw(doc! { "$text": { "$search": "x" } }), "twice"),
            (!text(), "negated"),
            (!(text() & n.id().gt(0)), "negated"),
            (Filter::nor([text()]), "negated"),
            (!!(text() & n.id().gt(0)) & text(), "twice"),
        ] {
            let error = refused(&kit, &notes, filter).await?;
            assert!(error.contains(message), "{error}");
        }
        // A value that looks like a search is none.
        assert_eq!(ids(&notes, text() & n.title().ne("$text")).await?, [1, 2, 3]);
        assert_eq!(ids(&notes, text() | n.id().eq(1)).await?, [1, 2, 3]);
        Ok(())
    })
}
