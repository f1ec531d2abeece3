//! Settings of the image and of `compose.yaml`, tried with the program outside of a container.

use std::collections::BTreeMap;
use std::path::Path;

use citewire::config::{Config, ConfigSources};
use reqwest::StatusCode;
use serde_json::Value;

use crate::app::{Serving, citewire};

const API_KEY: &str = "the-key-of-the-person-who-composes";
const OPEN_WEBUI_KEY: &str = "the-key-of-open-webui-in-the-composition";
const DB_PASSWORD: &str = "the-password-of-the-person-who-composes";
const DIRECT_LINE_SECRET: &str = "the-secret-of-the-person-who-composes";

/// The settings that the head of `compose.yaml` names for those who use its profiles, with their password filled in.
fn of_profiles() -> BTreeMap<String, String> {
    let text = file("compose.yaml");
    let (_, told) = text.split_once("# The profile postgresql").expect("what to set");
    let lines =
        told.lines().skip(1).take_while(|line| line.starts_with('#')).filter_map(|line| line.strip_prefix("#     "));
    let pairs = lines.map(|line| line.split_once('=').expect("a name and a value"));
    pairs.map(|(name, value)| (name.to_owned(), value.replace('…', DB_PASSWORD))).collect()
}

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/container").join(name);
    std::fs::read_to_string(path).expect(name)
}

/// The variables of the Dockerfile, with any free port in the place of its own.
fn of_image() -> BTreeMap<String, String> {
    let text = file("Dockerfile").replace("\\\n", " ");
    let line = text.lines().find_map(|line| line.strip_prefix("ENV ")).expect("variables");
    let mut set: BTreeMap<String, String> =
        line.split_whitespace().filter_map(|word| word.split_once('=')).map(|(n, v)| (n.into(), v.into())).collect();
    assert_eq!(set.insert("CITEWIRE_BIND".to_owned(), "0.0.0.0:0".to_owned()).as_deref(), Some("0.0.0.0:3978"));
    // The volume; a test has a folder of its own.
    let folder = set.remove("CITEWIRE_DATA_DIR").expect("a folder");
    assert!(text.contains(&format!("\nVOLUME {folder}\n")) && text.contains("\nEXPOSE 3978\n"), "{text}");
    set
}

/// The variables of a service of `compose.yaml`, with those of the person who starts it filled in.
fn of_compose(service: &str) -> BTreeMap<String, String> {
    let text = file("compose.yaml");
    let (_, service) = text.split_once(&format!("\n  {service}:\n")).expect("the service");
    let (_, variables) = service.split_once("\n    environment:\n").expect("variables");
    let lines = variables.lines().take_while(|line| line.starts_with("      "));
    let pairs = lines.map(str::trim).filter(|line| !line.starts_with('#'));
    let pairs = pairs.map(|line| line.split_once(": ").expect("a name and a value"));
    let mut set: BTreeMap<String, String> =
        pairs.map(|(name, value)| (name.to_owned(), filled_in(value.trim_matches('"')))).collect();
    if let Some(config) = set.get_mut("CITEWIRE_CONFIG") {
        // The file beside it, where the container has it.
        assert!(text.contains(&format!("- ./citewire.toml:{config}:ro\n")), "{config}");
        *config = format!("{}/packaging/container/citewire.toml", env!("CARGO_MANIFEST_DIR"));
    }
    set
}

/// A value with its `${NAME:-ELSE}` and `${NAME:?WHY}` filled in.
fn filled_in(value: &str) -> String {
    let Some((before, rest)) = value.split_once("${") else { return value.to_owned() };
    let (name, after) = rest.split_once('}').expect("an end");
    let given = match name.split_once(':').map_or(name, |(name, _)| name) {
        "CITEWIRE_API_KEY" => API_KEY,
        "CITEWIRE_DIRECT_LINE_SECRET" => DIRECT_LINE_SECRET,
        "CITEWIRE_HOST" => "chat.contoso.example",
        "OPEN_WEBUI_KEY" => OPEN_WEBUI_KEY,
        "CITEWIRE_DB_PASSWORD" | "CITEWIRE_BUS_PASSWORD" => DB_PASSWORD,
        // These settings are optional.
        _ if name.ends_with(":-") => "",
        other => panic!("nobody is told to set {other}"),
    };
    format!("{before}{given}{}", filled_in(after))
}

/// Outside of a loopback address citewire makes no secrets, so that an image that is started alone says what it wants.
#[test]
fn the_image_alone_asks_for_its_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = citewire(&["serve"]);
    command.envs(of_image()).env("CITEWIRE_DATA_DIR", folder.path());
    let output = command.output().expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("CITEWIRE_API_KEY"), "{said}");
}

#[tokio::test]
async fn compose_starts_a_healthy_server_that_open_webui_and_the_proxy_reach() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut set = of_image();
    set.extend(of_compose("citewire"));
    let pairs: Vec<(&str, &str)> = set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let serving = Serving::start_at_address_of(&pairs, folder.path());
    assert!(!serving.said.iter().any(|line| line.starts_with("warning: ")), "{:?}", serving.said);
    let port = serving.url.rsplit(':').next().expect("a port").to_owned();

    assert!(file("Dockerfile").contains(r#" CMD ["citewire", "healthcheck"]"#));
    let healthy = citewire(&["healthcheck"]).env("CITEWIRE_BIND", format!("0.0.0.0:{port}")).output();
    assert!(healthy.expect("the command runs").status.success());

    let url = format!("http://127.0.0.1:{port}");
    let client = reqwest::Client::builder().build().expect("a client");
    let status = async |request: reqwest::RequestBuilder| request.send().await.expect("an answer").status();
    let open_webui = of_compose("open-webui");
    assert_eq!(open_webui["OPENAI_API_BASE_URL"], "http://citewire:3978/v1");
    let models = client.get(format!("{url}/v1/models")).header("host", "citewire:3978");
    assert_eq!(status(models.bearer_auth(&open_webui["OPENAI_API_KEY"])).await, StatusCode::OK);
    let assistants = client.get(format!("{url}/v1/assistants")).header("host", "citewire:3978");
    assert_eq!(status(assistants.bearer_auth(&open_webui["OPENAI_API_KEY"])).await, StatusCode::FORBIDDEN);

    // Caddy passes on the name that readers use, and how they came.
    let page = |host: &str| {
        let request = client.get(&url).header("host", host).header("x-forwarded-host", host);
        request.header("x-forwarded-proto", "https").header("x-forwarded-for", "198.51.100.7")
    };
    assert_eq!(status(page("chat.contoso.example")).await, StatusCode::OK);
    assert_eq!(status(page("evil.example")).await, StatusCode::MISDIRECTED_REQUEST);
}

/// A server that is started by Compose is told of the database and of the bus by the names of their services.
#[test]
fn the_profiles_bring_the_database_and_the_bus_that_the_server_is_told_of() {
    let mut environment = of_image();
    environment.extend(of_compose("citewire"));
    environment.insert("CITEWIRE_DATA_DIR".to_owned(), "/var/lib/citewire".to_owned());
    let told = of_profiles();
    for (name, value) in &told {
        assert!(file("compose.yaml").contains(&format!("${{{name}:-}}")), "{name} reaches nobody");
        if environment.contains_key(name) {
            environment.insert(name.clone(), value.clone());
        }
    }
    let config = Config::load(&ConfigSources { environment, ..ConfigSources::default() }).expect("a configuration");
    let place = format!("{:?}", config.store.location(Path::new("")).expect("a place"));
    let compose: Value = serde_saphyr::from_str(&file("compose.yaml")).expect("YAML");
    let database = &compose["services"]["postgresql"];
    assert_eq!(of_compose("postgresql")["POSTGRES_PASSWORD"], told["CITEWIRE_DB_PASSWORD"]);
    for (variable, expected) in [("POSTGRES_USER", "citewire"), ("POSTGRES_DB", "citewire")] {
        assert_eq!(database["environment"][variable], expected);
    }
    assert_eq!(told["CITEWIRE_STORE_URL"], format!("postgres://citewire:{DB_PASSWORD}@postgresql/citewire"));
    assert!(place.contains("postgresql"), "{place}");
    let redis = &compose["services"]["redis"];
    assert_eq!(of_compose("redis")["REDIS_PASSWORD"], told["CITEWIRE_BUS_PASSWORD"]);
    assert_eq!(told["CITEWIRE_BUS_URL"], format!("redis://:{DB_PASSWORD}@redis"));
    assert!(redis["command"].to_string().contains("--requirepass") && redis["networks"] == serde_json::json!(["bus"]));
    assert_eq!(config.bus.address.map(|address| address.to_string()).as_deref(), Some("redis://redis"));
}
