//! Stages that read and write other collections, whole documents of older versions, and the action
//! itself.

use bson::{Bson, doc};
use futures::StreamExt;
use odm::aggregate::{GraphLookup, Lookup, Merge, WhenMatched, WhenNotMatched};
use odm::prelude::*;
use odm::{Accumulator, ErrorKind, Expr, Pipeline};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

/// A tree by parent references.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "categories")]
struct Category {
    #[serde(rename = "_id")]
    id: String,
    parent: Option<String>,
}

fn categories() -> Vec<Category> {
    [
        ("Books", None),
        ("Programming", Some("Books")),
        ("Languages", Some("Programming")),
        ("Databases", Some("Programming")),
        ("MongoDB", Some("Databases")),
        ("dbm", Some("Databases")),
    ]
    .map(|(id, parent)| Category { id: id.into(), parent: parent.map(Into::into) })
    .into()
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Found {
    #[serde(rename = "_id")]
    id: String,
    depth: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Tree {
    #[serde(rename = "_id")]
    id: String,
    found: Vec<Found>,
}

fn tree(id: &str, found: &[(&str, i64)]) -> Tree {
    let found = found.iter().map(|&(id, depth)| Found { id: id.into(), depth }).collect();
    Tree { id: id.into(), found }
}

#[test]
fn graph_lookup_walks_a_tree_both_ways() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Category>();
        collection.insert_many(categories()).await?;
        let (c, t, f) = (Category::fields(), Tree::fields(), Found::fields());
        let sorted = |lookup: GraphLookup<Category>, id: &str| {
            Pipeline::new()
                .match_(c.id().eq(id))
                .graph_lookup::<Tree, _>(lookup, t.found())
                .set([t.found().is(t.found().expr().sort_array(f.depth().asc() + f.id().asc()))])
        };
        // Its ancestors: from its parent, by the parents, to the ids.
        let up = GraphLookup::start_with(c.parent(), c.parent(), c.id())
            .depth_field::<Found, _>(f.depth());
        let rows = collection.aggregate(sorted(up, "MongoDB")).await?;
        let ancestors = [("Databases", 0), ("Programming", 1), ("Books", 2)];
        assert_eq!(rows, [tree("MongoDB", &ancestors)]);
        // Its subtree: from its id, by the ids, to the parents.
        let down = || {
            GraphLookup::start_with(c.id(), c.id(), c.parent()).depth_field::<Found, _>(f.depth())
        };
        let rows = collection.aggregate(sorted(down(), "Programming")).await?;
        let subtree = [("Databases", 0), ("Languages", 0), ("MongoDB", 1), ("dbm", 1)];
        assert_eq!(rows, [tree("Programming", &subtree)]);
        // Cut off by depth and condition.
        let some = down().max_depth(0).restrict_search_with_match(c.id().ne("Languages"));
        let pipeline = sorted(some, "Programming");
        assert_eq!(
            pipeline.clone().into_stages()?.get(1),
            Some(&doc! { "$graphLookup": {
                "from": "categories",
                "startWith": "$_id",
                "connectFromField": "_id",
                "connectToField": "parent",
                "depthField": "depth",
                "maxDepth": 0_i64,
                "restrictSearchWithMatch": { "_id": { "$ne": "Languages" } },
                "as": "found",
            } }),
        );
        assert_eq!(
            collection.aggregate(pipeline).await?,
            [tree("Programming", &[("Databases", 0)])]
        );
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "groups")]
struct Group {
    #[serde(rename = "_id")]
    id: i32,
    group_id: i32,
    name: String,
}

/// Joined by a business key, which is not the `_id`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    group_ids: Vec<i32>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct GroupName {
    name: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct WithGroups {
    name: String,
    groups: Vec<GroupName>,
}

fn contact(id: i32, name: &str, group_ids: &[i32]) -> Contact {
    Contact { id, name: name.into(), group_ids: group_ids.into() }
}

fn group(group_id: i32, name: &str) -> Group {
    Group { id: group_id + 100, group_id, name: name.into() }
}

fn with_groups(name: &str, groups: &[&str]) -> WithGroups {
    let groups = groups.iter().map(|&name| GroupName { name: name.into() }).collect();
    WithGroups { name: name.into(), groups }
}

async fn contacts(db: &Database) -> odm::Result<Collection<Contact>> {
    let groups = [group(1, "friends"), group(2, "family"), group(3, "work")];
    db.collection::<Group>().insert_many(groups).await?;
    let contacts = db.collection::<Contact>();
    let all = [contact(1, "jane", &[1, 3]), contact(2, "joe", &[]), contact(3, "jack", &[2, 9])];
    contacts.insert_many(all).await?;
    Ok(contacts)
}

#[test]
fn lookup_joins_by_a_business_key() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = contacts(&database(&kit)).await?;
        let (c, g, o) = (Contact::fields(), Group::fields(), WithGroups::fields());
        let on = || Lookup::on(c.group_ids(), g.group_id());
        let pipeline = Pipeline::new().sort(c.id().asc()).lookup::<WithGroups, _>(on(), o.groups());
        let rows = contacts.aggregate(pipeline).await?;
        let expected = [
            with_groups("jane", &["friends", "work"]),
            with_groups("joe", &[]),
            with_groups("jack", &["family"]),
        ];
        assert_eq!(rows, expected);
        // Taken through a pipeline, too.
        let sorted = Pipeline::<Group>::new().sort(g.name().desc()).limit(1);
        let pipeline = Pipeline::new()
            .match_(c.id().eq(1))
            .lookup::<WithGroups, _>(on().pipeline(sorted), o.groups());
        assert_eq!(contacts.aggregate(pipeline).await?, [with_groups("jane", &["work"])]);
        Ok(())
    })
}

#[test]
fn lookup_by_a_pipeline_sees_variables_of_the_document() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = contacts(&database(&kit)).await?;
        let (c, g, o) = (Contact::fields(), Group::fields(), WithGroups::fields());
        let is_other = !g.group_id().expr().in_(Expr::var("own"));
        let others = Pipeline::<Group>::new()
            .raw(doc! { "$match": { "$expr": is_other.into_bson()? } })
            .sort(g.group_id().asc());
        let pipeline = Pipeline::new()
            .match_(c.id().eq(1))
            .lookup::<WithGroups, _>(Lookup::with(others).let_("own", c.group_ids()), o.groups());
        assert_eq!(
            pipeline.clone().into_stages()?.get(1),
            Some(&doc! { "$lookup": {
                "from": "groups",
                "pipeline": [
                    { "$match": { "$expr": { "$not": [{ "$in": ["$group_id", "$$own"] }] } } },
                    { "$sort": { "group_id": 1 } },
                ],
                "let": { "own": "$group_ids" },
                "as": "groups",
            } }),
        );
        assert_eq!(contacts.aggregate(pipeline).await?, [with_groups("jane", &["family"])]);
        let refused = [
            Pipeline::new().lookup::<WithGroups, _>(
                Lookup::on(c.group_ids(), g.group_id()).pipeline(Pipeline::<Contact>::new()),
                o.groups(),
            ),
            Pipeline::new().lookup::<WithGroups, _>(
                Lookup::on(c.group_ids(), g.group_id()).let_("Own", c.id()),
                o.groups(),
            ),
            Pipeline::new().lookup::<WithGroups, _>(
                Lookup::with(Pipeline::<Group>::new().out::<Group>()),
                o.groups(),
            ),
        ];
        for pipeline in refused {
            let error = contacts.aggregate(pipeline).await.err();
            assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidArgument));
        }
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "totals", index(name, unique))]
struct Total {
    #[serde(rename = "_id")]
    id: Bson,
    name: Option<String>,
    n: i32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Counted {
    #[serde(rename = "_id")]
    id: i32,
    n: i32,
}

fn total(id: i32, n: i32) -> Total {
    Total { id: id.into(), name: None, n }
}

#[test]
fn merge_and_out_write_and_yield_nothing() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let contacts = contacts(&db).await?;
        let totals = db.collection::<Total>();
        totals.insert_many([total(1, 10), total(7, 10)]).await?;
        let (c, o, t) = (Contact::fields(), Counted::fields(), Total::fields());
        let counted = || {
            Pipeline::new()
                .unwind(c.group_ids())
                .group::<Counted>(c.group_ids(), [o.n().accumulate(Accumulator::count())])
        };
        let stored = async || totals.find(Filter::new()).sort(t.id().asc()).await;

        let sum = Pipeline::<Total>::new().set([t.n().is(t.n() + Expr::var("new").get_field("n"))]);
        let merge = Merge::into::<Total>()
            .when_matched_update(sum)
            .when_not_matched(WhenNotMatched::Discard);
        let pipeline = counted().merge(merge);
        assert_eq!(
            pipeline.clone().into_stages()?.last(),
            Some(&doc! { "$merge": {
                "into": "totals",
                "whenMatched": [{ "$set": { "n": { "$add": [
                    "$n",
                    { "$getField": { "field": { "$literal": "n" }, "input": "$$new" } },
                ] } } }],
                "whenNotMatched": "discard",
            } }),
        );
        assert!(contacts.aggregate(pipeline).await?.is_empty());
        assert_eq!(stored().await?, [total(1, 11), total(7, 10)]);

        let merge = Merge::into::<Total>().when_matched(WhenMatched::KeepExisting);
        assert!(contacts.aggregate(counted().merge(merge)).await?.is_empty());
        let kept = [total(1, 11), total(2, 1), total(3, 1), total(7, 10), total(9, 1)];
        assert_eq!(stored().await?, kept);

        for (action, word) in [
            (WhenMatched::Merge, "merge"),
            (WhenMatched::Replace, "replace"),
            (WhenMatched::Fail, "fail"),
        ] {
            let merge = Merge::into::<Total>().on(o.id()).when_matched(action);
            let pipeline = counted().merge(merge.when_not_matched(WhenNotMatched::Fail));
            let stage = doc! { "$merge": {
                "into": "totals", "on": ["_id"], "whenMatched": word, "whenNotMatched": "fail",
            } };
            assert_eq!(pipeline.clone().into_stages()?.last(), Some(&stage));
            let result = contacts.aggregate(pipeline).await;
            assert_eq!(result.is_err(), action == WhenMatched::Fail);
        }
        let first = contacts.aggregate(counted().out::<Total>()).first().await;
        assert!(first.is_err_and(|error| error.kind() == ErrorKind::InvalidArgument));

        assert!(contacts.aggregate(counted().out::<Total>()).await?.is_empty());
        assert_eq!(stored().await?, [total(1, 1), total(2, 1), total(3, 1), total(9, 1)]);
        Ok(())
    })
}

/// SD2050: after a projection that names a field anew, a sort by the new name sorts by it.
#[test]
fn a_sort_after_a_projection_takes_the_new_name() -> TestResult {
    #[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
    struct Renamed {
        #[serde(rename = "nick")]
        alias: String,
    }
    odm_testkit::run(async |kit| {
        let contacts = contacts(&database(&kit)).await?;
        let (c, r) = (Contact::fields(), Renamed::fields());
        let pipeline = Pipeline::new()
            .match_(c.name().ne("joe"))
            .project::<Renamed>([r.alias().is(c.name())])
            .sort(r.alias().asc());
        let (rows, sent) = kit.commands(contacts.aggregate(pipeline)).await;
        let names: Vec<_> = rows?.into_iter().map(|row| row.alias).collect();
        assert_eq!(names, ["jack", "jane"]);
        assert_eq!(
            sent[0].body.get_array("pipeline")?,
            &[
                doc! { "$match": { "name": { "$ne": "joe" } } },
                doc! { "$project": { "nick": "$name", "_id": 0 } },
                doc! { "$sort": { "nick": 1 } },
            ]
            .map(Bson::from),
        );
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "people")]
struct PersonV1 {
    #[serde(rename = "_id")]
    id: i32,
    first: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "people", schema_version = 2, from = PersonV1)]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

impl From<PersonV1> for Person {
    fn from(old: PersonV1) -> Self {
        Self { id: old.id, name: old.first }
    }
}

#[test]
fn whole_documents_of_an_older_version_are_upgraded_in_memory() -> TestResult {
    odm_testkit::run(async |kit| {
        let people = database(&kit).collection::<Person>();
        people.driver().insert_one(doc! { "_id": 1, "first": "jane" }).await?;
        people.insert_one(Person { id: 2, name: "joe".into() }).await?;
        let p = Person::fields();
        let pipeline = || Pipeline::<Person>::new().sort(p.id().asc());
        let expected = [(1, "jane"), (2, "joe")];
        let expected = expected.map(|(id, name)| Person { id, name: name.into() });
        let (rows, sent) = kit.commands(people.aggregate(pipeline())).await;
        assert_eq!(rows?, expected);
        // Nothing is written back.
        assert_eq!(sent.len(), 1);
        // Also after they were another type.
        let again = pipeline()
            .project::<PersonId>([])
            .raw(doc! { "$lookup": {
                "from": "people", "localField": "_id", "foreignField": "_id", "as": "whole",
            } })
            .raw(doc! { "$replaceWith": { "$first": "$whole" } })
            .typed_document::<Person>();
        assert_eq!(people.aggregate(again).await?, expected);
        Ok(())
    })
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct PersonId {
    #[serde(rename = "_id")]
    id: i32,
}

#[test]
fn the_action_takes_options_and_streams() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let contacts = contacts(&db).await?;
        let c = Contact::fields();
        let sorted = || Pipeline::<Contact>::new().sort(c.id().desc());

        let first = contacts.aggregate(sorted()).first().await?;
        assert_eq!(first.map(|contact| contact.id), Some(3));
        let none = contacts.aggregate(sorted().match_(c.id().eq(8))).first().await?;
        assert_eq!(none, None);

        let stream = contacts.aggregate(sorted()).batch_size(2).allow_disk_use(true).stream();
        let (stream, sent) = kit.commands(stream).await;
        assert_eq!(sent[0].body.get_document("cursor")?, &doc! { "batchSize": 2 });
        assert!(sent[0].body.get_bool("allowDiskUse")?);
        let ids: Vec<_> = stream?.map(|row| row.map(|contact| contact.id).ok()).collect().await;
        assert_eq!(ids, [Some(3), Some(2), Some(1)]);

        let is_jane = c.name().expr().eq(Expr::var("name"));
        let by_variable =
            Pipeline::<Contact>::new().raw(doc! { "$match": { "$expr": is_jane.into_bson()? } });
        let named = |name: &str| contacts.aggregate(by_variable.clone()).let_("name", name);
        assert_eq!(named("jane").await?.len(), 1);
        assert_eq!(named("$name").await?.len(), 0);
        let error = contacts.aggregate(sorted()).let_("NAME", 1).await.err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidArgument));

        let explain = contacts.aggregate(sorted().match_(c.id().eq(1))).explain().await?;
        assert_eq!(explain.documents_examined(), 1, "{explain}");

        let session = db.start_session().await?;
        assert_eq!(contacts.aggregate(sorted()).session(&session).await?.len(), 3);
        Ok(())
    })
}

#[test]
fn a_row_that_does_not_fit_names_its_path() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = contacts(&database(&kit)).await?;
        let (c, o) = (Contact::fields(), Counted::fields());
        let pipeline = Pipeline::new().project::<Counted>([o.n().is(c.name())]);
        let error = contacts.aggregate(pipeline).await.err();
        let error = error.ok_or("a text was read as a number")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("n")));
        Ok(())
    })
}

stored_like_serde!(categories()[1].clone(), group(1, "a"), contact(1, "a", &[1]));
