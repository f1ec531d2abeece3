//! Text that is no token. Nothing of it may get through, come back in words, or bring the service down.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use citewire::channels::azure_bot::auth::{TokenPart, Unauthorized, UnauthorizedKind};
use serde_json::{Value, json};

use super::publisher::CHANNEL_METADATA;
use super::scene::Scene;
use super::signing::{CHANNEL_KEY, unsigned};

fn header() -> Value {
    json!({"alg": "RS256", "kid": CHANNEL_KEY.id})
}

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

#[tokio::test]
async fn text_that_is_no_token_is_refused_before_any_key_is_looked_for() {
    let scene = Scene::new().await;
    let good = unsigned(&header(), &scene.channel_claims());
    let (head, claims) = good.split_once('.').expect("two parts");
    for text in [
        ".".to_owned(),
        "..".to_owned(),
        "...".to_owned(),
        "a.b.c".to_owned(),
        good.clone(),
        format!("{good}."),
        format!("{good}.AA.AA.AA"),
        format!(".{claims}.AA"),
        format!("{head}..AA"),
        format!("{head}=.{claims}.AA"),
        format!("{head}.{claims}=.AA"),
        format!("{head}.%20{claims}.AA"),
        format!("{}.{claims}.AA", encoded("not JSON")),
        format!("{}.{claims}.AA", encoded("\u{feff}{}")),
        format!("{}.{claims}.AA", encoded(&format!("{{\"alg\":{}", "[".repeat(5_000)))),
        format!("{head}.{}.AA", encoded("not JSON")),
        format!("{head}.{}.AA", encoded("\"text\"")),
        format!("{head}.{}.AA", encoded(r#"{"iss":{"a":1}}"#)),
        format!("{head}.{}.AA", encoded(&format!("{{\"iss\":{}", "[".repeat(5_000)))),
        format!("{}\u{e9}.{claims}.AA", &head[..4]),
        format!("{head}.{claims}.{}", "A".repeat(20_000)),
        "\0".to_owned(),
        "🔑.🔑.🔑".to_owned(),
    ] {
        let refusal = scene.call(&format!("Bearer {text}")).await.expect_err("it is no token");
        let is_about_its_form = matches!(refusal, Unauthorized::Malformed { .. } | Unauthorized::TooLong { .. });
        assert!(is_about_its_form, "{refusal:?}: {text}");
        assert_eq!(refusal.kind(), UnauthorizedKind::Unauthenticated);
    }
    assert_eq!(scene.publisher.count(CHANNEL_METADATA), 0);
}

#[tokio::test]
async fn a_signature_is_whole_or_wrong() {
    let scene = Scene::new().await;
    let token = CHANNEL_KEY.token(&scene.channel_claims());
    let (message, signature) = token.rsplit_once('.').expect("a signature");
    let bytes = URL_SAFE_NO_PAD.decode(signature).expect("base64url");
    let mut changed = bytes.clone();
    changed[200] ^= 1;
    let longer = [bytes.as_slice(), &[0]].concat();
    for bytes in [&bytes[..255], &longer, &changed, &[0; 256], &[0]] {
        let called = scene.call(&format!("{message}.{}", URL_SAFE_NO_PAD.encode(bytes))).await;
        assert_eq!(called, Err(Unauthorized::Signature), "{} bytes", bytes.len());
    }
    for signature in ["!", "A", &format!("{signature}="), &format!("{signature}\u{e9}")] {
        let called = scene.call(&format!("{message}.{signature}")).await;
        assert_eq!(called, Err(Unauthorized::Malformed { part: TokenPart::Signature }), "{signature}");
    }
}

#[tokio::test]
async fn claims_of_the_wrong_type_are_refused_though_they_are_signed() {
    let scene = Scene::new().await;
    for (claim, value) in [
        ("exp", json!("4102444800")),
        ("exp", json!([4_102_444_800_u64])),
        ("exp", json!(true)),
        ("nbf", json!("0")),
        ("aud", json!(7)),
        ("aud", json!({"app": "x"})),
        ("aud", json!([7])),
        ("serviceurl", json!(7)),
        ("serviceUrl", json!(["https://smba.trafficmanager.net/"])),
        ("tid", json!(7)),
        ("ver", json!(2.0)),
        ("azp", json!({})),
    ] {
        let called = scene.call_with(&CHANNEL_KEY, &scene.channel_with(claim, value.clone())).await;
        assert_eq!(called, Err(Unauthorized::Malformed { part: TokenPart::Claims }), "{claim}: {value}");
    }
}

#[tokio::test]
async fn numbers_beyond_reason_are_times_like_any_other() {
    let scene = Scene::new().await;
    for (claim, value, refusal) in [
        ("exp", json!(-1), Unauthorized::Expired),
        ("exp", json!(i64::MIN), Unauthorized::Expired),
        ("exp", json!(-1e300), Unauthorized::Expired),
        ("nbf", json!(u64::MAX), Unauthorized::NotYetValid),
        ("nbf", json!(1e300), Unauthorized::NotYetValid),
    ] {
        let called = scene.call_with(&CHANNEL_KEY, &scene.channel_with(claim, value.clone())).await;
        assert_eq!(called, Err(refusal), "{claim}: {value}");
    }
}

#[tokio::test]
async fn a_refusal_repeats_nothing_of_the_token() {
    let scene = Scene::new().await;
    let secret = "the-secret-of-the-caller";
    let mut tokens: Vec<String> = ["iss", "aud", "serviceurl", "exp"]
        .map(|claim| CHANNEL_KEY.token(&scene.channel_with(claim, json!(secret))))
        .into();
    tokens.push(format!("Bearer {secret}"));
    tokens.push(secret.to_owned());
    tokens.push(CHANNEL_KEY.token_with(&json!({"alg": secret, "kid": secret}), &json!({})));
    tokens.push(CHANNEL_KEY.token_with(&json!({"alg": "RS256", "kid": secret}), &scene.channel_claims()));
    for token in tokens {
        let refusal = scene.call(&token).await.expect_err("it is refused");
        let words = format!("{refusal} {refusal:?}");
        let parts = token.trim_start_matches("Bearer ").split('.');
        for part in parts.chain([secret]) {
            assert!(!words.contains(part), "{words}");
        }
    }
}
