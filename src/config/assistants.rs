//! Assistants: the sections `[assistants.NAME]` in the file, or the same as JSON in the environment.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::assistant_section::{Author, read};
use super::error::{ConfigFault, FaultOrigin};
use super::raw_config::RawConfig;
use crate::assistant::{AssistantPlan, DOCS, NamedAssistant};
use crate::secret_source::SecretSource;

/// The key of the sections in the file.
pub(super) const KEY: &str = "assistants";

/// The variable that holds assistants as JSON, in the shape of the file's sections: `{"hr": {"documents": {"folder":
/// "/srv/hr"}}}`.
pub(super) const VARIABLE: &str = "CITEWIRE_ASSISTANTS";

/// The sections from the environment.
pub(super) fn given(environment: &BTreeMap<String, String>, faults: &mut Vec<ConfigFault>) -> Table {
    let Some(text) = environment.get(VARIABLE).filter(|text| !text.trim().is_empty()) else {
        return Table::new();
    };
    let reason = match serde_json::from_str(text) {
        Ok(Value::Table(given)) => return given,
        Ok(_) => "an object is required: {\"NAME\": {…}}, with the keys of [assistants.NAME] in a file".to_owned(),
        Err(error) => format!("this cannot be read as JSON without null: {error}"),
    };
    faults.push(ConfigFault::new(FaultOrigin::Environment(VARIABLE.to_owned()), reason));
    Table::new()
}

/// Takes the assistants out of the file's table, without those of whose names some are given by the environment, and adds
/// these. Secrets stand in the environment, under the names that the sections give.
pub(super) fn take(
    table: &mut Table,
    given: Table,
    secrets: &SecretSource,
    faults: &mut Vec<ConfigFault>,
) -> Vec<AssistantPlan> {
    let in_file = match table.remove(KEY) {
        None => Table::new(),
        Some(Value::Table(sections)) => sections,
        Some(other) => {
            let reason = format!("sections are required ([assistants.NAME]), not a value of type {}", other.type_str());
            faults.push(ConfigFault::new(FaultOrigin::File(KEY.to_owned()), reason));
            Table::new()
        }
    };
    let in_file = in_file.into_iter().filter(|(name, _)| !given.contains_key(name)).collect::<Table>();
    let at = |parts: &[&str]| parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    let mut plans = Vec::new();
    for (name, section) in in_file {
        match read(&name, section, secrets, Author::Operator) {
            Ok(plan) => plans.push(plan),
            Err(wrong) => faults.extend(
                wrong
                    .into_iter()
                    .map(|(key, reason)| ConfigFault::new(FaultOrigin::File(at(&[KEY, &name, &key])), reason)),
            ),
        }
    }
    for (name, section) in given {
        match read(&name, section, secrets, Author::Operator) {
            Ok(plan) => plans.push(plan),
            Err(wrong) => faults.extend(wrong.into_iter().map(|(key, reason)| {
                ConfigFault::new(
                    FaultOrigin::Environment(VARIABLE.to_owned()),
                    format!("{}: {reason}", at(&[&name, &key])),
                )
            })),
        }
    }
    plans
}

/// The name of the assistant that answers on the channel itself.
pub(super) fn of_channel(
    wished: Option<&str>,
    plans: &[AssistantPlan],
    has_bot: bool,
) -> Result<Option<String>, String> {
    match wished {
        Some("none") => Ok(None),
        Some(_) if has_bot => {
            Err("a bot already answers on the channel: leave out assistant or bot.endpoint".to_owned())
        }
        // The name may be that of an assistant in the store.
        Some(name) => Ok(Some(name.to_owned())),
        None if has_bot => Ok(None),
        None => match plans {
            [] => Ok(Some(DOCS.to_owned())),
            [plan] => Ok(plan.secret.is_none().then(|| plan.name.clone())),
            _ => {
                let mut open = plans.iter().filter(|plan| plan.secret.is_none());
                match (open.next(), open.next()) {
                    (Some(only), None) => Ok(Some(only.name.clone())),
                    (None, _) => Ok(None),
                    (Some(_), Some(_)) => Err(format!(
                        "choose the assistant of the channel with assistant = \"…\": {}, or none",
                        known(plans)
                    )),
                }
            }
        },
    }
}

/// The settings that name an assistant. Whether it exists is known when the store is open.
pub(super) fn named(raw: &RawConfig) -> Vec<NamedAssistant> {
    let one = |setting: &'static str, name: &Option<String>| {
        let name = name.clone().filter(|name| name != "none")?;
        Some(NamedAssistant { setting, name })
    };
    let alone = [one("assistant", &raw.assistant), one("azure_bot.assistant", &raw.azure_bot.assistant)];
    let embedded =
        raw.embed.assistants.iter().map(|name| NamedAssistant { setting: "embed.assistants", name: name.clone() });
    alone.into_iter().flatten().chain(embedded).collect()
}

fn known(plans: &[AssistantPlan]) -> String {
    let names = plans.iter().map(|plan| plan.name.as_str()).chain([DOCS]);
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    names.join(", ")
}
