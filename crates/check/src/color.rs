//! Recognizes colors that are safe in an SVG attribute, into which Web Chat copies `termCode`.

/// The kind of a `termCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    /// A color name of CSS, a hex color, or a function of CSS Color 4.
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
        if is_function(&code) {
            return Self::Plain;
        }
        // An escape can spell `url` differently, and a comment can hide it.
        let hides = code.contains(['\\', ';', '<', '{', '"', '\'']) || code.contains("/*");
        if hides || FETCHES.iter().any(|word| code.contains(word)) { Self::Dangerous } else { Self::Unknown }
    }
}

/// Functions of CSS by which a browser fetches an address, and `var`, which may stand for one of them.
const FETCHES: [&str; 10] =
    ["url", "src(", "image", "cross-fade(", "element(", "paint(", "var(", "env(", "attr(", "if("];

/// The functions of CSS Color 4, and whether the older form with commas exists.
const FUNCTIONS: [(&str, bool); 9] = [
    ("rgb", true),
    ("rgba", true),
    ("hsl", true),
    ("hsla", true),
    ("hwb", false),
    ("lab", false),
    ("lch", false),
    ("oklab", false),
    ("oklch", false),
];

/// The color spaces of `color()`.
const SPACES: [&str; 9] =
    ["srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz", "xyz-d50", "xyz-d65"];

/// Whether a text in lower case is a function of CSS Color 4 with three numbers, and a fourth for the opacity.
fn is_function(code: &str) -> bool {
    let Some((name, arguments)) = code.strip_suffix(')').and_then(|code| code.split_once('(')) else { return false };
    let numbers = match name {
        "color" => {
            let Some((space, numbers)) = arguments.trim().split_once(char::is_whitespace) else { return false };
            if !SPACES.contains(&space) {
                return false;
            }
            numbers
        }
        name => {
            let Some((_, with_commas)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else { return false };
            if *with_commas && arguments.contains(',') {
                let parts: Vec<&str> = arguments.split(',').map(str::trim).collect();
                return matches!(parts.len(), 3 | 4) && parts.into_iter().all(is_component);
            }
            arguments
        }
    };
    let (numbers, opacity) = match numbers.split_once('/') {
        Some((numbers, opacity)) => (numbers, Some(opacity.trim())),
        None => (numbers, None),
    };
    let parts: Vec<&str> = numbers.split_whitespace().collect();
    parts.len() == 3 && parts.into_iter().chain(opacity).all(is_component)
}

/// Whether a text is a number, a percentage, an angle, or `none`.
fn is_component(text: &str) -> bool {
    let number = ["%", "deg", "grad", "rad", "turn"].iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text);
    let is_number = || {
        let starts = number.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
        starts && number.parse::<f64>().is_ok_and(f64::is_finite)
    };
    text == "none" || is_number()
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
        for code in ["#ff", "#ggg", "banana", ""] {
            assert_eq!(Color::of(code), Color::Unknown, "{code}");
        }
    }

    #[test]
    fn functions_of_css_color_4_are_plain() {
        for code in [
            "rgb(0 0 0 / 50%)",
            "rgb(1, 2, 3)",
            "RGBA(1,2,3,.5)",
            "hsl(120deg 50% 50%)",
            "hsla(120, 50%, 50%, 0.3)",
            "hwb(0.5turn 10% 20% / 1)",
            "lab(29% 39.4 -20)",
            "lch(none 30 +120)",
            "oklab(0.4 0.1 1e-2)",
            "oklch( 40% 0.1 20 / none )",
            "color(display-p3 1 0.5 0/.4)",
        ] {
            assert_eq!(Color::of(code), Color::Plain, "{code}");
        }
        for code in [
            "rgb(1 2)",
            "rgb(a b c)",
            "hwb(1, 2, 3)",
            "color(1 2 3)",
            "color(fogra 1 2 3)",
            "rgb(1 2 3",
            "rgb(inf 0 0)",
        ] {
            assert_eq!(Color::of(code), Color::Unknown, "{code}");
        }
    }

    #[test]
    fn whatever_may_fetch_is_dangerous() {
        for code in [
            "url(https://evil.example/x)",
            "URL( x )",
            "u\\72l(x)",
            "var(--x)",
            "image-set('x')",
            "rgb(0 0 var(--x))",
            "r/**/ed",
        ] {
            assert_eq!(Color::of(code), Color::Dangerous, "{code}");
        }
    }
}
