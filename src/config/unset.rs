//! Settings that have to be set where others reach the server, or other nodes serve its conversations too.

use super::error::{ConfigFault, FaultOrigin};
use super::raw_config::RawConfig;
use super::setting::environment_name;

pub(super) const API_KEY: &str = "api_key";
/// The file with the API key that the server makes where none is set.
pub(super) const KEY_FILE: &str = "api-key";
pub(super) const DIRECT_LINE_SECRET: &str = "direct_line.secret";
pub(super) const BOT_SECRET: &str = "bot.secret";

/// The secrets that are not set, and the files that may hold them.
pub(super) fn missing_secrets(raw: &RawConfig) -> Vec<(&'static str, &'static str)> {
    let has_bot = raw.bot.endpoint.is_some();
    [
        (API_KEY, KEY_FILE, raw.api_key.is_none()),
        (DIRECT_LINE_SECRET, "direct-line-secret", raw.direct_line_secret.is_none()),
        (BOT_SECRET, "bot-secret", has_bot && raw.bot.secret.is_none()),
    ]
    .into_iter()
    .filter(|(_, _, is_missing)| *is_missing)
    .map(|(key, file, _)| (key, file))
    .collect()
}

/// The settings that must be there before the server may start. A database is served by several nodes, to which a
/// secret that one of them has made, and the address by which it was called, mean nothing.
pub(super) fn required(raw: &RawConfig, missing_secrets: &[(&'static str, &str)]) -> Option<ConfigFault> {
    let is_shared = raw.store.is_shared();
    let mut keys: Vec<&str> = missing_secrets.iter().map(|(key, _)| *key).collect();
    keys.extend((is_shared && raw.public_url.is_none()).then_some("public_url"));
    if keys.is_empty() || (!is_shared && raw.bind.ip().is_loopback()) {
        return None;
    }
    let names: Vec<String> = keys.iter().map(|key| format!("{key} ({})", environment_name(key))).collect();
    let names = names.join(" and ");
    let reason = if is_shared {
        format!("several nodes may serve the database of store.url, and need the same values; set {names} first")
    } else {
        format!("{} is not a loopback address, so others can reach it; set {names} first", raw.bind)
    };
    Some(ConfigFault::new(FaultOrigin::Together, reason))
}
