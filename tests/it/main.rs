//! The library on a real MongoDB: one binary, a fresh database for each test.

mod ui;
