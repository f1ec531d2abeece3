//! The table of all settings: name, type, default, meaning and target of each.
//!
//! From here come the rows in `docs/reference/settings.md`, the schema, the help of options, the defaults and the keys that are known.

/// A row: how its text is read, and where the value goes.
macro_rules! row {
    ($kind:expr, $key:literal, $default:expr, $meaning:literal, $read:expr, $set:expr) => {
        super::Setting {
            key: $key,
            kind: $kind,
            default: $default,
            meaning: $meaning,
            apply: |raw, text| {
                super::put(raw, $read(text)?, $set);
                Ok(())
            },
        }
    };
}

macro_rules! text {
    ($key:literal, $default:expr, $meaning:literal, $set:expr) => {
        text!($key, $default, $meaning, super::reading::parsed, $set)
    };
    ($key:literal, $default:expr, $meaning:literal, $read:expr, $set:expr) => {
        row!(super::ValueKind::Text, $key, $default, $meaning, $read, $set)
    };
}

macro_rules! choice {
    ($key:literal, $default:expr, $meaning:literal, $words:expr, $set:expr) => {
        row!(super::ValueKind::Choice($words), $key, $default, $meaning, super::reading::parsed, $set)
    };
}

macro_rules! flag {
    ($key:literal, $default:expr, $meaning:literal, $set:expr) => {
        row!(super::ValueKind::Flag, $key, $default, $meaning, super::reading::parsed, $set)
    };
}

macro_rules! number {
    ($key:literal, $default:expr, $meaning:literal, $least:literal.., $set:expr) => {
        row!(
            super::ValueKind::Number { least: $least, most: None },
            $key,
            $default,
            $meaning,
            |text| super::reading::at_least(text, $least),
            $set
        )
    };
    ($key:literal, $default:expr, $meaning:literal, $least:literal..=$most:expr, $set:expr) => {
        row!(
            super::ValueKind::Number { least: $least, most: Some($most) },
            $key,
            $default,
            $meaning,
            |text| super::reading::within(text, $least, $most),
            $set
        )
    };
}

macro_rules! list {
    ($key:literal, $default:expr, $meaning:literal, $read:expr, $set:expr) => {
        row!(super::ValueKind::List, $key, $default, $meaning, $read, $set)
    };
}

macro_rules! secret {
    ($key:literal, $default:expr, $meaning:literal, $set:expr) => {
        secret!($key, $default, $meaning, super::reading::secret, $set)
    };
    ($key:literal, $default:expr, $meaning:literal, $read:expr, $set:expr) => {
        row!(super::ValueKind::Secret, $key, $default, $meaning, $read, $set)
    };
}

mod azure_bot;
mod bot;
mod bus;
mod direct_line;
mod outgoing;
mod reading;
mod server;
mod store;

use super::raw_config::RawConfig;
use super::setting::{DefaultValue, Setting, ValueKind};

/// All settings, in the order of the documentation.
pub fn settings() -> impl Iterator<Item = &'static Setting> {
    [
        server::SETTINGS,
        store::SETTINGS,
        bus::SETTINGS,
        direct_line::SETTINGS,
        bot::SETTINGS,
        azure_bot::SETTINGS,
        outgoing::SETTINGS,
    ]
    .into_iter()
    .flatten()
}

/// The setting with this key, which a command has an option for.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn setting(key: &str) -> &'static Setting {
    settings().find(|setting| setting.key == key).expect("options are named after settings")
}

/// The configuration when nothing is set: the values that settings name, and for the others the default of each module.
pub(super) fn defaults() -> RawConfig {
    let mut raw = RawConfig::blank();
    for setting in settings() {
        if let DefaultValue::Is(value) = setting.default {
            (setting.apply)(&mut raw, value).expect("a default is one of the values that its setting takes");
        }
    }
    raw
}

/// Sets a value. Its signature tells the compiler what the closures of the rows take.
fn put<T>(raw: &mut RawConfig, value: T, set: impl FnOnce(&mut RawConfig, T)) {
    set(raw, value);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::setting::environment_name;
    use super::*;

    #[test]
    fn the_documented_names_in_the_environment_are_the_real_ones() {
        for (key, name) in [
            ("api_key", "CITEWIRE_API_KEY"),
            ("direct_line.secret", "CITEWIRE_DIRECT_LINE_SECRET"),
            ("data_dir", "CITEWIRE_DATA_DIR"),
            ("bind", "CITEWIRE_BIND"),
            ("store.url", "CITEWIRE_STORE_URL"),
            ("webchat_js", "CITEWIRE_WEBCHAT_JS"),
        ] {
            assert_eq!(environment_name(setting(key).key), name);
        }
    }

    /// Rewritten with `CITEWIRE_UPDATE=1`.
    #[test]
    fn the_rows_in_the_documentation_are_those_of_the_settings() {
        const HEAD: &str = "| key in the file | in the environment | default | what it does |\n|---|---|---|---|\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/settings.md");
        let kept = std::fs::read_to_string(&path).expect("docs/reference/settings.md");
        let (before, table) = kept.split_once(HEAD).expect("the head of the table");
        let (_, after) = table.split_once("\n\n").expect("something after the table");
        let rows: Vec<String> = settings().map(row).collect();
        let rebuilt = format!("{before}{HEAD}{}\n\n{after}", rows.join("\n"));
        if std::env::var_os("CITEWIRE_UPDATE").is_some() {
            std::fs::write(&path, &rebuilt).expect("written");
        } else {
            assert!(kept == rebuilt, "docs/reference/settings.md is out of date: run the tests with CITEWIRE_UPDATE=1");
        }
    }

    fn row(setting: &Setting) -> String {
        let default = match setting.default {
            DefaultValue::Is(value) => format!("`{value}`"),
            DefaultValue::Said(words) => words.to_owned(),
        };
        format!("| `{}` | `{}` | {default} | {} |", setting.key, environment_name(setting.key), setting.meaning)
    }

    /// Rooms have defaults of their own, for those who use them without a configuration.
    #[test]
    fn defaults_are_those_of_the_rooms() {
        let raw = defaults();
        let rooms = RawConfig {
            limits: Default::default(),
            log_format: Default::default(),
            store: Default::default(),
            bus: Default::default(),
            direct_line: Default::default(),
            embed: Default::default(),
            direct_line_client: Default::default(),
            bot: Default::default(),
            azure_bot: Default::default(),
            egress: Default::default(),
            ..raw.clone()
        };
        assert_eq!(format!("{raw:?}"), format!("{rooms:?}"));
    }

    #[test]
    fn a_setting_takes_what_its_kind_says() {
        let takes = |setting: &Setting, text: &str| (setting.apply)(&mut defaults(), text).is_ok();
        for setting in settings() {
            match setting.kind {
                ValueKind::Choice(words) => {
                    assert!(words.iter().all(|word| takes(setting, word)), "{}", setting.key);
                    assert!(!takes(setting, "another"), "{}", setting.key);
                }
                ValueKind::Flag => assert!(takes(setting, "true") && takes(setting, "false"), "{}", setting.key),
                ValueKind::Number { least, most } => {
                    assert!(takes(setting, &least.to_string()), "{}", setting.key);
                    assert!(most.is_none_or(|most| takes(setting, &most.to_string())), "{}", setting.key);
                    assert!(most.is_none_or(|most| !takes(setting, &(most + 1).to_string())), "{}", setting.key);
                }
                ValueKind::Text | ValueKind::List | ValueKind::Secret => {}
            }
        }
    }
}
