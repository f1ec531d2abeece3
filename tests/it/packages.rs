//! The app package for Teams and the skill manifest for Copilot Studio, held to the limits of their schemas.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The placeholder of the application id.
const PLACEHOLDER: &str = "00000000-0000-0000-0000-000000000000";

fn samples(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(folder)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// Width, height and the kind of colours from the head of a PNG file.
fn picture(path: &Path) -> (u32, u32, u8) {
    let bytes = fs::read(path).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && &bytes[12..16] == b"IHDR", "{} is no PNG", path.display());
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20), bytes[25])
}

#[test]
fn the_manifest_for_teams_keeps_the_limits_of_its_schema() {
    let folder = samples("teams");
    let manifest = json(&folder.join("manifest.json"));
    let version = manifest["manifestVersion"].as_str().expect("a version");
    assert!(manifest["$schema"].as_str().is_some_and(|schema| schema.contains(&format!("/v{version}/"))));
    for (pointer, most) in [
        ("/developer/name", 32),
        ("/name/short", 30),
        ("/name/full", 100),
        ("/description/short", 80),
        ("/description/full", 4000),
    ] {
        let text = manifest.pointer(pointer).and_then(Value::as_str).expect(pointer);
        assert!((1..=most).contains(&text.chars().count()), "{pointer}");
    }
    for address in ["websiteUrl", "privacyUrl", "termsOfUseUrl"] {
        assert!(manifest["developer"][address].as_str().is_some_and(|url| url.starts_with("https://")), "{address}");
    }
    assert_eq!((&manifest["id"], &manifest["bots"][0]["botId"]), (&PLACEHOLDER.into(), &PLACEHOLDER.into()));
    assert_eq!(manifest["bots"][0]["scopes"], serde_json::json!(["personal", "groupChat", "team"]));
}

#[test]
fn the_icons_for_teams_have_the_sizes_that_teams_takes() {
    let folder = samples("teams");
    let manifest = json(&folder.join("manifest.json"));
    // Red, green, blue, and how transparent: the outline has to be.
    for (icon, size) in [("color", 192), ("outline", 32)] {
        let file = folder.join(manifest["icons"][icon].as_str().expect("a file"));
        assert_eq!(picture(&file), (size, size, 6), "{icon}");
    }
}

#[test]
fn the_skill_manifest_has_what_version_2_2_requires_and_copilot_studio_takes() {
    let file = samples("copilot-studio").join("skill-manifest.json");
    // Copilot Studio reads 500 KB.
    assert!(fs::metadata(&file).expect("a file").len() < 500_000);
    let manifest = json(&file);
    assert_eq!(manifest["$schema"], "https://schemas.botframework.com/schemas/skills/v2.2/skill-manifest.json");
    for member in ["$id", "name", "version", "publisherName"] {
        assert!(manifest[member].as_str().is_some_and(|text| !text.is_empty()), "{member}");
    }
    let [endpoint] = manifest["endpoints"].as_array().expect("endpoints").as_slice() else { panic!("one endpoint") };
    assert_eq!((&endpoint["msAppId"], &endpoint["protocol"]), (&PLACEHOLDER.into(), &"BotFrameworkV3".into()));
    let url = endpoint["endpointUrl"].as_str().expect("an address");
    assert!(url.starts_with("https://") && url.ends_with("/api/messages"), "{url}");
    let types = |list: &str| -> Vec<String> {
        let activities = manifest[list].as_object().expect(list).values();
        activities.map(|activity| activity["type"].as_str().expect("a type").to_owned()).collect()
    };
    assert_eq!(types("activities"), ["message"]);
    assert_eq!(types("activitiesSent"), ["message", "endOfConversation"]);
}
