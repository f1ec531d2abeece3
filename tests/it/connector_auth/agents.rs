//! The rules for tokens of Entra: agents, skills, the Emulator.

use citewire::channels::azure_bot::auth::{AllowedCallers, Caller, Cloud, KeyIssuer, Unauthorized, UnauthorizedKind};
use serde_json::{Value, json};
use uuid::Uuid;

use super::publisher::ENTRA_KEYS;
use super::scene::{AGENT, APP, FOREIGN_TENANT, MICROSOFT_TENANT, SERVICE_URL, Scene, TENANT, changed, the_agent};
use super::signing::{CHANNEL_KEY, ENTRA_KEY};

/// The claims of the agent as a token of a tenant, in one of the two versions.
fn of_tenant(scene: &Scene, tenant: Uuid, version: u8) -> Value {
    let issuer = match version {
        1 => format!("https://sts.windows.net/{tenant}/"),
        _ => format!("https://login.microsoftonline.com/{tenant}/v2.0"),
    };
    let claims = changed(scene.agent_claims(), "iss", json!(issuer));
    let claims = changed(claims, "tid", json!(tenant.to_string()));
    if version == 2 {
        return claims;
    }
    let claims = changed(claims, "ver", json!("1.0"));
    changed(changed(claims, "azp", Value::Null), "appid", json!(AGENT.to_string()))
}

#[tokio::test]
async fn an_agent_is_let_in_with_either_version_and_is_answered_with_a_scope_of_its_own() {
    let scene = Scene::new().await;
    for version in [1, 2] {
        let caller = scene.call_with(&ENTRA_KEY, &of_tenant(&scene, TENANT, version)).await;
        assert_eq!(caller, Ok(the_agent()), "version {version}");
    }
    let scope = the_agent().scope(&scene.verifier.options().addresses);
    assert_eq!(scope, Some(format!("{AGENT}/.default")));
}

#[tokio::test]
async fn the_tenant_of_a_token_is_that_of_its_issuer() {
    let scene = Scene::with(|options| options.tenant = None).await;
    for tid in [json!(FOREIGN_TENANT.to_string()), json!(TENANT.simple().to_string()), json!("common"), Value::Null] {
        for version in [1, 2] {
            let claims = changed(of_tenant(&scene, TENANT, version), "tid", tid.clone());
            let called = scene.call_with(&ENTRA_KEY, &claims).await;
            assert_eq!(called, Err(Unauthorized::TenantMismatch), "{tid}, version {version}");
        }
    }
}

#[tokio::test]
async fn a_bot_of_one_tenant_hears_agents_of_its_own_and_of_microsofts() {
    let scene = Scene::new().await;
    for version in [1, 2] {
        for tenant in [TENANT, MICROSOFT_TENANT] {
            let caller = scene.call_with(&ENTRA_KEY, &of_tenant(&scene, tenant, version)).await;
            assert_eq!(caller, Ok(the_agent()), "{tenant}");
        }
        let foreign = scene.call_with(&ENTRA_KEY, &of_tenant(&scene, FOREIGN_TENANT, version)).await;
        assert_eq!(foreign, Err(Unauthorized::ForeignTenant { tenant: FOREIGN_TENANT }));
    }
}

#[tokio::test]
async fn a_bot_of_many_tenants_hears_agents_of_all_but_only_tenants() {
    let scene = Scene::with(|options| options.tenant = None).await;
    for version in [1, 2] {
        let caller = scene.call_with(&ENTRA_KEY, &of_tenant(&scene, FOREIGN_TENANT, version)).await;
        assert_eq!(caller, Ok(the_agent()));
    }
    for issuer in [
        "https://login.microsoftonline.com/common/v2.0",
        "https://login.microsoftonline.com/{tenantid}/v2.0",
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0",
        "https://sts.windows.net/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e",
        "https://sts.windows.net.evil.test/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/",
    ] {
        let called = scene.call_with(&ENTRA_KEY, &scene.agent_with("iss", json!(issuer))).await;
        assert_eq!(called, Err(Unauthorized::UnknownIssuer), "{issuer}");
    }
}

#[tokio::test]
async fn each_cloud_has_an_entra_of_its_own() {
    for (cloud, issuer) in [
        (Cloud::UsGov, format!("https://login.microsoftonline.us/{TENANT}/v2.0")),
        (Cloud::China, format!("https://login.partner.microsoftonline.cn/{TENANT}/v2.0")),
    ] {
        let scene = Scene::with(|options| {
            let own = options.addresses.entra_metadata.clone();
            options.addresses = cloud.addresses();
            options.addresses.entra_metadata = own;
        })
        .await;
        assert_eq!(scene.call_with(&ENTRA_KEY, &scene.agent_with("iss", json!(issuer))).await, Ok(the_agent()));
        let public = scene.call_with(&ENTRA_KEY, &scene.agent_claims()).await;
        assert_eq!(public, Err(Unauthorized::UnknownIssuer), "{cloud}");
        let microsoft = of_tenant(&scene, MICROSOFT_TENANT, 2);
        let host = issuer.replace(&TENANT.to_string(), &MICROSOFT_TENANT.to_string());
        let foreign = scene.call_with(&ENTRA_KEY, &changed(microsoft, "iss", json!(host))).await;
        assert_eq!(foreign, Err(Unauthorized::ForeignTenant { tenant: MICROSOFT_TENANT }), "{cloud}");
    }
}

#[tokio::test]
async fn a_caller_that_is_not_on_the_list_is_refused_and_named() {
    let scene = Scene::new().await;
    let other = Uuid::from_u128(7);
    let refusal = scene.call_with(&ENTRA_KEY, &scene.agent_with("azp", json!(other.to_string()))).await;
    let refusal = refusal.expect_err("it may not call");
    assert_eq!(refusal, Unauthorized::CallerNotAllowed { app_id: other });
    assert_eq!(refusal.kind(), UnauthorizedKind::Forbidden);
    assert!(refusal.to_string().contains(&other.to_string()), "{refusal}");
}

#[tokio::test]
async fn everyone_of_an_accepted_tenant_may_call_when_the_list_says_so() {
    let scene = Scene::with(|options| options.allowed_callers = AllowedCallers::Any).await;
    let other = Uuid::from_u128(7).to_string();
    let caller = scene.call_with(&ENTRA_KEY, &scene.agent_with("azp", json!(other))).await;
    assert_eq!(caller, Ok(Caller::Agent { app_id: other }));
    let foreign = scene.call_with(&ENTRA_KEY, &of_tenant(&scene, FOREIGN_TENANT, 2)).await;
    assert_eq!(foreign, Err(Unauthorized::ForeignTenant { tenant: FOREIGN_TENANT }));
    let itself = scene.call_with(&ENTRA_KEY, &scene.agent_with("azp", json!(APP.to_string()))).await;
    assert_eq!(itself, Err(Unauthorized::OwnAppId), "the bot itself is not everyone");
}

#[tokio::test]
async fn the_own_app_id_calls_only_where_the_emulator_is_on() {
    let off = Scene::new().await;
    let claims = off.agent_with("azp", json!(APP.to_string()));
    let refusal = off.call_with(&ENTRA_KEY, &claims).await.expect_err("the Emulator is off");
    assert_eq!((refusal.kind(), refusal), (UnauthorizedKind::Forbidden, Unauthorized::OwnAppId));
    let on = Scene::with(|options| {
        options.emulator = true;
        options.allowed_callers = AllowedCallers::default();
    })
    .await;
    let caller = on.call_with(&ENTRA_KEY, &claims).await.expect("the Emulator is on");
    assert_eq!(caller, Caller::Emulator);
    let scope = caller.scope(&on.verifier.options().addresses);
    assert_eq!(scope.as_deref(), Some("https://api.botframework.com/.default"));
    let agent = on.call_with(&ENTRA_KEY, &on.agent_claims()).await;
    assert_eq!(agent, Err(Unauthorized::CallerNotAllowed { app_id: AGENT }));
}

#[tokio::test]
async fn the_emulator_of_a_bot_of_many_tenants_comes_from_those_of_microsoft() {
    let scene = Scene::with(|options| {
        options.tenant = None;
        options.emulator = true;
    })
    .await;
    for version in [1, 2] {
        let claim = if version == 1 { "appid" } else { "azp" };
        let itself = |tenant| changed(of_tenant(&scene, tenant, version), claim, json!(APP.to_string()));
        let caller = scene.call_with(&ENTRA_KEY, &itself(MICROSOFT_TENANT)).await;
        assert_eq!(caller, Ok(Caller::Emulator));
        let forged = scene.call_with(&ENTRA_KEY, &itself(FOREIGN_TENANT)).await;
        assert_eq!(forged, Err(Unauthorized::ForeignTenant { tenant: FOREIGN_TENANT }));
    }
}

#[tokio::test]
async fn a_token_without_a_caller_is_refused() {
    let scene = Scene::with(|options| options.allowed_callers = AllowedCallers::Any).await;
    for (claim, value) in [
        ("azp", Value::Null),
        ("azp", json!("")),
        ("azp", json!("contoso-agent")),
        ("ver", Value::Null),
        ("ver", json!("3.0")),
        ("ver", json!("1.0")),
    ] {
        let called = scene.call_with(&ENTRA_KEY, &scene.agent_with(claim, value.clone())).await;
        assert_eq!(called, Err(Unauthorized::NoCaller), "{claim} {value}");
    }
}

#[tokio::test]
async fn where_nobody_may_call_tokens_of_entra_are_refused_unseen() {
    let scene = Scene::with(|options| options.allowed_callers = AllowedCallers::default()).await;
    scene.verifier.keep_fresh().await;
    let refusal = scene.call_with(&ENTRA_KEY, &scene.agent_claims()).await.expect_err("nobody may call");
    assert_eq!((refusal.kind(), refusal), (UnauthorizedKind::Forbidden, Unauthorized::NoAgents));
    assert_eq!(scene.publisher.count(ENTRA_KEYS), 0);
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
}

#[tokio::test]
async fn the_common_rules_hold_for_agents_as_well() {
    let scene = Scene::new().await;
    let now = scene.now();
    for (claim, value, refusal) in [
        ("exp", json!(now - 360), Unauthorized::Expired),
        ("nbf", json!(now + 360), Unauthorized::NotYetValid),
        ("aud", json!(AGENT.to_string()), Unauthorized::WrongAudience { audience: Some(AGENT) }),
        ("aud", json!("https://api.botframework.com"), Unauthorized::WrongAudience { audience: None }),
    ] {
        let called = scene.call_with(&ENTRA_KEY, &scene.agent_with(claim, value.clone())).await;
        assert_eq!(called, Err(refusal), "{claim} {value}");
    }
    let of_the_connector = scene.call_with(&CHANNEL_KEY, &scene.agent_claims()).await;
    let unknown = Unauthorized::UnknownKey { issuer: KeyIssuer::Entra };
    assert_eq!(of_the_connector, Err(unknown), "the Connector does not sign for Entra");
}

#[tokio::test]
async fn the_service_url_is_optional_in_a_token_of_entra_and_holds_where_it_is() {
    let scene = Scene::new().await;
    let with = |url: &str| ENTRA_KEY.token(&scene.agent_with("serviceurl", json!(url)));
    assert_eq!(scene.call(&with(SERVICE_URL)).await, Ok(the_agent()));
    assert_eq!(scene.call(&with("https://evil.test/")).await, Err(Unauthorized::ServiceUrlMismatch));
    for none in [None, Some("")] {
        let called = scene.verifier.verify(Some(&with("https://agent.test/")), None, none).await;
        assert_eq!(called, Ok(the_agent()), "where nothing goes out, nothing has to match");
    }
}

#[tokio::test]
async fn a_key_that_entra_uses_for_one_tenant_is_no_good_for_another() {
    let scene = Scene::new().await;
    let publish = |issuer: String| {
        let mut key = ENTRA_KEY.published();
        key["issuer"] = json!(issuer);
        scene.publisher.put_keys(ENTRA_KEYS, &[key]);
    };
    publish(format!("https://login.microsoftonline.com/{FOREIGN_TENANT}/v2.0"));
    let called = scene.call_with(&ENTRA_KEY, &scene.agent_claims()).await;
    assert_eq!(called, Err(Unauthorized::KeyOfAnotherTenant));
    publish("https://login.microsoftonline.com/{tenantid}/v2.0".to_owned());
    scene.clock.advance(chrono::Duration::hours(24));
    scene.verifier.keep_fresh().await;
    assert_eq!(scene.call_with(&ENTRA_KEY, &scene.agent_claims()).await, Ok(the_agent()));
}
