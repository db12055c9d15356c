//! The library on a real MongoDB: one binary, a fresh database for each test.

mod action_commands;
mod action_sessions;
mod aggregate_expressions;
mod codec_failures;
mod codec_models;
mod dynamic_model;
mod error_kinds;
mod explain;
mod filter_operators;
mod filter_values;
mod index_plan;
mod migrate_read;
mod migrate_write;
mod null_missing;
mod read_path;
mod relation_lookup;
mod support;
mod transactions;
mod ui;
mod update_find_and_modify;
mod update_operators;
mod update_pipeline;
mod update_positional;
mod update_upsert;
mod update_values;
mod view_projection;
