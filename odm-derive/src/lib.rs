//! The derive macros of mongo-odm.
