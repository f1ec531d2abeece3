//! Recognizes the tasks that Open WebUI sends to a model: titles, tags and follow-up questions.
//!
//! They come to the same route as those of people, before, between and behind them. Nothing is looked up for them, and
//! nothing is cited.

use serde_json::json;

use super::attached::attached;

/// How such a question begins.
const BEGINS: &str = "### Task:";

/// The longest title in characters.
const MAX_TITLE_CHARS: usize = 60;

/// Whether this, the only message of a request that wants no stream, is such a question.
pub(super) fn is_task(question: &str) -> bool {
    question.trim_start().starts_with(BEGINS) && attached(question).is_none()
}

/// The answer where no model could give one: an empty list of what is asked for, and for a title, the beginning of what the
/// chat began with.
pub(super) fn answer_without_model(question: &str) -> String {
    // Which members the answer is to have, the question says; the chat that is quoted behind it may say anything.
    let (task, chat) = question.split_once("<chat_history>").unwrap_or((question, ""));
    let asks_for = |member: &str| task.contains(&format!("\"{member}\""));
    let answer = if asks_for("follow_ups") {
        json!({"follow_ups": []})
    } else if asks_for("tags") {
        json!({"tags": []})
    } else if asks_for("queries") {
        json!({"queries": []})
    } else if asks_for("title") {
        json!({"title": title(chat)})
    } else if asks_for("text") {
        json!({"text": ""})
    } else {
        json!({})
    };
    answer.to_string()
}

/// The beginning of the first line that a user said.
fn title(chat: &str) -> String {
    let said = chat.split_once("USER:").map_or("", |(_, said)| said);
    let line = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // The history ends here.
    let line = line.split("</chat_history>").next().unwrap_or_default().trim();
    if line.is_empty() {
        return "Chat".to_owned();
    }
    let Some((end, _)) = line.char_indices().nth(MAX_TITLE_CHARS) else { return line.to_owned() };
    let cut = &line[..end];
    let words = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
    format!("{words} …")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn answer(task: &str, chat: &str) -> Value {
        let question = format!("### Task:\n{task}\n<chat_history>\n{chat}\n</chat_history>");
        assert!(is_task(&question));
        serde_json::from_str(&answer_without_model(&question)).expect("JSON")
    }

    #[test]
    fn trap_11_without_a_model_every_task_is_answered_in_its_own_form() {
        let chat = "USER: How long is \"tags\" leave?\nASSISTANT: 16 weeks [1].";
        let title = r#"JSON format: { "title": "your concise title here" }"#;
        assert_eq!(answer(title, chat), json!({"title": "How long is \"tags\" leave?"}));
        assert_eq!(answer(r#"JSON format: { "tags": ["tag1", "tag2"] }"#, chat), json!({"tags": []}));
        assert_eq!(answer(r#"JSON format: { "follow_ups": ["Question 1?"] }"#, chat), json!({"follow_ups": []}));
        assert_eq!(answer(r#"{ "queries": ["query1"] }"#, chat), json!({"queries": []}));
        assert_eq!(answer("Tell a joke.", chat), json!({}));
    }

    #[test]
    fn a_title_is_the_beginning_of_the_first_question() {
        assert_eq!(title("\nUSER: \n  hi  \nASSISTANT: x"), "hi");
        assert_eq!(title(""), "Chat");
        let long = title(&format!("USER: {}", "wörd ".repeat(30)));
        assert!(long.ends_with("wörd …") && long.chars().count() <= MAX_TITLE_CHARS + 2, "{long}");
    }

    #[test]
    fn questions_of_people_are_no_tasks() {
        assert!(!is_task("What does ### Task: mean?"));
    }
}
