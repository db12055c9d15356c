//! The comparison of declared and existing indexes of one collection. Pure.

use bson::Document;

use crate::error::{Error, Result};
use crate::index::Spec;
use crate::model::Model;

/// The outcome of a comparison.
pub(super) struct Compared {
    pub(super) missing: Vec<Spec>,
    /// Declared, and the one that exists in its place.
    pub(super) different: Vec<(Spec, Spec)>,
    pub(super) undeclared: Vec<Spec>,
}

/// The indexes that the models of one collection declare, each once.
pub(super) fn declared<'a>(models: impl Iterator<Item = &'a Model>) -> Result<Vec<Spec>> {
    let mut declared: Vec<Spec> = Vec::new();
    for model in models {
        for index in (model.indexes)() {
            let spec = index
                .spec()
                .map_err(|error| error.with_model(model.name).with_operation("plan"))?;
            if declared.iter().any(|other| other.is_same(&spec)) {
                continue;
            }
            if let Some(other) = declared.iter().find(|other| other.name == spec.name) {
                let message = format!("two indexes have one name: {other} and {spec}");
                return Err(Error::invalid(message).with_model(model.name).with_operation("plan"));
            }
            declared.push(spec);
        }
    }
    Ok(declared)
}

/// Which declared indexes are missing, which exist otherwise, and which are not declared.
pub(super) fn plan_indexes(declared: Vec<Spec>, mut existing: Vec<Spec>) -> Compared {
    existing.retain(|index| !is_id(&index.keys));
    let mut absent = Vec::new();
    for index in declared {
        match existing.iter().position(|other| other.is_same(&index)) {
            Some(position) => drop(existing.remove(position)),
            None => absent.push(index),
        }
    }
    let mut compared =
        Compared { missing: Vec::new(), different: Vec::new(), undeclared: Vec::new() };
    for index in absent {
        let in_its_place = |other: &Spec| other.has_keys_of(&index) || other.name == index.name;
        match existing.iter().position(in_its_place) {
            Some(position) => compared.different.push((index, existing.remove(position))),
            None => compared.missing.push(index),
        }
    }
    compared.undeclared = existing;
    compared
}

fn is_id(keys: &Document) -> bool {
    keys.len() == 1 && keys.get_i64("_id").is_ok_and(|direction| direction == 1)
}

#[cfg(test)]
mod tests {
    use bson::{RawDocumentBuf, doc};

    use super::*;

    fn spec(name: &str, key: &str, unique: bool) -> Result<Spec> {
        let listed = doc! { "key": { key: 1 }, "name": name, "unique": unique };
        Spec::read(&RawDocumentBuf::try_from(&listed).map_err(|e| Error::invalid(e.to_string()))?)
    }

    #[test]
    fn each_index_is_missing_or_different_or_undeclared_or_none_of_these() -> Result<()> {
        let declared =
            vec![spec("a_1", "a", false)?, spec("b_1", "b", true)?, spec("c", "c", false)?];
        let existing = vec![
            spec("_id_", "_id", false)?,
            spec("mine", "a", false)?,
            spec("b_1", "b", false)?,
            spec("d_1", "d", false)?,
        ];
        let compared = plan_indexes(declared, existing);
        let names = |specs: &[Spec]| specs.iter().map(|spec| spec.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&compared.missing), ["c"]);
        assert_eq!(names(&compared.undeclared), ["d_1"]);
        let different: Vec<_> =
            compared.different.iter().map(|(a, b)| (&*a.name, &*b.name)).collect();
        assert_eq!(different, [("b_1", "b_1")]);
        Ok(())
    }
}
