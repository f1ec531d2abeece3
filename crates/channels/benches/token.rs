//! What it costs to check the token of a caller whose key is known.
//!
//!     cargo bench --package citewire-channels --bench token

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use citewire_base::clock::{Clock as _, SystemClock};
use citewire_base::egress::{Client, EgressOptions};
use citewire_channels::azure_bot::auth::{AuthOptions, Caller, Unauthorized, Verifier};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use uuid::Uuid;

const APP: Uuid = Uuid::from_u128(0x7d0a_c3e4_2b5c_4f0f_9d34_0d3f_3ab1_c8a1);
const SERVICE_URL: &str = "https://smba.trafficmanager.net/teams/";

/// A signed token in an `Authorization` header.
fn token(key: &RsaKeyPair, issuer: &str) -> String {
    let now = SystemClock.now().timestamp();
    let header = json!({"alg": "RS256", "kid": "bench-key-00", "typ": "JWT", "x5t": "bench-key-00"});
    let claims = json!({
        "serviceurl": SERVICE_URL, "nbf": now, "exp": now + 3600, "iss": issuer, "aud": APP.to_string(),
    });
    let message =
        format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()));
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature).expect("a signature");
    format!("Bearer {message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// The key as it is published, among as many others as the Bot Connector has.
fn keys(key: &RsaKeyPair) -> Value {
    let components = RsaPublicKeyComponents::<Vec<u8>>::from(key.public_key());
    let (modulus, exponent) = (URL_SAFE_NO_PAD.encode(components.n), URL_SAFE_NO_PAD.encode(components.e));
    let channels = ["msteams", "webchat", "directline", "emulator", "skype", "email", "slack", "telegram"];
    let published = |number| {
        let id = format!("bench-key-{number:02}");
        json!({"kty": "RSA", "use": "sig", "kid": id, "n": modulus, "e": exponent, "endorsements": channels})
    };
    json!({"keys": (0..20).map(published).collect::<Vec<_>>()})
}

/// Publishes metadata and keys, each once; returns where the metadata is.
fn publish(keys: &Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let documents = [json!({"jwks_uri": format!("{base}/keys")}).to_string(), keys.to_string()];
    std::thread::spawn(move || {
        for document in documents {
            let (mut stream, _) = listener.accept().expect("a connection");
            let head = BufReader::new(&stream).lines().map(|line| line.expect("a request"));
            assert!(head.take_while(|line| !line.is_empty()).count() > 0, "there is a request");
            let length = document.len();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{document}")
                .expect("an answer");
        }
    });
    format!("{base}/metadata")
}

fn verifications(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let key = RsaKeyPair::generate(KeySize::Rsa2048).expect("a key");
    let mut options = AuthOptions { app_id: Some(APP), ..AuthOptions::default() };
    options.addresses.channel_metadata = publish(&keys(&key)).parse().expect("a URL");
    let egress = EgressOptions { allow: "127.0.0.1".parse().expect("a host"), ..EgressOptions::default() };
    let verifier = Verifier::new(options, Client::new(egress).expect("a client"), Arc::new(SystemClock));
    let verify = async |token: &str| verifier.verify(Some(token), Some("msteams"), Some(SERVICE_URL)).await;
    runtime.block_on(verifier.keep_fresh());

    let good = token(&key, "https://api.botframework.com");
    assert_eq!(runtime.block_on(verify(&good)), Ok(Caller::Channel));
    let mut group = criterion.benchmark_group("token");
    group.bench_function("good", |bencher| bencher.iter(|| runtime.block_on(verify(black_box(&good)))));

    // Everything up to the key: what a token costs that is no good.
    let foreign = token(&key, "https://issuer.example");
    assert_eq!(runtime.block_on(verify(&foreign)), Err(Unauthorized::UnknownIssuer));
    group.bench_function("unknown issuer", |bencher| bencher.iter(|| runtime.block_on(verify(black_box(&foreign)))));
    group.finish();
}

criterion_group!(benches, verifications);
criterion_main!(benches);
