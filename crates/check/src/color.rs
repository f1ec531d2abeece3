//! Recognizes colors that are safe in an SVG attribute, into which Web Chat copies `termCode`.

/// The kind of a `termCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    /// A CSS color name or a hex color.
    Plain,
    /// A value that could make a browser fetch an address, or that hides its meaning.
    Dangerous,
    /// Another value; browsers ignore it, or know it from a newer specification.
    Unknown,
}

impl Color {
    /// Classifies a color, in any case and with blanks around it.
    pub(super) fn of(code: &str) -> Self {
        let code = code.trim().to_ascii_lowercase();
        let hexadecimal = code.strip_prefix('#').is_some_and(|digits| {
            matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        if hexadecimal || WORDS.binary_search(&code.as_str()).is_ok() {
            return Self::Plain;
        }
        // An escape can spell `url` differently, and a comment can hide it.
        let fetches = ["url", "image", "var("].iter().any(|word| code.contains(word));
        if fetches || code.contains(['\\', '/', ';', '<']) { Self::Dangerous } else { Self::Unknown }
    }
}

/// The named colors of CSS Color 4, with `transparent` and `currentcolor`; sorted for binary search.
#[rustfmt::skip]
const WORDS: [&str; 150] = [
    "aliceblue", "antiquewhite", "aqua", "aquamarine", "azure", "beige", "bisque", "black", "blanchedalmond", "blue",
    "blueviolet", "brown", "burlywood", "cadetblue", "chartreuse", "chocolate", "coral", "cornflowerblue", "cornsilk",
    "crimson", "currentcolor", "cyan", "darkblue", "darkcyan", "darkgoldenrod", "darkgray", "darkgreen", "darkgrey",
    "darkkhaki", "darkmagenta", "darkolivegreen", "darkorange", "darkorchid", "darkred", "darksalmon", "darkseagreen",
    "darkslateblue", "darkslategray", "darkslategrey", "darkturquoise", "darkviolet", "deeppink", "deepskyblue",
    "dimgray", "dimgrey", "dodgerblue", "firebrick", "floralwhite", "forestgreen", "fuchsia", "gainsboro",
    "ghostwhite", "gold", "goldenrod", "gray", "green", "greenyellow", "grey", "honeydew", "hotpink", "indianred",
    "indigo", "ivory", "khaki", "lavender", "lavenderblush", "lawngreen", "lemonchiffon", "lightblue", "lightcoral",
    "lightcyan", "lightgoldenrodyellow", "lightgray", "lightgreen", "lightgrey", "lightpink", "lightsalmon",
    "lightseagreen", "lightskyblue", "lightslategray", "lightslategrey", "lightsteelblue", "lightyellow", "lime",
    "limegreen", "linen", "magenta", "maroon", "mediumaquamarine", "mediumblue", "mediumorchid", "mediumpurple",
    "mediumseagreen", "mediumslateblue", "mediumspringgreen", "mediumturquoise", "mediumvioletred", "midnightblue",
    "mintcream", "mistyrose", "moccasin", "navajowhite", "navy", "oldlace", "olive", "olivedrab", "orange",
    "orangered", "orchid", "palegoldenrod", "palegreen", "paleturquoise", "palevioletred", "papayawhip", "peachpuff",
    "peru", "pink", "plum", "powderblue", "purple", "rebeccapurple", "red", "rosybrown", "royalblue", "saddlebrown",
    "salmon", "sandybrown", "seagreen", "seashell", "sienna", "silver", "skyblue", "slateblue", "slategray",
    "slategrey", "snow", "springgreen", "steelblue", "tan", "teal", "thistle", "tomato", "transparent", "turquoise",
    "violet", "wheat", "white", "whitesmoke", "yellow", "yellowgreen",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted_so_that_each_is_found() {
        assert!(WORDS.is_sorted());
        for word in WORDS {
            assert_eq!(Color::of(word), Color::Plain, "{word}");
        }
    }

    #[test]
    fn hexadecimal_colours_have_three_four_six_or_eight_digits() {
        for code in ["#fff", "#FFA5", "#ffa500", "#ffa50080", " Orange "] {
            assert_eq!(Color::of(code), Color::Plain, "{code}");
        }
        for code in ["#ff", "#ggg", "banana", "rgb(1 2 3)", ""] {
            assert_eq!(Color::of(code), Color::Unknown, "{code}");
        }
    }

    #[test]
    fn whatever_may_fetch_is_dangerous() {
        for code in ["url(https://evil.example/x)", "URL( x )", "u\\72l(x)", "var(--x)", "image-set('x')"] {
            assert_eq!(Color::of(code), Color::Dangerous, "{code}");
        }
    }
}
