//! Activities in the form in which the bot receives them.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{BotDelivery, BotOptions, ServiceUrl};
use crate::activity::{Activity, ActivityId, Attachment, ChannelAccount, ConversationId, Role};
use crate::direct_line::{CHANNEL_ID, attachments_path};

/// Members in which an empty text means something to some SDKs: they refuse it in any other.
const MAY_BE_EMPTY: [&str; 3] = ["text", "speak", "summary"];

/// The activity of a user for the bot (activity specification, A2070, A2300, A2004, A2100, A3050, A7123).
pub(super) fn said(
    id: &ConversationId,
    activity: &Activity,
    options: &BotOptions,
    base: &ServiceUrl,
    service_url: &str,
) -> Activity {
    let mut activity = activity.clone();
    activity.entities = activity.entities.filter(|entities| !entities.is_empty());
    activity.attachments = activity.attachments.filter(|attachments| !attachments.is_empty());
    for attachment in activity.attachments.iter_mut().flatten() {
        drop_data(attachment);
        redirect(attachment, &attachments_path(id), base);
    }
    activity.extra.retain(|name, value| value != "" || MAY_BE_EMPTY.contains(&name.as_str()));
    addressed(activity, options, service_url)
}

/// The news that a user has come. The bot itself comes with the first one.
pub(super) fn joined(
    id: &ConversationId,
    user: &ChannelAccount,
    with_bot: bool,
    activity_id: ActivityId,
    at: DateTime<Utc>,
    options: &BotOptions,
    service_url: &str,
) -> Activity {
    let mut activity = Activity::new("conversationUpdate");
    activity.id = Some(activity_id);
    activity.timestamp = Some(at);
    activity.channel_id = Some(CHANNEL_ID.to_owned());
    activity.conversation = Some(id.clone().into());
    activity.from = Some(user.clone());
    let bot = with_bot.then(|| account(options));
    let members: Vec<_> = bot.into_iter().chain([user.clone()]).collect();
    activity.extra.insert("membersAdded".to_owned(), json!(members));
    addressed(activity, options, service_url)
}

/// The bot as others see it.
pub(super) fn account(options: &BotOptions) -> ChannelAccount {
    let mut account = ChannelAccount::new(options.id.clone(), Role::Bot);
    account.name = Some(options.name.clone()).filter(|name| !name.is_empty());
    account
}

fn addressed(mut activity: Activity, options: &BotOptions, service_url: &str) -> Activity {
    activity.recipient = Some(account(options));
    activity.extra.insert("serviceUrl".to_owned(), json!(service_url));
    // Other modes than ours are a matter between a client and its channel: what the bot makes of them is not read.
    match options.delivery {
        BotDelivery::Normal => activity.extra.remove("deliveryMode"),
        BotDelivery::ExpectReplies => activity.extra.insert("deliveryMode".to_owned(), json!("expectReplies")),
    };
    activity
}

/// A file of the conversation has the address under which its sender reaches this server. The bot may reach it under
/// another.
fn redirect(attachment: &mut Attachment, path: &str, base: &ServiceUrl) {
    let Some(Value::String(url)) = attachment.extra.get_mut("contentUrl") else { return };
    if let Some(at) = url.find(path) {
        *url = format!("{}{}", base.as_str(), &url[at..]);
    }
}

/// A bot is handed no data URIs.
fn drop_data(attachment: &mut Attachment) {
    let is_data = |url: &Value| url.as_str().is_some_and(|url| url.trim_start().get(..5).is_some_and(is_data_scheme));
    for name in ["contentUrl", "thumbnailUrl"] {
        if attachment.extra.get(name).is_some_and(is_data) {
            attachment.extra.remove(name);
        }
    }
}

fn is_data_scheme(start: &str) -> bool {
    start.eq_ignore_ascii_case("data:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(activity: &Activity) -> Value {
        serde_json::to_value(activity).expect("JSON")
    }

    fn sent(activity: &Activity, options: &BotOptions) -> Value {
        let base = "http://127.0.0.1:1".parse().expect("an address");
        wire(&said(&"c1".parse().expect("an id"), activity, options, &base, "http://127.0.0.1:1/"))
    }

    #[test]
    fn a_file_of_the_conversation_has_an_address_for_the_bot() {
        let url = |url: &str| {
            let posted = json!({"type": "message", "attachments": [{"contentUrl": url}]});
            let posted = serde_json::from_value(posted).expect("an activity");
            sent(&posted, &BotOptions::default())["attachments"][0]["contentUrl"].take()
        };
        let path = "/v3/directline/conversations/c1/attachments/f00d";
        assert_eq!(url(&format!("https://chat.example/x{path}")), format!("http://127.0.0.1:1{path}"));
        let foreign = "https://chat.example/v3/directline/conversations/c2/attachments/f00d";
        assert_eq!(url(foreign), foreign);
    }

    #[test]
    fn what_is_empty_or_too_much_for_a_bot_is_left_out() {
        let posted = json!({"type": "message", "text": "", "locale": "", "entities": [], "deliveryMode": "stream",
            "attachments": [{"contentType": "image/png", "contentUrl": "DATA:image/png;base64,AA==", "name": "a.png"},
                {"contentType": "image/png", "contentUrl": "https://a.example/b.png"}]});
        let posted: Activity = serde_json::from_value(posted).expect("an activity");
        let sent = sent(&posted, &BotOptions::default());
        let expected = json!({"type": "message", "text": "", "serviceUrl": "http://127.0.0.1:1/",
            "recipient": {"id": "bot", "name": "Bot", "role": "bot"},
            "attachments": [{"contentType": "image/png", "name": "a.png"},
                {"contentType": "image/png", "contentUrl": "https://a.example/b.png"}]});
        assert_eq!(sent, expected);
    }

    #[test]
    fn replies_are_asked_for_where_they_are_expected() {
        let options = BotOptions { delivery: BotDelivery::ExpectReplies, ..BotOptions::default() };
        let sent = sent(&Activity::message("hi"), &options);
        assert_eq!(sent["deliveryMode"], "expectReplies");
    }

    #[test]
    fn the_bot_comes_with_the_first_user_only() {
        let (id, at) = ("c1".parse().expect("an id"), "2026-01-01T00:00:00Z".parse().expect("a time"));
        let user = ChannelAccount::new("dl_ann", Role::User);
        let update = |with_bot| {
            let activity_id = ActivityId::from("c1|cu0".to_owned());
            wire(&joined(&id, &user, with_bot, activity_id, at, &BotOptions::default(), "http://127.0.0.1:1/"))
        };
        let (bot, user) = (json!({"id": "bot", "name": "Bot", "role": "bot"}), json!({"id": "dl_ann", "role": "user"}));
        assert_eq!(update(true)["membersAdded"], json!([bot, user]));
        assert_eq!(update(false)["membersAdded"], json!([user]));
    }
}
