use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use citewire::config::{Config, ConfigSources, environment_name, settings};
use citewire::http::ROUTES;
use serde_json::Value;

use crate::app::citewire;

/// The time that citewire takes at the end to record what it has accepted.
const RECORDING: Duration = Duration::from_secs(10);

/// The port of the image.
const PORT: u64 = 3978;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name)
}

fn file(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect(name)
}

/// The manifests that `kubectl apply -k` would send, by kind.
fn manifests() -> BTreeMap<String, Value> {
    let output = Command::new("kubectl").arg("kustomize").arg(path("kubernetes")).output();
    let output = output.expect("kubectl is missing: install it (Debian: `apt-get install kubernetes-client`)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let found: Vec<Value> = serde_saphyr::from_multiple(&text).expect("YAML");
    found.into_iter().map(|manifest| (manifest["kind"].as_str().expect("a kind").to_owned(), manifest)).collect()
}

/// The variables of a container, with a text for each that a Secret has.
fn variables(container: &Value) -> BTreeMap<String, String> {
    let variables = container["env"].as_array().expect("variables").iter().map(|variable| {
        let name = variable["name"].as_str().expect("a name");
        let secret = &variable["valueFrom"]["secretKeyRef"];
        let value = variable["value"].as_str().map(str::to_owned);
        let value = value.unwrap_or_else(|| {
            assert_eq!(secret["name"], "citewire", "the Secret that the first lines tell how to make");
            let key = secret["key"].as_str().expect("a key");
            assert!(file("kubernetes/kustomization.yaml").contains(&format!("--from-literal={key}=")), "{key}");
            secret_text(name)
        });
        (name.to_owned(), value)
    });
    variables.collect()
}

/// The secret that a reader who follows the first lines of a file puts there.
fn secret_text(name: &str) -> String {
    match name {
        "CITEWIRE_STORE_URL" => "postgres://citewire:a-password@db-a,db-b/citewire?sslmode=verify-full".to_owned(),
        name => format!("the-text-of-{name}"),
    }
}

fn assert_are_settings<'a>(names: impl IntoIterator<Item = &'a String>) {
    let known: BTreeSet<String> = settings().map(|setting| environment_name(setting.key)).collect();
    for name in names {
        assert!(known.contains(name) || name == "CITEWIRE_CONFIG", "{name} is no setting");
    }
}

/// Whether the command takes these arguments.
fn assert_are_arguments(arguments: &Value) {
    let arguments: Vec<&str> = arguments.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let output = citewire(&[&arguments[..], &["--help"]].concat()).output().expect("the command runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_pod_starts_with_settings_that_exist_and_gets_the_time_that_it_needs_to_end() {
    let manifests = manifests();
    let pod = &manifests["Deployment"]["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let configuration = &manifests["ConfigMap"];
    assert_eq!(pod["volumes"][0]["configMap"]["name"], configuration["metadata"]["name"]);
    let mut environment = variables(container);
    assert_are_settings(environment.keys());
    assert_are_arguments(&container["args"]);
    let mounted = container["volumeMounts"][0]["mountPath"].as_str().expect("a folder");
    let name = environment.remove("CITEWIRE_CONFIG").expect("a configuration");
    let text = configuration["data"][name.strip_prefix(&format!("{mounted}/")).expect("a file of the volume")].as_str();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("citewire.toml");
    std::fs::write(&file, text.expect("a text")).expect("written");
    environment.insert("CITEWIRE_BIND".to_owned(), format!("0.0.0.0:{PORT}"));
    let config =
        Config::load(&ConfigSources { file: Some(file), environment, flags: Vec::new() }).expect("a configuration");
    assert!(config.announcements.is_empty(), "{:?}", config.announcements);

    let sleep = &container["lifecycle"]["preStop"]["exec"]["command"];
    assert_eq!(sleep[0], "sleep");
    let sleep = Duration::from_secs(sleep[1].as_str().and_then(|seconds| seconds.parse().ok()).expect("seconds"));
    let needed = sleep + config.http.drain + config.http.shutdown_grace + RECORDING;
    assert_eq!(pod["terminationGracePeriodSeconds"], needed.as_secs());
    assert_eq!((&pod["enableServiceLinks"], &pod["automountServiceAccountToken"]), (&false.into(), &false.into()));
}

#[test]
fn probes_the_service_and_the_budget_find_the_pods() {
    let manifests = manifests();
    let deployment = &manifests["Deployment"]["spec"];
    let labels = &deployment["template"]["metadata"]["labels"];
    let container = &deployment["template"]["spec"]["containers"][0];
    assert_eq!(container["ports"][0]["containerPort"], PORT);
    assert!(file("container/Dockerfile").contains(&format!("\nEXPOSE {PORT}\n")));
    for probe in ["startupProbe", "readinessProbe"] {
        let asked = &container[probe]["httpGet"];
        assert!(ROUTES.iter().any(|route| route.method == "GET" && route.path == asked["path"]), "{probe}: {asked}");
        assert_eq!(asked["port"], container["ports"][0]["name"], "{probe}");
    }
    let service = &manifests["Service"]["spec"];
    assert_eq!(service["ports"][0]["targetPort"], container["ports"][0]["name"]);
    let spread = &deployment["template"]["spec"]["topologySpreadConstraints"][0];
    let budget = &manifests["PodDisruptionBudget"]["spec"];
    for selector in [&deployment["selector"]["matchLabels"], &spread["labelSelector"]["matchLabels"]] {
        assert_eq!(selector, labels);
    }
    assert_eq!((&budget["selector"]["matchLabels"], &service["selector"]), (labels, labels));
    assert_ne!(&manifests["Job"]["spec"]["template"]["metadata"]["labels"], labels, "the job takes no calls");
}

#[test]
fn an_upgrade_takes_no_node_away_before_another_one_is_ready() {
    let manifests = manifests();
    let deployment = &manifests["Deployment"]["spec"];
    let update = &deployment["strategy"]["rollingUpdate"];
    assert_eq!((&update["maxSurge"], &update["maxUnavailable"]), (&1.into(), &0.into()));
    assert_eq!(deployment["replicas"], 3);
    let job = &manifests["Job"]["spec"]["template"]["spec"];
    let (migrating, serving) = (&job["containers"][0], &deployment["template"]["spec"]["containers"][0]);
    assert_are_arguments(&migrating["args"]);
    let migrating_variables = variables(migrating);
    assert_are_settings(migrating_variables.keys());
    assert_eq!(migrating["image"], serving["image"]);
    for container in [migrating, serving] {
        let context = &container["securityContext"];
        assert_eq!(
            (&context["readOnlyRootFilesystem"], &context["allowPrivilegeEscalation"]),
            (&true.into(), &false.into())
        );
    }
}

/// The variables of each node of `compose.yaml`, with those of the person who starts it filled in.
fn nodes(compose: &Value) -> BTreeMap<String, BTreeMap<String, String>> {
    let services = compose["services"].as_object().expect("services");
    let nodes = services.iter().filter(|(_, service)| service["image"] == "citewire").map(|(name, service)| {
        let variables = service["environment"].as_object().expect("variables");
        let variables = variables.iter().map(|(name, value)| (name.clone(), filled_in(value.as_str().expect("text"))));
        assert_eq!(service["hostname"], **name, "by which the table of nodes names it");
        (name.clone(), variables.collect())
    });
    nodes.collect()
}

/// A value with its `${NAME:?WHY}` filled in.
fn filled_in(value: &str) -> String {
    let Some((before, rest)) = value.split_once("${") else { return value.to_owned() };
    let (name, after) = rest.split_once('}').expect("an end");
    let name = name.split(':').next().expect("a name");
    assert!(file("cluster/compose.yaml").contains(&format!("#     {name}=…")), "nobody is told to set {name}");
    format!("{before}{}{}", secret_text(name), filled_in(after))
}

#[test]
fn compose_starts_nodes_that_are_alike_and_that_nginx_knows() {
    let compose: Value = serde_saphyr::from_str(&file("cluster/compose.yaml")).expect("YAML");
    let nodes = nodes(&compose);
    assert_eq!(nodes.len(), 3);
    let environment = &nodes["citewire-1"];
    assert!(nodes.values().all(|other| other == environment));
    assert_are_settings(environment.keys());
    let mut environment = environment.clone();
    environment.insert("CITEWIRE_BIND".to_owned(), format!("0.0.0.0:{PORT}"));
    let config = Config::load(&ConfigSources { environment, ..ConfigSources::default() }).expect("a configuration");
    let grace = config.http.drain + config.http.shutdown_grace + RECORDING;
    assert_eq!(compose["services"]["citewire-1"]["stop_grace_period"], format!("{}s", grace.as_secs()));

    let nginx = file("cluster/nginx.conf");
    let servers = nginx.lines().filter_map(|line| line.trim().strip_prefix("server citewire-"));
    let servers: Vec<String> =
        servers.map(|rest| format!("citewire-{}", rest.split(' ').next().expect("an address"))).collect();
    assert_eq!(servers, nodes.keys().map(|name| format!("{name}:{PORT}")).collect::<Vec<_>>());
    // nginx listens on port 80 inside, and readers find it at the public URL.
    assert_eq!(compose["services"]["nginx"]["ports"][0], "127.0.0.1:8080:80");
    assert_eq!(nodes["citewire-1"]["CITEWIRE_PUBLIC_URL"], "http://localhost:8080");
    assert!(nginx.contains("\n    listen 80;\n"));
    assert!(config.store.is_shared());
    for database in ["db-a", "db-b"] {
        assert!(config.store.location(Path::new("")).is_ok_and(|place| format!("{place:?}").contains(database)));
        assert_eq!(compose["services"][database]["environment"]["NAME"], database);
    }
}

/// The expression by which nginx finds the conversation in a path finds it in every route that names one.
#[test]
fn nginx_finds_the_conversation_in_every_route_that_names_one() {
    let nginx = file("cluster/nginx.conf");
    let line = nginx.lines().find_map(|line| line.trim().strip_prefix("~/")).expect("an expression");
    let expression = format!("/{}", line.split_whitespace().next().expect("an expression"));
    let expression = regex::Regex::new(&expression).expect("an expression");
    let mut found = 0;
    for route in ROUTES.iter().filter(|route| route.path.contains("conversations/{id}")) {
        let path = route.path.replace("{id}", "msteams:19:abc@thread.tacv2");
        let conversation = expression.captures(&path).map(|found| found["conversation"].to_owned());
        assert_eq!(conversation.as_deref(), Some("msteams:19:abc@thread.tacv2"), "{}", route.path);
        found += 1;
    }
    assert!(found > 10, "{found}");
}
