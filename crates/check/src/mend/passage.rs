//! Writes the HTML and the images of a passage as the Markdown that says the same, so that a dialog shows its words and nothing else.

use crate::markdown::Markdown;

/// Elements that stand in a paragraph of their own.
const BLOCKS: [&str; 24] = [
    "article",
    "aside",
    "blockquote",
    "body",
    "div",
    "dl",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "html",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "title",
    "ul",
];

/// Elements whose content is no text.
const SILENT: [&str; 3] = ["script", "style", "template"];

/// A passage without active parts; `None` if some would be left.
pub(super) fn as_markdown(passage: &str) -> Option<String> {
    let markdown = Markdown::read(passage);
    let mut writer = Writer::default();
    let mut end = 0;
    for html in &markdown.html {
        writer.out.push_str(passage.get(end..html.span.start)?);
        writer.html(passage.get(html.span.clone())?, html.is_block);
        end = html.span.end;
    }
    writer.out.push_str(passage.get(end..)?);
    let written = without_images(writer.out.trim());
    let rest = Markdown::read(&written);
    let is_clean = rest.html.is_empty() && rest.links.iter().all(|link| !link.image);
    (is_clean && !written.trim().is_empty()).then_some(written)
}

/// Makes images links, or takes their sign where they have no words.
fn without_images(text: &str) -> String {
    let images = Markdown::read(text).links.into_iter().filter(|link| link.image);
    let mut starts: Vec<(usize, bool)> = images.map(|link| (link.start, link.text.trim().is_empty())).collect();
    starts.sort_unstable();
    let mut written = text.to_owned();
    for (start, is_wordless) in starts.into_iter().rev() {
        written.replace_range(start..=start, if is_wordless { "\\!" } else { "" });
    }
    written
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The addresses of the links that are open.
    links: Vec<Option<String>>,
    /// The element whose content is no text, until it ends.
    silent: Option<String>,
}

impl Writer {
    fn html(&mut self, source: &str, is_block: bool) {
        let mut rest = source;
        while let Some(open) = rest.find('<') {
            self.words(&rest[..open], is_block);
            let end = if rest[open..].starts_with("<!--") { "-->" } else { ">" };
            let Some(length) = rest[open..].find(end) else { return };
            let tag = &rest[open + 1..open + length];
            if end == ">" {
                self.tag(tag, is_block);
            }
            rest = &rest[open + length + end.len()..];
        }
        self.words(rest, is_block);
    }

    fn words(&mut self, words: &str, is_block: bool) {
        if self.silent.is_some() {
            return;
        }
        // Blanks at the beginning of a line would make code of it.
        let words = if is_block && self.out.ends_with('\n') { words.trim_start() } else { words };
        let lines: Vec<&str> = words.split('\n').map(|line| if is_block { line.trim_start() } else { line }).collect();
        if is_block && words.starts_with(' ') {
            self.out.push(' ');
        }
        self.out.push_str(&lines.join("\n"));
    }

    fn tag(&mut self, tag: &str, is_block: bool) {
        let (name, is_end) = match tag.strip_prefix('/') {
            Some(name) => (name, true),
            None => (tag, false),
        };
        let name: String =
            name.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        if let Some(silent) = &self.silent {
            if is_end && *silent == name {
                self.silent = None;
            }
            return;
        }
        match name.as_str() {
            name if SILENT.contains(&name) && !is_end && is_block => self.silent = Some(name.to_owned()),
            "a" if is_end => {
                if let Some(address) = self.links.pop().flatten() {
                    self.out.push_str(&format!("](<{address}>)"));
                }
            }
            "a" => {
                let is_web =
                    |address: &String| ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme));
                let address =
                    attribute(tag, "href").filter(is_web).filter(|address| !address.contains(['<', '>', '\n']));
                self.out.push_str(if address.is_some() { "[" } else { "" });
                self.links.push(address);
            }
            "img" => self.out.push_str(&attribute(tag, "alt").unwrap_or_default()),
            "br" => self.out.push_str("  \n"),
            "li" | "dt" | "dd" => self.begin(if is_end { "\n" } else { "\n- " }),
            "tr" => self.begin("\n"),
            "td" | "th" if is_end => self.out.push_str(" | "),
            name if BLOCKS.contains(&name) => self.begin("\n\n"),
            _ => {}
        }
    }

    /// Begins a line or a paragraph, unless one has begun.
    fn begin(&mut self, sign: &str) {
        let breaks = sign.matches('\n').count();
        let there = self.out.len() - self.out.trim_end_matches('\n').len();
        if !self.out.trim().is_empty() {
            (there..breaks).for_each(|_| self.out.push('\n'));
        }
        self.out.push_str(sign.trim_start_matches('\n'));
    }
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let start = lower.find(&format!(" {name}="))? + name.len() + 2;
    let value = tag.get(start..)?;
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split_whitespace().next()?,
    };
    Some(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::as_markdown;

    #[test]
    fn words_and_links_stay_and_tags_go() {
        for (html, markdown) in [
            ("<h1>Closing</h1> Document ID: 102", "Closing\n\nDocument ID: 102"),
            ("<p>Keep it.</p>\n<ul>\n<li>One</li>\n<li>Two</li>\n</ul>", "Keep it.\n\n- One\n- Two"),
            ("See <a href=\"https://a.example/\" title=\"x\">this</a>.", "See [this](<https://a.example/>)."),
            ("<div><script>alert(1)</script>Words</div>", "Words"),
            ("a <img src=\"https://a.example/p.png\" alt=\"plan\"> b", "a plan b"),
            ("a ![plan](https://a.example/p.png)", "a [plan](https://a.example/p.png)"),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b |"),
            ("x <custom-element y=\"1\">z</custom-element>", "x z"),
        ] {
            assert_eq!(as_markdown(html).as_deref(), Some(markdown), "{html}");
        }
        assert_eq!(as_markdown("<img src=\"https://a.example/p.png\">"), None);
    }
}
