//! A bar chart as SVG: groups of bars, each a multiple of what its group is measured against.
//!
//! It has a ground of its own and follows the reader's colour scheme, so that it can be read on a
//! light page and on a dark one.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
/// Where the bars begin, and how far the longest one reaches.
const LEFT: f64 = 210.0;
const REACH: f64 = 470.0;
const TOP: f64 = 78.0;
const BAR: f64 = 9.0;
const STEP: f64 = 11.0;
const GAP: f64 = 12.0;
/// A bar that is longer is cut off, and says how long it would be.
const MOST: f64 = 8.0;

/// As many bars of a group can be told apart.
const COLOURS: [&str; 7] =
    ["#d9480f", "#868e96", "#2b8a3e", "#1971c2", "#9c36b5", "#e8a200", "#0c8599"];

/// The bars of one work: the name of each and its length.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) bars: Vec<(String, f64)>,
}

/// The whole picture.
pub(super) fn svg(title: &str, unit: &str, groups: &[Group]) -> String {
    let longest = groups.iter().flat_map(|group| &group.bars).map(|(_, length)| *length);
    let scale = REACH / longest.fold(1.0, f64::max).min(MOST);
    let names = names(groups);
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = TOP + bars as f64 * STEP + groups.len() as f64 * GAP + 12.0;

    let mut out = head(title, unit, height);
    out += &legend(&names);
    let mut y = TOP;
    for group in groups {
        let middle = y + group.bars.len() as f64 * STEP / 2.0 + 3.0;
        line(&mut out, &text(LEFT - 10.0, middle, "end", "name", &group.name));
        for (name, length) in &group.bars {
            out += &bar(y, length * scale, *length, colour(&names, name));
            y += STEP;
        }
        y += GAP;
    }
    let one = LEFT + scale;
    line(
        &mut out,
        &format!(
            r#"<line x1="{one:.1}" x2="{one:.1}" y1="{:.1}" y2="{:.1}" class="one"/>"#,
            TOP - 6.0,
            height - 12.0
        ),
    );
    out + "</svg>\n"
}

/// Who has bars, in the order in which they come.
fn names(groups: &[Group]) -> Vec<&str> {
    let mut names = Vec::new();
    for (name, _) in groups.iter().flat_map(|group| &group.bars) {
        if !names.contains(&name.as_str()) {
            names.push(name.as_str());
        }
    }
    names
}

fn colour(names: &[&str], name: &str) -> &'static str {
    let place = names.iter().position(|known| *known == name).unwrap_or_default();
    COLOURS.get(place % COLOURS.len()).copied().unwrap_or_default()
}

fn head(title: &str, unit: &str, height: f64) -> String {
    let mut out = String::new();
    line(
        &mut out,
        &format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0}" width="{WIDTH}" height="{height:.0}" role="img">"#
        ),
    );
    line(&mut out, &format!("<title>{}</title>", escaped(title)));
    line(
        &mut out,
        "<style>text{font:11px sans-serif;fill:#212529}.title{font-weight:bold;font-size:14px}\
         .unit{fill:#495057}.ground{fill:#ffffff;stroke:#ced4da}.one{stroke:#495057;\
         stroke-dasharray:2 3}@media (prefers-color-scheme:dark){text{fill:#e9ecef}\
         .unit{fill:#adb5bd}.ground{fill:#1f2329;stroke:#495057}.one{stroke:#adb5bd}}</style>",
    );
    line(
        &mut out,
        &format!(
            r#"<rect class="ground" x="0.5" y="0.5" width="{:.1}" height="{:.1}" rx="6"/>"#,
            WIDTH - 1.0,
            height - 1.0
        ),
    );
    line(&mut out, &text(16.0, 24.0, "start", "title", title));
    line(&mut out, &text(16.0, 41.0, "start", "unit", unit));
    out
}

fn legend(names: &[&str]) -> String {
    let mut out = String::new();
    let mut x = 16.0;
    for name in names {
        let fill = colour(names, name);
        let square = format!(r#"<rect x="{x:.1}" y="52" width="10" height="10" fill="{fill}"/>"#);
        line(&mut out, &square);
        line(&mut out, &text(x + 14.0, 61.0, "start", "name", name));
        x += 32.0 + name.chars().count() as f64 * 6.5;
    }
    out
}

fn bar(y: f64, width: f64, length: f64, fill: &str) -> String {
    let shown = width.min(REACH);
    let more = if shown < width { "…" } else { "" };
    let mut out = String::new();
    line(
        &mut out,
        &format!(
            r#"<rect x="{LEFT}" y="{y:.1}" width="{shown:.1}" height="{BAR}" fill="{fill}"/>"#
        ),
    );
    let label = format!("{more}{length:.2}");
    line(&mut out, &text(LEFT + shown + 4.0, y + BAR - 0.5, "start", "name", &label));
    out
}

fn text(x: f64, y: f64, anchor: &str, class: &str, words: &str) -> String {
    let words = escaped(words);
    format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{words}</text>"#)
}

fn line(out: &mut String, what: &str) {
    // Writing to a string cannot fail.
    let _written = writeln!(out, "{what}");
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Group, svg};

    #[test]
    fn each_bar_has_its_length_and_its_owner_a_colour() {
        let bars = |a, b| vec![("a & b".to_owned(), a), ("c".to_owned(), b)];
        let groups = [
            Group { name: "one".to_owned(), bars: bars(1.0, 2.0) },
            Group { name: "two".to_owned(), bars: bars(0.5, 30.0) },
        ];
        let picture = svg("title", "unit", &groups);
        assert_eq!(picture.matches("fill=\"#d9480f\"").count(), 3, "{picture}");
        assert!(picture.contains(">a &amp; b</text>"), "{picture}");
        assert!(picture.contains(">…30.00</text>"), "{picture}");
    }
}
