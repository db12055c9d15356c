//! Both strategies give the same, for relations of every kind, on random data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use odm::bson::{Bson, Document as BsonDocument, doc};
use odm::prelude::*;
use odm::{DbRef, Document, Lookup, Many, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "categories")]
struct Category {
    #[serde(rename = "_id")]
    id: i32,
    parent: Option<Ref<Category>>,
    #[serde(skip)]
    #[odm(inverse = parent)]
    children: Many<Category>,
    #[serde(skip)]
    #[odm(inverse = category)]
    products: Many<Product>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "products")]
struct Product {
    #[serde(rename = "_id")]
    id: String,
    #[odm(unique)]
    sku: i64,
    rank: Option<i32>,
    marks: Vec<i32>,
    category: Option<Ref<Category>>,
    #[serde(skip)]
    #[odm(inverse = lines.product)]
    in_lines: Many<Holder>,
    #[serde(skip)]
    #[odm(inverse = skus)]
    by_sku: Many<Holder>,
    #[serde(skip)]
    #[odm(inverse = old)]
    by_db_ref: Many<Holder>,
}

#[derive(Debug, Deserialize, View)]
#[odm(of = Product)]
struct Rank {
    rank: Option<i32>,
    category: Option<Ref<Category>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    product: Ref<Product>,
    quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Item {
    Product { item: Ref<Product> },
    Category { item: Ref<Category> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(untagged)]
enum Subject {
    Product(DbRef<Product>),
    Category(DbRef<Category>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "holders")]
struct Holder {
    #[serde(rename = "_id")]
    id: i32,
    one: Ref<Product>,
    option: Option<Ref<Product>>,
    list: Vec<Ref<Product>>,
    option_list: Option<Vec<Ref<Product>>>,
    set: BTreeSet<Ref<Product>>,
    pair: [Ref<Product>; 2],
    map: BTreeMap<String, Ref<Product>>,
    lines: Vec<Line>,
    #[odm(references(sku))]
    skus: Vec<Ref<Product, i64>>,
    old: Option<DbRef<Product>>,
    item: Item,
    subject: Option<Subject>,
}

/// What is loaded, at every depth: references are equal by their keys alone.
trait Deep {
    fn deep(&self) -> String;
}

impl<T: Document + Deep> Deep for Ref<T>
where
    Self: Debug,
    T::Id: odm::relation::RefId,
{
    fn deep(&self) -> String {
        format!("{self:?}={:?}", self.get().map(Deep::deep))
    }
}

fn many<T: Document + Deep>(many: &Many<T>) -> String {
    let found: Option<Vec<_>> = many.get().map(|found| found.map(Deep::deep).collect());
    format!("{:?}#{:?}", many.count(), found)
}

fn each<'a, T: Deep + 'a>(items: impl IntoIterator<Item = &'a T>) -> String {
    items.into_iter().map(Deep::deep).collect::<Vec<_>>().join(",")
}

impl Deep for Category {
    fn deep(&self) -> String {
        let (children, products) = (many(&self.children), many(&self.products));
        format!("{}^{}[{children}][{products}]", self.id, each(&self.parent))
    }
}

impl Deep for Product {
    fn deep(&self) -> String {
        let holders = [&self.in_lines, &self.by_sku, &self.by_db_ref].map(many).join(";");
        format!("{}:{}[{holders}]", self.id, each(&self.category))
    }
}

impl Deep for Holder {
    fn deep(&self) -> String {
        let by_sku: Vec<_> = self.skus.iter().map(|sku| (sku, sku.get().map(Deep::deep))).collect();
        let views: Vec<_> = self.list.iter().map(|product| product.view::<Rank>()).collect();
        let views: Vec<_> =
            views.iter().map(|view| view.map(|v| (v.rank, each(&v.category)))).collect();
        let item = match &self.item {
            Item::Product { item } => item.deep(),
            Item::Category { item } => item.deep(),
        };
        let subject = match &self.subject {
            None => String::new(),
            Some(Subject::Product(product)) => product.deep(),
            Some(Subject::Category(category)) => category.deep(),
        };
        let old = self.old.as_ref().map(|old| old.deep());
        let lists = [
            self.one.deep(),
            each(&self.option),
            each(&self.list),
            self.option_list.as_ref().map(each).unwrap_or_default(),
            each(&self.set),
            each(&self.pair),
            each(self.map.values()),
            each(self.lines.iter().map(|line| &line.product)),
        ];
        format!("{} {lists:?} {by_sku:?} {views:?} {item} {subject} {old:?}", self.id)
    }
}

/// Numbers that look random, and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn chance(&mut self) -> bool {
        self.below(3) == 0
    }

    /// One of 12 products, of which four are not there.
    fn product(&mut self) -> Bson {
        format!("p{}", self.below(12)).into()
    }

    fn products(&mut self) -> Vec<Bson> {
        (0..self.below(5)).map(|_| self.product()).collect()
    }

    fn or_null(&mut self, value: Bson) -> Bson {
        if self.chance() { Bson::Null } else { value }
    }
}

const CATEGORIES: i32 = 6;

async fn seed(db: &Database, random: &mut Random) -> TestResult {
    for name in ["categories", "products", "holders"] {
        db.driver().collection::<BsonDocument>(name).drop().await?;
    }
    let categories = (0..CATEGORIES).map(|id| {
        // Parents form chains, and cycles.
        let parent = Bson::from(random.below(8) as i32);
        doc! { "_id": id, "parent": random.or_null(parent) }
    });
    let categories: Vec<_> = categories.collect();
    db.driver().collection("categories").insert_many(categories).await?;
    let products = (0..8).map(|number| {
        // A number is the same key whatever its type.
        let sku = match number % 2 {
            0 => Bson::Int32(number),
            _ => Bson::Int64(number.into()),
        };
        let rank = Bson::from(random.below(3) as i32);
        let category = Bson::from(random.below(8) as i32);
        let marks: Vec<_> = (0..random.below(4)).map(|_| random.below(9) as i32).collect();
        doc! {
            "_id": format!("p{number}"), "sku": sku, "rank": random.or_null(rank), "marks": marks,
            "category": random.or_null(category),
        }
    });
    let products: Vec<_> = products.collect();
    db.driver().collection("products").insert_many(products).await?;
    let holders: Vec<_> = (0..25).map(|id| holder(id, random)).collect();
    db.driver().collection("holders").insert_many(holders).await?;
    Ok(())
}

fn holder(id: i32, random: &mut Random) -> BsonDocument {
    let option = random.product();
    let option_list = Bson::Array(random.products());
    let mut set = random.products();
    set.sort_by_key(Bson::to_string);
    set.dedup();
    let lines = random.products().into_iter();
    let lines: Vec<_> = lines.map(|product| doc! { "product": product, "quantity": 1 }).collect();
    let skus: Vec<_> = (0..random.below(4)).map(|_| random.below(12) as i32).collect();
    let old = match random.chance() {
        true => random.product(),
        false => doc! { "$ref": "products", "$id": random.product() }.into(),
    };
    let category = random.below(8) as i32;
    let item = match id % 3 == 0 {
        true => doc! { "kind": "Product", "item": random.product() },
        false => doc! { "kind": "Category", "item": category },
    };
    let subject = match id % 2 == 0 {
        true => doc! { "$ref": "products", "$id": random.product() },
        false => doc! { "$ref": "categories", "$id": category },
    };
    let map: BsonDocument =
        ["a", "b"].iter().map(|key| ((*key).to_owned(), random.product())).collect();
    doc! {
        "_id": id,
        "one": random.product(),
        "option": random.or_null(option),
        "list": random.products(),
        "option_list": random.or_null(option_list),
        "set": set,
        "pair": [random.product(), random.product()],
        "map": map,
        "lines": lines,
        "skus": skus,
        "old": random.or_null(old),
        "item": item,
        "subject": random.or_null(subject.into()),
    }
}

/// Checks that a find gives the same by either strategy, or that the server is said not to do it.
macro_rules! check {
    ($find:expr, $what:expr) => {{
        let by_batches: Vec<_> = $find.with_batches().await?.iter().map(Deep::deep).collect();
        match $find.with_lookup().await {
            Ok(by_lookup) => {
                let by_lookup: Vec<_> = by_lookup.iter().map(Deep::deep).collect();
                assert_eq!(by_lookup, by_batches, "{}", $what);
            }
            Err(error) => {
                assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument, "{}: {error}", $what);
            }
        }
        by_batches
    }};
}

#[test]
fn references_of_every_kind() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (holders, h, p) = (db.collection::<Holder>(), Holder::fields(), Product::fields());
        let c = Category::fields();
        for number in 1..6 {
            let mut random = Random(number * 7_919);
            seed(&db, &mut random).await?;
            let find = || holders.find(Filter::new()).sort(h.id().asc());
            let plain = check!(find(), "nothing");
            macro_rules! looks_up {
                ($($path:expr),+ $(,)?) => {$(
                    let loaded = check!(find().lookup($path), stringify!($path));
                    assert_ne!(loaded, plain, "{} loads nothing", stringify!($path));
                )+};
            }
            looks_up!(
                h.one(),
                h.option(),
                h.list(),
                h.option_list(),
                h.set(),
                h.pair(),
                h.map(),
                h.map().key("a"),
                h.lines().product(),
                h.lines().at(0).product(),
                h.skus(),
                h.old(),
                h.item().product().item(),
                h.item().category().item(),
                h.subject().product(),
                h.subject().category(),
                h.one().lookup(p.category()),
                h.skus().lookup(p.category().lookup(c.parent().lookup(c.parent()))),
                h.old().lookup(p.category()),
                h.one().lookup(p.by_db_ref().lookup(h.list())),
                h.lines().product().lookup(p.in_lines().lookup(h.subject().category())),
                Lookup::new(h.list()).filter(p.rank().gte(1)),
                Lookup::new(h.list()).limit(2),
                Lookup::new(h.list()).sort(p.rank().desc()).limit(1),
                Lookup::new(h.lines().product()).sort(p.marks().asc() + p.rank().desc()).limit(2),
                Lookup::new(h.list()).project::<Rank>(),
                Lookup::new(h.list()).project::<Rank>().lookup(p.category()),
                Lookup::new(h.skus()).filter(p.rank().gte(1)).required(),
                Lookup::new(h.old()).required(),
                Lookup::new(h.lines().product()).filter(!p.rank().is_none()).required(),
            );
            let by_rank = p.rank().desc() + p.id().asc();
            let found = find().lookup(Lookup::new(h.one()).sort_parents(by_rank)).await?;
            let rank = |holder: &Holder| {
                let product = holder.one.get();
                let rank = product.map(|product| std::cmp::Reverse(product.rank));
                (product.is_none(), rank, product.map(|product| product.id.clone()), holder.id)
            };
            // Without a product, the server sorts as with one whose fields are missing.
            let of_products: Vec<_> =
                found.iter().filter(|h| h.one.is_loaded()).map(rank).collect();
            assert!(of_products.is_sorted(), "{of_products:?}");
            assert_eq!(found.len(), plain.len());
            let several =
                || find().limit(7).skip(2).lookup(h.one()).lookup(h.list()).lookup(h.old());
            check!(several().lookup(h.one().lookup(p.category())), "several");
        }
        Ok(())
    })
}

#[test]
fn what_refers_back_and_graphs() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (products, categories) = (db.collection::<Product>(), db.collection::<Category>());
        let (h, p, c) = (Holder::fields(), Product::fields(), Category::fields());
        for number in 1..6 {
            let mut random = Random(number * 104_729);
            seed(&db, &mut random).await?;
            let find = || products.find(Filter::new()).sort(p.id().asc());
            macro_rules! looks_up {
                ($find:ident: $($path:expr),+ $(,)?) => {$(
                    check!($find().lookup($path), stringify!($path));
                )+};
            }
            looks_up!(
                find: p.in_lines(),
                p.by_sku(),
                p.by_db_ref(),
                p.by_sku().lookup(h.one()),
                p.category().lookup(c.children().lookup(c.products())),
                Lookup::new(p.in_lines()).sort(h.id().desc()).limit(2),
                Lookup::new(p.by_sku()).limit(3),
                Lookup::new(p.by_db_ref()).limit(1),
                Lookup::new(p.in_lines()).count(),
                Lookup::new(p.by_sku()).filter(h.id().gt(9)).count(),
                Lookup::new(p.by_db_ref()).count(),
                Lookup::new(p.by_sku()).filter(h.id().lt(9)).sort(h.id().desc()),
                Lookup::new(p.by_sku()).required(),
                Lookup::new(p.by_db_ref()).filter(h.id().gt(12)).required(),
            );
            let roots = || categories.find(Filter::new()).sort(c.id().asc());
            looks_up!(
                roots: c.children(),
                c.products().lookup(p.category()),
                Lookup::new(c.products()).sort(p.rank().desc() + p.marks().asc()).limit(2),
                c.parent().graph_lookup(0),
                c.parent().graph_lookup(1),
                c.parent().graph_lookup(4),
                c.children().graph_lookup(0),
                c.children().graph_lookup(3),
                c.parent().graph_lookup(5).filter(c.id().lt(4)),
            );
            // The levels of a graph are those of lookups inside of lookups.
            let graph = check!(roots().lookup(c.parent().graph_lookup(2)), "graph");
            let nested = c.parent().lookup(c.parent().lookup(c.parent()));
            assert_eq!(graph, check!(roots().lookup(nested.clone()), "nested"));
            let counted = check!(find().lookup(Lookup::new(p.by_sku()).required()), "required");
            let count = find().lookup(Lookup::new(p.by_sku()).required());
            assert_eq!(count.count().await?, counted.len() as u64);
            let count = find().lookup(Lookup::new(p.by_sku()).required()).with_batches();
            assert_eq!(count.count().await?, counted.len() as u64);
        }
        Ok(())
    })
}

stored_like_serde!(Holder {
    id: 1,
    one: Ref::new("p1"),
    option: None,
    list: vec![],
    option_list: None,
    set: BTreeSet::new(),
    pair: [Ref::new("p1"), Ref::new("p2")],
    map: BTreeMap::new(),
    lines: vec![],
    skus: vec![Ref::new(1)],
    old: Some(DbRef::new("p3")),
    item: Item::Category { item: Ref::new(1) },
    subject: Some(Subject::Product(DbRef::new("p4"))),
});
