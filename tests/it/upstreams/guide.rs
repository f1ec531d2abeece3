//! The sections of `docs/guides/upstreams.md`, which are to be copied.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use citewire::clock::{CountingIds, SystemClock};
use citewire::egress::EgressOptions;
use citewire::secret_source::SecretSource;
use citewire::upstream::{Surroundings, UpstreamOptions};

/// The TOML blocks of the page.
fn blocks() -> Vec<toml::Table> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/upstreams.md"))
        .expect("the page");
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(|block| toml::from_str(block).unwrap_or_else(|error| panic!("{error}\n{block}"))).collect()
}

#[test]
fn every_section_of_the_guide_opens() {
    let names = [
        "OPENAI_API_KEY",
        "AZURE_OPENAI_KEY",
        "AZURE_SEARCH_KEY",
        "GEMINI_API_KEY",
        "ANTHROPIC_API_KEY",
        "PERPLEXITY_API_KEY",
        "OPEN_WEBUI_KEY",
        "HR_SERVICE_KEY",
        "GATEWAY_KEY",
    ];
    let environment = names.into_iter().map(|name| (name.to_owned(), "a-key".to_owned())).collect::<BTreeMap<_, _>>();
    let secrets = SecretSource::of_environment(environment);
    let egress = EgressOptions::default();
    let mut kinds = BTreeSet::new();
    for block in blocks() {
        let assistants = block["assistants"].as_table().expect("assistants");
        for (name, assistant) in assistants {
            let mut section = assistant["upstream"].as_table().expect("an upstream").clone();
            let kind = section.remove("kind").expect("a kind");
            let kind = kind.as_str().expect("a text");
            let options = UpstreamOptions::read(kind, section).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            let surroundings = Surroundings {
                formats: citewire::ingest::Mappings::default(),
                secrets: &secrets,
                may_call_private_hosts: true,
                egress: &egress,
                clock: Arc::new(SystemClock),
                ids: Arc::new(CountingIds::default()),
            };
            let opened = options.open(&surroundings);
            assert!(opened.is_ok(), "{name}: {:?}", opened.err());
            kinds.insert(kind.to_owned());
        }
    }
    assert_eq!(kinds, UpstreamOptions::KINDS.map(str::to_owned).into());
}
