//! Reads the template into which Open WebUI wraps a question when its reader attached files: instructions, the passages of the
//! files, and the question behind them.

use crate::answer::Source;
use crate::upstream::Ask;

/// The beginning of the template (Open WebUI's `DEFAULT_RAG_TEMPLATE`).
const BEGINS: &str = "### Task:";

const CONTEXT: (&str, &str) = ("<context>", "</context>");

/// A question with the passages of the files that its reader attached.
#[derive(Debug, PartialEq)]
pub(super) struct Attached {
    pub(super) question: String,
    pub(super) sources: Vec<Source>,
}

/// Takes the question out of its template, and the passages with it. A back end that searches by itself takes no passages, and
/// gets the template as it is.
pub(super) fn unwrap(ask: &mut Ask) {
    let Some(last) = ask.turns.last_mut() else { return };
    if let Some(Attached { question, sources }) = attached(&last.text) {
        last.text = question;
        ask.attached = sources;
    }
}

/// Reads a message that Open WebUI wrapped; `None` for every other message.
pub(super) fn attached(message: &str) -> Option<Attached> {
    let (_, rest) = message.trim_start().strip_prefix(BEGINS)?.split_once(CONTEXT.0)?;
    // A passage may hold the sign of the end, so the last one counts.
    let (passages, question) = rest.rsplit_once(CONTEXT.1)?;
    let question = without_heading(question).trim();
    let sources: Vec<Source> = passages.split("<source ").skip(1).map(source).collect();
    let is_wrapped = !question.is_empty() && !sources.is_empty();
    is_wrapped.then(|| Attached { question: question.to_owned(), sources })
}

/// The question without the tags and headings that other versions of the template put around it.
fn without_heading(question: &str) -> &str {
    let question = question.trim();
    let inner = question.strip_prefix("<user_query>").and_then(|rest| rest.strip_suffix("</user_query>"));
    inner.unwrap_or(question)
}

/// One `<source id="1" name="canteen.pdf">…</source>`, from behind its name.
fn source(element: &str) -> Source {
    let (attributes, passage) = element.split_once('>').unwrap_or((element, ""));
    let passage = passage.rsplit_once("</source>").map_or(passage, |(passage, _)| passage);
    let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    Source { title: attribute(attributes, "name").and_then(filled), content: filled(passage), ..Source::default() }
}

fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let (_, value) = attributes.split_once(&format!("{name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRAPPED: &str = "### Task:\nAnswer from the context, with the ids.\n\n<context>\n\
        <source id=\"1\" name=\"canteen.pdf\">The canteen </context> opens at noon.</source>\n\
        <source id=\"2\">Tables: x > y.\r\n</source>\n</context>\n\nHow long is annual leave?\n";

    #[test]
    fn the_question_stands_behind_the_context_and_the_passages_in_it() {
        let Attached { question, sources } = attached(WRAPPED).expect("a template");
        assert_eq!(question, "How long is annual leave?");
        let read: Vec<_> = sources.iter().map(|source| (source.title.as_deref(), source.content.as_deref())).collect();
        assert_eq!(
            read,
            [(Some("canteen.pdf"), Some("The canteen </context> opens at noon.")), (None, Some("Tables: x > y."))]
        );
        let tagged = WRAPPED.replace("How long is annual leave?", "<user_query>\nHow long?\n</user_query>");
        assert_eq!(attached(&tagged).expect("a template").question, "How long?");
    }

    #[test]
    fn other_messages_are_questions_as_they_are() {
        for message in [
            "How long is leave?",
            "### Task:\nMake a title.\n<chat_history>\nx\n</chat_history>",
            "What does <context> mean? </context> I wonder.",
            "### Task:\n<context>\n</context>\nHow long?",
        ] {
            assert_eq!(attached(message), None, "{message}");
        }
    }
}
