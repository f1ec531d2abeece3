//! Every code that a finding can carry, in one table: `docs/reference/check.md` is tested against it.

use super::{Channel, Severity};

/// One rule: a stable code, how bad a breach is, and what the rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable and made for programs: kebab-case, never reused for something else.
    pub code: &'static str,
    /// The same for every finding with this code.
    pub severity: Severity,
    /// The channel whose rule it is; `None` for every channel.
    pub channel: Option<Channel>,
    /// What the code stands for, in one line.
    pub meaning: &'static str,
}

/// Names each rule and lists them all from one place, so that no rule can be missing from [`rules`].
macro_rules! rules {
    ($($channel:expr => { $($name:ident = $severity:ident $code:literal: $meaning:literal;)* })*) => {
        $($(pub(super) const $name: Rule =
            Rule { code: $code, severity: Severity::$severity, channel: $channel, meaning: $meaning };)*)*

        /// All rules, in the order of the documentation: those of every channel, of Web Chat, of Teams; each from the
        /// outside in.
        #[must_use]
        pub fn rules() -> &'static [Rule] {
            &[$($($name),*),*]
        }
    };
}

rules! {
    None => {
        NOT_AN_ACTIVITY = Error "not-an-activity": "neither an Activity, nor a list of them, nor a Message thing";
        NESTING_TOO_DEEP = Warning "nesting-too-deep": "the JSON is nested deeper than any message needs; what is below was not checked";
        FINDINGS_CAPPED = Note "findings-capped": "the rest of very many findings with one code was left out";
        ACTIVITY_TYPE_MISSING = Error "activity-type-missing": "an activity without `type` is drawn by no client";
        TEXT_NOT_STRING = Error "text-not-string": "`text` is not a string";
        ENTITIES_NOT_LIST = Error "entities-not-list": "`entities` is not a list";
        ENTITY_NOT_OBJECT = Warning "entity-not-object": "an entity is not an object";

        STREAM_PLACES_DIFFER = Warning "stream-places-differ": "`channelData` and the `streaminfo` entity contradict each other";
        STREAM_TYPE_UNKNOWN = Warning "stream-type-unknown": "an unknown `streamType`";
        STREAM_KIND_MISMATCH = Warning "stream-kind-mismatch": "the activity's `type` does not go with its `streamType`";
        STREAM_SEQUENCE_INVALID = Error "stream-sequence-invalid": "`streamSequence` is not an integer from 1";
        STREAM_SEQUENCE_NOT_RISING = Warning "stream-sequence-not-rising": "an activity that arrives out of sequence is ignored";
        STREAM_SEQUENCE_GAP = Note "stream-sequence-gap": "a number of the sequence is missing";
        STREAM_FINAL_WITH_SEQUENCE = Warning "stream-final-with-sequence": "the final activity carries a `streamSequence`";
        STREAM_AFTER_FINAL = Warning "stream-after-final": "an activity after the end of its stream is ignored";
        STREAM_ATTACHMENTS_EARLY = Warning "stream-attachments-early": "attachments belong to the final activity";
        STREAM_WITHOUT_FINAL = Note "stream-without-final": "the stream does not end in this document";
    }
    Some(Channel::WebChat) => {
        TEXT_FORMAT_PLAIN = Error "text-format-plain": "citations in a plain text are drawn as raw text";
        TEXT_FORMAT_UNUSUAL = Note "text-format-unusual": "a `textFormat` that Web Chat happens to read as Markdown";
        TIMESTAMP_INVALID = Warning "timestamp-invalid": "`timestamp` is not an RFC 3339 time";
        TYPING_WITH_TEXT = Warning "typing-with-text": "a typing indicator with a text is drawn as a message in 4.18.1";
        SENDER_NOT_BOT = Warning "sender-not-bot": "interpreter and thumbs are drawn for `role: bot` only";
        FALLBACK_TEXT_EMPTY = Warning "fallback-text-empty": "an empty fallback text hides the message from screen readers";
        FEEDBACK_LOOP_WINS = Note "feedback-loop-wins": "`channelData.feedbackLoop` replaces the actions of the Message thing";

        ENTITY_TYPE_NOT_STRING = Error "entity-type-not-string": "an entity whose `type` is no string blanks the message";
        FOREIGN_ENTITY_FATAL = Error "foreign-entity-fatal": "a malformed schema.org entity before the Message thing blanks the message";
        MESSAGE_CONTEXT_WRONG = Error "message-context-wrong": "any `@context` but `https://schema.org` blanks the message";
        MESSAGE_ID_NOT_STRING = Error "message-id-not-string": "an `@id` that is no string blanks the message";
        MESSAGE_AT_TYPE_MISSING = Error "message-at-type-missing": "a Message thing without a string `@type` blanks the message";
        MESSAGE_ID_MISSING = Error "message-id-missing": "without `@id: \"\"` the Message thing is ignored";
        MESSAGE_ID_NOT_EMPTY = Error "message-id-not-empty": "a Message thing whose `@id` is not empty is ignored";
        MESSAGE_TYPE_WRONG = Error "message-type-wrong": "without a `type` of `https://schema.org/…` the Message thing is ignored";
        MESSAGE_TYPE_UNUSUAL = Note "message-type-unusual": "the Message thing calls itself something else";
        MESSAGE_SECOND = Warning "message-second": "a second Message thing is never read";
        MESSAGE_NOT_FIRST = Note "message-not-first": "another schema.org entity stands before the Message thing";
        MESSAGE_MISSING = Note "message-missing": "definitions without a Message thing: plain links, no titles, no labels";
        CLAIM_AT_ROOT = Warning "claim-at-root": "claims as entities of their own are deprecated, and dead buttons in 4.18.1";
        ROOT_ENTITY_DEPRECATED = Note "root-entity-deprecated": "an old form that Web Chat still reads and will drop";
        ACTION_IGNORED = Warning "action-ignored": "an item of `potentialAction` that is not drawn";
        FEEDBACK_WITHOUT_ID = Note "feedback-without-id": "a pressed thumb could not be told from that of another answer";
        COLLAPSIBLE_WITHOUT_ABSTRACT = Warning "collapsible-without-abstract": "a folded message without a line to show";

        NESTED_NOT_OBJECT = Warning "nested-not-object": "a nested thing is not an object and counts as absent";
        NESTED_TYPE_MISSING = Warning "nested-type-missing": "a nested thing without a string `@type` counts as absent";
        NESTED_ID_NOT_STRING = Warning "nested-id-not-string": "a nested thing whose `@id` is no string counts as absent";
        NESTED_CONTEXT_WRONG = Warning "nested-context-wrong": "a nested thing with a wrong `@context` counts as absent";
        POSITION_MISSING = Warning "position-missing": "a claim without a usable `position` belongs to no citation";
        POSITION_UNMATCHABLE = Warning "position-unmatchable": "a `position` that no Markdown label can equal";
        POSITION_REPEATED = Error "position-repeated": "two claims for one position: the first wins, the second source is lost";
        PASSAGE_MISSING = Error "passage-missing": "pressing a non-URL citation without `text` removes the whole Web Chat from the page";
        PASSAGE_EMPTY = Warning "passage-empty": "the dialog of a non-URL citation is empty";
        PASSAGE_ACTIVE = Warning "passage-active": "the passage of a dialog loads an image or carries HTML";
        CLAIM_NAME_EMPTY = Warning "claim-name-empty": "an empty `name` wins over every other title";
        CLAIM_MEMBER_MISPLACED = Warning "claim-member-misplaced": "a member of the claim that is read from its `appearance` only";
        APPEARANCE_MISSING = Warning "appearance-missing": "a claim without `appearance` shows what the Markdown says";
        APPEARANCE_SCHEME_UNSAFE = Error "appearance-scheme-unsafe": "the reference list carries a dangerous link";
        INTERPRETER_NOT_FIRST = Warning "interpreter-not-first": "only the first claim's `claimInterpreter` is shown";
        INTERPRETER_DIFFERS = Note "interpreter-differs": "a second interpreter is never shown";
        INTERPRETER_WITHOUT_NAME = Warning "interpreter-without-name": "an interpreter without words is an invisible link";
        INTERPRETER_SCHEME_UNSAFE = Error "interpreter-scheme-unsafe": "the status line carries a dangerous link";

        REFERENCE_DANGLING = Warning "reference-dangling": "a reference to a node that nothing describes, where a claim or another thing belongs";
        LABEL_DANGLING = Warning "label-dangling": "a blank node that nothing describes: no label is drawn";
        LABEL_ID_NOT_BLANK = Warning "label-id-not-blank": "only an `@id` that starts with `_:` is looked up";
        BLANK_NODE_TWO_BODIES = Error "blank-node-two-bodies": "one blank node with two descriptions: the wrong label may be shown";
        LABEL_NAME_MISSING = Warning "label-name-missing": "a sensitivity label without a name";
        LABEL_WITHOUT_CITATION = Warning "label-without-citation": "the message's label is drawn only beside a reference list";
        LABEL_LOCK_MISSING = Warning "label-lock-missing": "the lock needs the keyword `encrypted-content`";
        LABEL_PATTERN_INVALID = Warning "label-pattern-invalid": "the label's `pattern` is not read as a colour";
        LABEL_COLOR_UNKNOWN = Warning "label-color-unknown": "the label's colour is neither a CSS colour word nor hexadecimal";
        LABEL_COLOR_DANGEROUS = Error "label-color-dangerous": "the label's colour makes the browser fetch something";

        TEXT_MOJIBAKE = Warning "text-mojibake": "UTF-8 was read as Windows-1252 on the way";
        TEXT_IMAGE = Warning "text-image": "an image is loaded as soon as the message is drawn";
        TEXT_HTML = Warning "text-html": "raw HTML that Web Chat does not draw";
        TEXT_FORGED_BUTTON = Error "text-forged-button": "HTML that poses as a citation";
        LINK_SCHEME_UNSAFE = Warning "link-scheme-unsafe": "a link in the text with a dangerous scheme";
        MARKERS_FUSED = Error "markers-fused": "two adjacent markers became one link";
        MARKER_SWALLOWED = Error "marker-swallowed": "a marker right before another bracket is no link";
        MARKER_IS_LINK = Error "marker-is-link": "a marker followed by `(` leads somewhere else";
        MARKER_IS_IMAGE = Error "marker-is-image": "a marker after `!` became an image";
        MARKER_CASE_DIFFERS = Warning "marker-case-differs": "a marker written in another case than its definition is no badge";
        MARKER_WITHOUT_DEFINITION = Warning "marker-without-definition": "a marker without definition stays literal text";
        DEFINITION_LITERAL = Error "definition-literal": "a definition right under a paragraph is drawn as text";
        DEFINITION_MALFORMED = Error "definition-malformed": "a line that is meant as a definition is drawn as text";
        DEFINITION_NESTED = Warning "definition-nested": "a definition inside a list or quote is missing from the reference list";
        DEFINITION_DUPLICATE_LABEL = Error "definition-duplicate-label": "two definitions of one label: the first wins, both are listed";
        DEFINITION_DUPLICATE_URL = Warning "definition-duplicate-url": "two definitions of one URL: only the first is a badge";
        DEFINITION_DUPLICATE_PASSAGE = Error "definition-duplicate-passage": "two passages under one address: the second badge opens the first";
        DEFINITION_SCHEME_UNSAFE = Error "definition-scheme-unsafe": "a definition with a dangerous scheme";
        DEFINITION_SCHEME_UNUSUAL = Note "definition-scheme-unusual": "a definition that opens another program";
        DEFINITION_URL_CHARACTERS = Warning "definition-url-characters": "a URL that 4.18.1 does not draw as a badge";
        DEFINITION_LABEL_CARET = Error "definition-label-caret": "a label that starts with `^` is a footnote in newer versions";
        DEFINITIONS_OUT_OF_ORDER = Note "definitions-out-of-order": "the reference list follows the definitions, not the numbers";

        DEFINITION_UNCITED = Note "definition-uncited": "a source that the text does not cite is listed and counted all the same";
        DEFINITION_WITHOUT_CLAIM = Warning "definition-without-claim": "an entry of the reference list that no claim describes";
        CLAIM_WITHOUT_DEFINITION = Warning "claim-without-definition": "a claim without Markdown definition is not shown at all";
        CITATION_UNOPENABLE = Error "citation-unopenable": "a badge that does nothing";
        CITATION_WITHOUT_TITLE = Warning "citation-without-title": "an entry of the reference list without any words";
        URL_DIFFERS = Error "url-differs": "badge and reference list lead to different places";
        APPEARANCE_URL_MISSING = Warning "appearance-url-missing": "the badge opens a page, the list entry a dialog";

        TERM_MISSPELT = Warning "term-misspelt": "a property that is almost a schema.org term";
        TERM_UNKNOWN = Note "term-unknown": "a property that none of the known vocabulary names";
        IRI_INVALID = Warning "iri-invalid": "an identifier or address that is no IRI";
        CLAIMS_MERGE = Warning "claims-merge": "two claims with one `@id` are one claim to a JSON-LD reader";
        LINKED_DATA_INVALID = Warning "linked-data-invalid": "a JSON-LD reader cannot make sense of the entities";

        TWO_BOT_MESSAGES = Note "two-bot-messages": "the next message hides interpreter and thumbs of this one";
        TIMESTAMP_GOES_BACK = Warning "timestamp-goes-back": "an older time moves the message up";
        ID_REPEATED = Warning "id-repeated": "a second activity with one id replaces the first";
        REPLY_TO_UNKNOWN = Warning "reply-to-unknown": "the answer is held back for five seconds";
        ECHO_WITHOUT_CLIENT_ID = Warning "echo-without-client-activity-id": "the user's own message is shown as not sent";

        STREAM_ONLY_IN_ENTITIES = Error "stream-only-in-entities": "4.18.1 reads stream metadata from `channelData` only";
        STREAM_FIRST_WITHOUT_ID = Warning "stream-first-without-id": "the first activity of a stream does not name the stream";
        STREAM_SECOND_WITHOUT_ID = Error "stream-second-without-id": "a second stream that starts unnamed is drawn above the first";
        STREAM_CHUNK_WITHOUT_ID = Error "stream-chunk-without-id": "a later activity of a stream does not name the stream";
        STREAM_ID_UNKNOWN = Warning "stream-id-unknown": "`streamId` is not the id of an earlier activity";
        STREAM_FINAL_NOT_LATER = Error "stream-final-not-later": "the final is not stamped later than the first chunk, and is lost";
        STREAM_FINAL_TYPING = Error "stream-final-typing": "a withdrawn stream stays half drawn in 4.18.1";
        STREAM_LATE_REPLACES_FINAL = Error "stream-late-replaces-final": "a chunk without time after the final replaces the final";
        STREAM_CHUNK_EMPTY = Warning "stream-chunk-empty": "a chunk without text makes the bubble vanish";
        STREAM_CHUNK_WITHOUT_DEFINITIONS = Warning "stream-chunk-without-definitions": "a chunk does not repeat the definitions of its markers";
        STREAM_CHUNK_WITHOUT_MESSAGE = Warning "stream-chunk-without-message": "a chunk does not repeat the Message thing";
    }
    Some(Channel::Teams) => {
        TEAMS_TEXT_FORMAT = Warning "teams-text-format": "a `textFormat` for which citations are not documented";
        TEAMS_MESSAGE_EMPTY = Error "teams-message-empty": "Teams refuses a message without text and attachments";
        TEAMS_MESSAGE_TOO_LARGE = Error "teams-message-too-large": "Teams refuses a message above 100 KB of UTF-16";
        TEAMS_MESSAGE_LARGE = Warning "teams-message-large": "a message above the 80 KB of UTF-16 that are advised";
        TEAMS_INFORMATIVE_TOO_LONG = Error "teams-informative-too-long": "an informative update above 1 KB or 1000 characters";
        TEAMS_FEEDBACK_INVALID = Warning "teams-feedback-invalid": "a `feedbackLoop` that is neither `default` nor `custom`";
        TEAMS_FEEDBACK_TWICE = Warning "teams-feedback-twice": "both forms of asking for feedback";

        TEAMS_MESSAGE_SECOND = Error "teams-message-second": "Teams refuses a second root Message entity";
        TEAMS_MESSAGE_MALFORMED = Error "teams-message-malformed": "`type`, `@type` or `@context` of the Message entity is wrong";
        TEAMS_ID_NOT_EMPTY = Warning "teams-id-not-empty": "the `@id` of the Message entity is not blank";
        TEAMS_CLAIM_AT_ROOT = Warning "teams-claim-at-root": "claims as entities of their own are not read";
        TEAMS_AI_LABEL_MISPLACED = Warning "teams-ai-label-misplaced": "the AI label stands in `keywords`, where Teams does not look";
        TEAMS_AI_LABEL_MALFORMED = Warning "teams-ai-label-malformed": "`additionalType` is not a list with `AIGeneratedContent`";

        TEAMS_CITATION_NOT_LIST = Error "teams-citation-not-list": "`citation` is not a list";
        TEAMS_CLAIMS_TOO_MANY = Error "teams-claims-too-many": "Teams refuses more than 20 claims";
        TEAMS_CLAIM_TYPE_WRONG = Error "teams-claim-type-wrong": "a claim without `@type` `Claim`";
        TEAMS_POSITION_INVALID = Error "teams-position-invalid": "a `position` that is no whole number of one to nine digits";
        TEAMS_POSITION_TEXT = Warning "teams-position-text": "a `position` as a string";
        TEAMS_POSITION_REPEATED = Error "teams-position-repeated": "two claims for one position";
        TEAMS_POSITIONS_OUT_OF_ORDER = Warning "teams-positions-out-of-order": "claims that do not ascend";
        TEAMS_APPEARANCE_EMPTY = Error "teams-appearance-empty": "Teams refuses a claim without `appearance`, or with an empty one";
        TEAMS_APPEARANCE_TYPE_WRONG = Error "teams-appearance-type-wrong": "an `appearance` without `@type` `DigitalDocument`";
        TEAMS_NAME_MISSING = Error "teams-name-missing": "Teams refuses a claim without a `name`";
        TEAMS_NAME_TOO_LONG = Error "teams-name-too-long": "a `name` above 80 characters";
        TEAMS_ABSTRACT_TOO_LONG = Error "teams-abstract-too-long": "Teams refuses an `abstract` above 480 characters";
        TEAMS_ABSTRACT_LONG = Warning "teams-abstract-long": "an `abstract` above the documented 160 characters";
        TEAMS_KEYWORDS_TOO_MANY = Error "teams-keywords-too-many": "Teams refuses a fourth key word";
        TEAMS_KEYWORD_TOO_LONG = Error "teams-keyword-too-long": "a key word above 28 characters";
        TEAMS_ICON_UNKNOWN = Error "teams-icon-unknown": "an `image` that is no icon of Teams' list";
        TEAMS_URL_NOT_WEB = Warning "teams-url-not-web": "a `url` that is no absolute http(s) address";
        TEAMS_CARD_INCOMPLETE = Error "teams-card-incomplete": "Teams refuses `text` without `encodingFormat`, and the reverse";
        TEAMS_CARD_INVALID = Error "teams-card-invalid": "Teams refuses a `text` that is no Adaptive Card";
        TEAMS_CARD_INTERACTIVE = Warning "teams-card-interactive": "an Adaptive Card with inputs or actions";

        TEAMS_LABEL_INCOMPLETE = Error "teams-label-incomplete": "a sensitivity label that is not written out";
        TEAMS_LABEL_WITHOUT_TWIN = Error "teams-label-without-twin": "Teams refuses the label of a claim that the Message does not have";
        TEAMS_LABEL_DIFFERS = Error "teams-label-differs": "Teams refuses one label with two names or descriptions";

        TEAMS_DEFINITION_IN_TEXT = Warning "teams-definition-in-text": "a reference definition is drawn as raw text";
        TEAMS_MARKERS_JOINED = Warning "teams-markers-joined": "several numbers in one bracket are not found";
        TEAMS_CLAIM_WITHOUT_MARKER = Warning "teams-claim-without-marker": "a claim whose number is not in the text is not shown";
        TEAMS_MARKER_WITHOUT_CLAIM = Note "teams-marker-without-claim": "a number in brackets that no claim describes";

        TEAMS_STREAM_ONLY_IN_CHANNEL_DATA = Error "teams-stream-only-in-channel-data": "Teams reads stream metadata from the `streaminfo` entity";
        TEAMS_STREAM_IN_GROUP = Error "teams-stream-in-group": "Teams streams in one-on-one chats only";
        TEAMS_STREAM_TEXT_MISSING = Error "teams-stream-text-missing": "Teams refuses an activity of a stream without a text";
        TEAMS_STREAM_TEXT_CHANGED = Error "teams-stream-text-changed": "Teams refuses a text that does not begin with what was streamed before";
        TEAMS_STREAM_FIRST_WITH_ID = Error "teams-stream-first-with-id": "the first activity of a stream names an id that Teams has not given";
        TEAMS_STREAM_WITHOUT_ID = Error "teams-stream-without-id": "a later activity of a stream does not name the stream";
        TEAMS_STREAM_NOT_FROM_ONE = Warning "teams-stream-not-from-one": "the first activity of a stream does not have the number 1";
        TEAMS_STREAM_INFORMATIVE_LATE = Warning "teams-stream-informative-late": "an informative update after the first words of the answer";
        TEAMS_STREAM_FINAL_ONLY = Warning "teams-stream-final-only": "claims, labels and feedback belong to the final activity";
        TEAMS_STREAM_CARD = Error "teams-stream-card": "Teams fails on an Adaptive Card in a claim of a stream";
        TEAMS_STREAM_TWO_AT_ONCE = Warning "teams-stream-two-at-once": "a stream begins while another one is running";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_in_kebab_case() {
        let codes: BTreeSet<_> = rules().iter().map(|rule| rule.code).collect();
        assert_eq!(codes.len(), rules().len());
        for code in codes {
            assert!(code.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{code}");
        }
    }

    /// The rows of the table under a heading.
    fn rows<'d>(document: &'d str, heading: &str) -> Vec<&'d str> {
        let section = document.lines().skip_while(|line| *line != heading).skip(1);
        section.take_while(|line| !line.starts_with('#')).filter(|line| line.starts_with("| `")).collect()
    }

    #[test]
    fn the_documentation_lists_exactly_these_rules_by_channel() {
        let document = include_str!("../../../docs/reference/check.md");
        for (heading, channel) in
            [("### Every channel", None), ("### Web Chat", Some(Channel::WebChat)), ("### Teams", Some(Channel::Teams))]
        {
            let ours: Vec<_> = rules()
                .iter()
                .filter(|rule| rule.channel == channel)
                .map(|rule| format!("| `{}` | {} | {} |", rule.code, rule.severity, rule.meaning))
                .collect();
            assert_eq!(rows(document, heading), ours, "{heading}");
        }
    }
}
