//! Licence expressions, as far as cargo packages use them.

use std::iter::Peekable;
use std::vec::IntoIter;

/// Whether the expression can be met with accepted licences alone; `None` when it is no expression.
///
/// `A/B`, the old way to write `A OR B`, is understood, and `A+` (this version or a later one) is met by `A`.
/// `A WITH B` is put to `accepted` as one name.
pub(crate) fn allows(expression: &str, accepted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut tokens = tokens(expression).into_iter().peekable();
    let met = alternatives(&mut tokens, accepted)?;
    tokens.next().is_none().then_some(met)
}

fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

fn alternatives(tokens: &mut Peekable<IntoIter<String>>, accepted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = together(tokens, accepted)?;
    while tokens.next_if(|token| token == "OR").is_some() {
        // Both sides are read in any case: the rest of the expression has to make sense too.
        met |= together(tokens, accepted)?;
    }
    Some(met)
}

fn together(tokens: &mut Peekable<IntoIter<String>>, accepted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = single(tokens, accepted)?;
    while tokens.next_if(|token| token == "AND").is_some() {
        met &= single(tokens, accepted)?;
    }
    Some(met)
}

fn single(tokens: &mut Peekable<IntoIter<String>>, accepted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let token = tokens.next()?;
    if token == "(" {
        let met = alternatives(tokens, accepted)?;
        return tokens.next_if(|token| token == ")").map(|_| met);
    }
    if matches!(token.as_str(), ")" | "AND" | "OR" | "WITH") {
        return None;
    }
    if tokens.next_if(|token| token == "WITH").is_some() {
        let exception = tokens.next()?;
        return Some(accepted(&format!("{token} WITH {exception}")));
    }
    Some(accepted(token.strip_suffix('+').unwrap_or(&token)))
}

#[cfg(test)]
mod tests {
    use super::allows;

    fn judged(expression: &str) -> Option<bool> {
        allows(expression, &|name| matches!(name, "MIT" | "Apache-2.0" | "Apache-2.0 WITH LLVM-exception"))
    }

    #[test]
    fn one_accepted_alternative_is_enough() {
        assert_eq!(judged("MIT OR GPL-3.0"), Some(true));
        assert_eq!(judged("GPL-3.0/MIT"), Some(true));
        assert_eq!(judged("GPL-3.0 OR LGPL-3.0"), Some(false));
    }

    #[test]
    fn everything_joined_by_and_has_to_be_accepted() {
        assert_eq!(judged("MIT AND Apache-2.0"), Some(true));
        assert_eq!(judged("MIT AND GPL-3.0"), Some(false));
        assert_eq!(judged("(MIT OR GPL-3.0) AND Apache-2.0"), Some(true));
        assert_eq!(judged("MIT OR GPL-3.0 AND GPL-2.0"), Some(true));
    }

    #[test]
    fn an_exception_is_judged_with_its_licence() {
        assert_eq!(judged("Apache-2.0 WITH LLVM-exception"), Some(true));
        assert_eq!(judged("MIT WITH LLVM-exception"), Some(false));
    }

    #[test]
    fn or_later_is_met_by_the_version_itself() {
        assert_eq!(judged("Apache-2.0+"), Some(true));
        assert_eq!(judged("GPL-2.0+"), Some(false));
    }

    #[test]
    fn what_is_no_expression_is_not_judged() {
        for broken in ["", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "AND MIT", "MIT WITH"] {
            assert_eq!(judged(broken), None, "{broken}");
        }
    }
}
