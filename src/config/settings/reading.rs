//! Parsers for the values of settings.

use std::fmt::Display;
use std::str::FromStr;

use crate::secret::Secret;
use crate::store::StoreOptions;

pub(in crate::config) fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

pub(in crate::config) fn at_least<T: FromStr<Err: Display> + PartialOrd + Display + Copy>(
    text: &str,
    least: T,
) -> Result<T, String> {
    let value = parsed(text)?;
    if value < least { Err(format!("a number of {least} or more is required")) } else { Ok(value) }
}

pub(in crate::config) fn within<T: FromStr<Err: Display> + PartialOrd + Display + Copy>(
    text: &str,
    least: T,
    most: T,
) -> Result<T, String> {
    let value = parsed(text)?;
    if value < least || value > most { Err(format!("a number from {least} to {most} is required")) } else { Ok(value) }
}

pub(in crate::config) fn secret(text: &str) -> Result<Secret, String> {
    Secret::parse(text).map_err(|error| error.to_string())
}

/// A secret that Azure has made, which alone answers for its length.
pub(super) fn issued(text: &str) -> Result<Secret, String> {
    Secret::issued(text).map_err(|error| error.to_string())
}

pub(super) fn user_id(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("a user id is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

pub(super) fn store_url(text: &str) -> Result<String, String> {
    let options = StoreOptions { url: text.to_owned(), ..StoreOptions::default() };
    options.validate().map_err(|error| error.to_string())?;
    Ok(options.url)
}

/// Names, separated by commas.
pub(super) fn names<T: FromIterator<String>>(text: &str) -> Result<T, String> {
    Ok(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}
