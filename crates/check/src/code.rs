//! The table of all finding codes. `docs/reference/check.md` is tested against it.

use super::{Channel, Profile, Severity};

/// One rule: its code, severity and meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable code for programs: kebab-case, never reused for another meaning.
    pub code: &'static str,
    /// The severity of every finding with this code.
    pub severity: Severity,
    /// The channel that has the rule; `None` for all channels.
    pub channel: Option<Channel>,
    /// The profile that has the rule; `None` for a rule without one.
    pub profile: Option<Profile>,
    /// The meaning of the code, in one line.
    pub meaning: &'static str,
}

/// Defines a constant for each rule and lists all of them, so that [`rules`] cannot miss one.
macro_rules! rules {
    ($($channel:expr, $profile:expr => { $($name:ident = $severity:ident $code:literal: $meaning:literal;)* })*) => {
        $($(pub(super) const $name: Rule =
            Rule { code: $code, severity: Severity::$severity, channel: $channel, profile: $profile, meaning: $meaning };)*)*

        /// All rules in the order of the documentation: those of every channel, of Web Chat, of Teams; each from the
        /// envelope to its content.
        #[must_use]
        pub fn rules() -> &'static [Rule] {
            &[$($($name),*),*]
        }
    };
}

rules! {
    None, None => {
        NOT_AN_ACTIVITY = Error "not-an-activity": "no Activity, list or Message thing";
        NESTING_TOO_DEEP = Warning "nesting-too-deep": "deep JSON is not checked";
        FINDINGS_CAPPED = Note "findings-capped": "more findings with one code";
        ACTIVITY_TYPE_MISSING = Error "activity-type-missing": "no client draws it";
        ACTIVITY_TYPE_UNKNOWN = Error "activity-type-unknown": "no client draws it";
        TEXT_NOT_STRING = Error "text-not-string": "`text` is not a string";
        ENTITIES_NOT_LIST = Error "entities-not-list": "`entities` is not a list";
        CHANNEL_DIFFERS = Note "channel-differs": "`channelId` names another channel";
        NOTHING_TO_CHECK = Note "nothing-to-check": "list has no activities";
        ENTITY_NOT_OBJECT = Note "entity-not-object": "entity is not an object";
        MESSAGE_WRAPPED = Error "message-wrapped": "Message in a list or string of its own: not read";
        MESSAGE_MISPLACED = Error "message-misplaced": "citations, AI mark or label outside `entities`";
        FEEDBACK_MISPLACED = Warning "feedback-misplaced": "no thumbs: belongs in `channelData.feedbackLoop`";
        SUGGESTED_ACTIONS_MALFORMED = Error "suggested-actions-malformed": "no buttons";
        MEMBER_MISSPELT = Warning "member-misspelt": "almost a member of activities";
        CITATION_MISSPELT = Error "citation-misspelt": "almost `citation`: no claim is read";
        TERM_MISSPELT = Warning "term-misspelt": "almost a schema.org term";
        TERM_UNKNOWN = Note "term-unknown": "unknown property";
        CLAIM_MEMBER_MISPLACED = Warning "claim-member-misplaced": "belongs in `appearance`";
        PLAIN_TEXT_MARKUP = Warning "plain-text-markup": "plain format: users see the signs";
        TEXT_MARKER_RAW = Error "text-marker-raw": "marker that only a provider reads";
        MARKER_WITHOUT_CLAIM = Note "marker-without-claim": "Message has no claims: literal text";

        STREAM_ENTITY_MISSPELT = Warning "stream-entity-misspelt": "almost `streaminfo`: not read";
        STREAM_PLACES_DIFFER = Warning "stream-places-differ": "`channelData` contradicts `streaminfo`";
        STREAM_TYPE_UNKNOWN = Error "stream-type-unknown": "unknown `streamType`";
        STREAM_KIND_MISMATCH = Error "stream-kind-mismatch": "`type` contradicts `streamType`";
        STREAM_SEQUENCE_INVALID = Error "stream-sequence-invalid": "`streamSequence` is no positive integer";
        STREAM_SEQUENCE_NOT_RISING = Warning "stream-sequence-not-rising": "activity is ignored";
        STREAM_SEQUENCE_GAP = Note "stream-sequence-gap": "a number is missing";
        STREAM_FINAL_WITH_SEQUENCE = Warning "stream-final-with-sequence": "final has `streamSequence`";
        STREAM_AFTER_FINAL = Warning "stream-after-final": "activity is ignored";
        STREAM_ATTACHMENTS_EARLY = Warning "stream-attachments-early": "only finals carry attachments";
        STREAM_WITHOUT_FINAL = Note "stream-without-final": "stream does not end here";
    }
    Some(Channel::WebChat), None => {
        TEXT_FORMAT_PLAIN = Error "text-format-plain": "citations appear as raw text";
        TEXT_FORMAT_UNUSUAL = Note "text-format-unusual": "still read as Markdown";
        MESSAGE_EMPTY = Error "message-empty": "nothing is drawn";
        TIMESTAMP_INVALID = Warning "timestamp-invalid": "`timestamp` is not RFC 3339";
        TYPING_WITH_TEXT = Warning "typing-with-text": "drawn as a message";
        SENDER_IS_USER = Warning "sender-is-user": "drawn as the user's own words";
        SENDER_NOT_BOT = Warning "sender-not-bot": "no interpreter, no thumbs";
        FALLBACK_TEXT_EMPTY = Warning "fallback-text-empty": "screen readers skip the message";
        FEEDBACK_LOOP_WINS = Note "feedback-loop-wins": "`channelData.feedbackLoop` replaces `potentialAction`";

        ENTITY_NULL = Error "entity-null": "blank message";
        ENTITY_TYPE_NOT_STRING = Error "entity-type-not-string": "blank message";
        FOREIGN_ENTITY_FATAL = Error "foreign-entity-fatal": "malformed earlier entity: blank message";
        MESSAGE_CONTEXT_WRONG = Error "message-context-wrong": "not `https://schema.org`: blank message";
        MESSAGE_ID_NOT_STRING = Error "message-id-not-string": "blank message";
        MESSAGE_AT_TYPE_MISSING = Error "message-at-type-missing": "blank message";
        MESSAGE_ID_MISSING = Error "message-id-missing": "Message needs `@id: \"\"`";
        MESSAGE_ID_NOT_EMPTY = Error "message-id-not-empty": "Message is ignored";
        MESSAGE_TYPE_WRONG = Error "message-type-wrong": "Message is ignored";
        MESSAGE_TYPE_UNUSUAL = Note "message-type-unusual": "other readers ignore Message";
        MESSAGE_SECOND = Warning "message-second": "second Message is ignored";
        MESSAGE_NOT_FIRST = Note "message-not-first": "other entity comes first";
        MESSAGE_MISSING = Note "message-missing": "plain links, no titles or labels";
        CLAIM_AT_ROOT = Warning "claim-at-root": "nobody reads it";
        ROOT_CLAIM_DEAD = Error "root-claim-dead": "list entry is a dead button in 4.18.1";
        ROOT_ENTITY_DEPRECATED = Note "root-entity-deprecated": "Web Chat will drop this";
        ACTION_IGNORED = Warning "action-ignored": "action is not drawn";
        FEEDBACK_WITHOUT_ID = Note "feedback-without-id": "thumb does not identify the answer";
        COLLAPSIBLE_WITHOUT_ABSTRACT = Warning "collapsible-without-abstract": "folded message shows nothing";

        NESTED_NOT_OBJECT = Warning "nested-not-object": "thing is ignored";
        NESTED_TYPE_MISSING = Warning "nested-type-missing": "thing is ignored";
        NESTED_ID_NOT_STRING = Warning "nested-id-not-string": "thing is ignored";
        NESTED_CONTEXT_WRONG = Warning "nested-context-wrong": "thing is ignored";
        POSITION_MISSING = Warning "position-missing": "claim belongs to no citation";
        POSITION_UNMATCHABLE = Warning "position-unmatchable": "no Markdown label matches";
        POSITION_REPEATED = Error "position-repeated": "second source is lost";
        CLAIM_OVERRULED = Warning "claim-overruled": "another claim has its position: no title, no label";
        PASSAGE_MISSING = Error "passage-missing": "pressing the badge removes Web Chat";
        PASSAGE_EMPTY = Warning "passage-empty": "empty dialog";
        PASSAGE_CARD = Warning "passage-card": "Adaptive Card: dialog shows JSON";
        PASSAGE_ACTIVE = Warning "passage-active": "HTML or image in dialog";
        CLAIM_NAME_EMPTY = Warning "claim-name-empty": "empty `name` replaces other titles";
        APPEARANCE_MISSING = Warning "appearance-missing": "claim shows Markdown's title, no label";
        APPEARANCE_SCHEME_UNSAFE = Error "appearance-scheme-unsafe": "dangerous link in reference list";
        INTERPRETER_NOT_FIRST = Warning "interpreter-not-first": "only the first claim's appears";
        INTERPRETER_DIFFERS = Note "interpreter-differs": "second interpreter never appears";
        INTERPRETER_WITHOUT_NAME = Warning "interpreter-without-name": "invisible link";
        INTERPRETER_MARKUP = Warning "interpreter-markup": "plain text: users see the signs";
        INTERPRETER_SCHEME_UNSAFE = Error "interpreter-scheme-unsafe": "dangerous link in status line";

        REFERENCE_DANGLING = Warning "reference-dangling": "referenced node is not described";
        LABEL_DANGLING = Warning "label-dangling": "node not described: no label";
        LABEL_ID_NOT_BLANK = Warning "label-id-not-blank": "`@id` must start with `_:`";
        BLANK_NODE_TWO_BODIES = Error "blank-node-two-bodies": "wrong label may appear";
        LABEL_NAME_MISSING = Warning "label-name-missing": "label without name";
        LABEL_WITHOUT_CITATION = Warning "label-without-citation": "no reference list: label invisible";
        LABEL_LOCK_MISSING = Warning "label-lock-missing": "lock needs `encrypted-content`";
        LABEL_PATTERN_INVALID = Warning "label-pattern-invalid": "`pattern` is no color";
        LABEL_COLOR_UNKNOWN = Warning "label-color-unknown": "no color of CSS Color 4";
        LABEL_COLOR_DANGEROUS = Error "label-color-dangerous": "browser would fetch something";

        TEXT_MOJIBAKE = Warning "text-mojibake": "UTF-8 read as Windows-1252";
        TEXT_IMAGE = Warning "text-image": "image loads immediately";
        TEXT_LOST = Error "text-lost": "4.18.1 drops text behind block elements of HTML";
        TEXT_HTML = Warning "text-html": "raw HTML is not drawn";
        TEXT_FORGED_BUTTON = Error "text-forged-button": "HTML button: may pass for a citation";
        TEXT_FORMULA = Warning "text-formula": "4.18.1 shows formulas as their source";
        TEXT_FOOTNOTE = Warning "text-footnote": "4.18.1 shows footnotes as they are written";
        TEXT_TASK_LIST = Warning "text-task-list": "4.18.1 shows `[ ]` and `[x]`";
        TEXT_IMAGE_RAW = Warning "text-image-raw": "4.18.1 shows the picture as its source";
        TEXT_MARKDOWN_IN_HTML = Warning "text-markdown-in-html": "Markdown in HTML is not read";
        LINK_SCHEME_UNSAFE = Warning "link-scheme-unsafe": "dangerous link in text";
        MARKERS_FUSED = Error "markers-fused": "two markers became one link";
        MARKERS_JOINED = Error "markers-joined": "several numbers in one bracket: no badge";
        MARKER_SWALLOWED = Error "marker-swallowed": "bracket follows: no link";
        MARKER_IS_LINK = Error "marker-is-link": "`(` follows: wrong target";
        MARKER_IS_IMAGE = Error "marker-is-image": "`!` before: image";
        MARKER_CASE_DIFFERS = Warning "marker-case-differs": "no badge";
        MARKER_LABEL_CHANGED = Warning "marker-label-changed": "drawn otherwise than written: no badge";
        MARKER_IN_CODE = Warning "marker-in-code": "only marker of a source: no badge";
        MARKER_IN_HTML = Error "marker-in-html": "block of HTML: no badge";
        MARKER_WITHOUT_DEFINITION = Error "marker-without-definition": "literal text";
        DEFINITION_LITERAL = Error "definition-literal": "drawn below or behind other text, as text";
        DEFINITION_MALFORMED = Error "definition-malformed": "drawn as text";
        DEFINITION_NESTED = Error "definition-nested": "missing from reference list";
        DEFINITION_DUPLICATE_LABEL = Error "definition-duplicate-label": "first wins, both are listed";
        DEFINITION_DUPLICATE_URL = Warning "definition-duplicate-url": "only first is a badge";
        DEFINITION_DUPLICATE_PASSAGE = Error "definition-duplicate-passage": "second badge opens first passage";
        DEFINITION_SCHEME_UNSAFE = Error "definition-scheme-unsafe": "dangerous address";
        DEFINITION_SCHEME_UNUSUAL = Note "definition-scheme-unusual": "opens another program";
        DEFINITION_URL_CHARACTERS = Warning "definition-url-characters": "no badge in 4.18.1";
        DEFINITION_LABEL_CARET = Error "definition-label-caret": "`^`: footnote in newer versions";
        DEFINITIONS_OUT_OF_ORDER = Note "definitions-out-of-order": "list ignores the numbers";

        DEFINITION_UNCITED = Note "definition-uncited": "listed without being cited";
        DEFINITION_WITHOUT_CLAIM = Warning "definition-without-claim": "no claim describes it";
        CLAIM_WITHOUT_DEFINITION = Error "claim-without-definition": "claim is not shown";
        CITATION_UNOPENABLE = Error "citation-unopenable": "a badge that does nothing";
        CITATION_WITHOUT_TITLE = Warning "citation-without-title": "list entry without words";
        URL_DIFFERS = Error "url-differs": "badge and list disagree";
        APPEARANCE_URL_MISSING = Warning "appearance-url-missing": "badge opens page, list opens dialog without link";

        IRI_INVALID = Warning "iri-invalid": "no valid IRI";
        NODE_ID_INVALID = Note "node-id-invalid": "`@id` is no IRI";
        CLAIMS_MERGE = Warning "claims-merge": "claims share an `@id`";
        LINKED_DATA_INVALID = Warning "linked-data-invalid": "invalid JSON-LD";

        TWO_BOT_MESSAGES = Note "two-bot-messages": "next message hides interpreter, thumbs";
        TIMESTAMP_GOES_BACK = Warning "timestamp-goes-back": "message moves up";
        ID_REPEATED = Warning "id-repeated": "second activity replaces first";
        REPLY_TO_UNKNOWN = Warning "reply-to-unknown": "answer waits five seconds";
        ECHO_WITHOUT_CLIENT_ID = Warning "echo-without-client-activity-id": "user's message appears unsent";

        STREAM_ONLY_IN_ENTITIES = Error "stream-only-in-entities": "4.18.1 reads `channelData` only";
        STREAM_FIRST_WITHOUT_ID = Note "stream-first-without-id": "first activity lacks stream id";
        STREAM_SECOND_WITHOUT_ID = Error "stream-second-without-id": "drawn above the first stream";
        STREAM_ACTIVITY_WITHOUT_ID = Error "stream-activity-without-id": "newer versions draw a bubble of its own";
        STREAM_CHUNK_WITHOUT_ID = Error "stream-chunk-without-id": "later activity lacks `streamId`";
        STREAM_ID_UNKNOWN = Warning "stream-id-unknown": "no earlier activity matches";
        STREAM_FINAL_NOT_LATER = Error "stream-final-not-later": "`timestamp` too early: final lost";
        STREAM_FINAL_TYPING = Error "stream-final-typing": "4.18.1 leaves half an answer";
        STREAM_LATE_REPLACES_FINAL = Error "stream-late-replaces-final": "late chunk replaces final";
        STREAM_CHUNK_DELTA = Warning "stream-chunk-delta": "a piece, not the text so far";
        STREAM_CHUNK_EMPTY = Warning "stream-chunk-empty": "bubble vanishes";
        STREAM_CHUNK_WITHOUT_DEFINITIONS = Warning "stream-chunk-without-definitions": "markers lack definitions";
        STREAM_CHUNK_WITHOUT_MESSAGE = Warning "stream-chunk-without-message": "chunk lacks Message";
    }
    Some(Channel::Teams), None => {
        TEAMS_EXTENDED_FORMAT_MISSING = Warning "teams-extended-format-missing": "table, formula, task list or image as raw text";
        TEAMS_TEXT_FORMAT = Warning "teams-text-format": "citations undocumented for this format";
        TEAMS_MESSAGE_EMPTY = Error "teams-message-empty": "refused: no text, no attachment";
        TEAMS_MESSAGE_TOO_LARGE = Error "teams-message-too-large": "refused above 100 KB UTF-16";
        TEAMS_MESSAGE_LARGE = Warning "teams-message-large": "above advised 80 KB UTF-16";
        TEAMS_INFORMATIVE_TOO_LONG = Error "teams-informative-too-long": "above 1 KB or 1000 characters";
        TEAMS_FEEDBACK_INVALID = Warning "teams-feedback-invalid": "neither `default` nor `custom`";
        TEAMS_FEEDBACK_TWICE = Warning "teams-feedback-twice": "both forms of feedback";

        TEAMS_MESSAGE_SECOND = Error "teams-message-second": "refused";
        TEAMS_MESSAGE_MALFORMED = Error "teams-message-malformed": "wrong `type`, `@type` or `@context`";
        TEAMS_ID_NOT_EMPTY = Warning "teams-id-not-empty": "Message needs `@id: \"\"`";
        TEAMS_CLAIM_AT_ROOT = Error "teams-claim-at-root": "claim is ignored";
        TEAMS_AI_LABEL_MISPLACED = Warning "teams-ai-label-misplaced": "belongs in `additionalType`";
        TEAMS_AI_LABEL_EMPTY = Warning "teams-ai-label-empty": "empty list: the emulator refuses it";
        TEAMS_AI_LABEL_MALFORMED = Error "teams-ai-label-malformed": "refused: needs list with `AIGeneratedContent`";

        TEAMS_CITATION_NOT_LIST = Error "teams-citation-not-list": "`citation` is not a list";
        TEAMS_CLAIMS_TOO_MANY = Error "teams-claims-too-many": "refused above 20";
        TEAMS_CLAIM_TYPE_WRONG = Error "teams-claim-type-wrong": "needs `@type` `Claim`";
        TEAMS_POSITION_INVALID = Error "teams-position-invalid": "needs one to nine digits";
        TEAMS_POSITION_TEXT = Warning "teams-position-text": "string, not number";
        TEAMS_POSITION_REPEATED = Error "teams-position-repeated": "two claims, one position";
        TEAMS_POSITIONS_OUT_OF_ORDER = Warning "teams-positions-out-of-order": "claims that do not ascend";
        TEAMS_APPEARANCE_EMPTY = Error "teams-appearance-empty": "refused";
        TEAMS_APPEARANCE_TYPE_WRONG = Error "teams-appearance-type-wrong": "needs `@type` `DigitalDocument`";
        TEAMS_NAME_MISSING = Error "teams-name-missing": "refused";
        TEAMS_NAME_TOO_LONG = Error "teams-name-too-long": "above 80 characters";
        TEAMS_ABSTRACT_TOO_LONG = Error "teams-abstract-too-long": "refused above 480 characters";
        TEAMS_ABSTRACT_LONG = Warning "teams-abstract-long": "above documented 160 characters";
        TEAMS_KEYWORDS_TOO_MANY = Error "teams-keywords-too-many": "refused above three";
        TEAMS_KEYWORD_TOO_LONG = Error "teams-keyword-too-long": "above 28 characters";
        TEAMS_ICON_UNKNOWN = Error "teams-icon-unknown": "not in Teams' list";
        TEAMS_URL_NOT_WEB = Error "teams-url-not-web": "needs absolute http(s) address";
        TEAMS_CARD_INCOMPLETE = Error "teams-card-incomplete": "refused: `text` and `encodingFormat` needed";
        TEAMS_CARD_INVALID = Error "teams-card-invalid": "refused: no Adaptive Card";
        TEAMS_CARD_INTERACTIVE = Warning "teams-card-interactive": "inputs or actions";

        TEAMS_LABEL_INCOMPLETE = Error "teams-label-incomplete": "label needs all members";
        TEAMS_LABEL_WITHOUT_TWIN = Error "teams-label-without-twin": "refused: Message lacks this label";
        TEAMS_LABEL_DIFFERS = Error "teams-label-differs": "refused: one label, two texts";

        TEAMS_DEFINITION_IN_TEXT = Warning "teams-definition-in-text": "takes the place of badges";
        TEAMS_MARKERS_JOINED = Error "teams-markers-joined": "write `[1][2]`";
        TEAMS_CLAIMS_UNCITED = Error "teams-claims-uncited": "no source is shown";
        TEAMS_CLAIM_WITHOUT_MARKER = Warning "teams-claim-without-marker": "claim is not shown";
        TEAMS_MARKER_WITHOUT_CLAIM = Error "teams-marker-without-claim": "no claim describes it";

        TEAMS_STREAM_ONLY_IN_CHANNEL_DATA = Error "teams-stream-only-in-channel-data": "Teams reads `streaminfo` only";
        TEAMS_STREAM_IN_GROUP = Error "teams-stream-in-group": "only one-on-one chats stream";
        TEAMS_STREAM_TEXT_MISSING = Error "teams-stream-text-missing": "refused";
        TEAMS_STREAM_TEXT_CHANGED = Error "teams-stream-text-changed": "refused: earlier text must stay";
        TEAMS_STREAM_FIRST_WITH_ID = Error "teams-stream-first-with-id": "only Teams assigns ids";
        TEAMS_STREAM_WITHOUT_ID = Error "teams-stream-without-id": "later activity lacks `streamId`";
        TEAMS_STREAM_FINAL_WITH_SEQUENCE = Error "teams-stream-final-with-sequence": "final has `streamSequence`";
        TEAMS_STREAM_NOT_FROM_ONE = Warning "teams-stream-not-from-one": "first number is not 1";
        TEAMS_STREAM_INFORMATIVE_LATE = Warning "teams-stream-informative-late": "answer has already begun";
        TEAMS_STREAM_FINAL_ONLY = Warning "teams-stream-final-only": "only finals carry labels and feedback";
        TEAMS_STREAM_CLAIMS_EARLY = Note "teams-stream-claims-early": "claims in an update: pages contradict each other";
        TEAMS_STREAM_CARD = Error "teams-stream-card": "Teams fails on claims' cards";
        TEAMS_STREAM_TWO_AT_ONCE = Warning "teams-stream-two-at-once": "streams overlap";
    }
    None, Some(Profile::CopilotStore) => {
        COPILOT_SOURCE_WITHOUT_ADDRESS = Error "copilot-source-without-address": "readers cannot open the source";
    }
    None, Some(Profile::TeamsExtended) => {
        TEAMS_EXTENDED_HTML = Warning "teams-extended-html": "HTML is not documented";
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

    /// The lines of the lists under a heading. Each has a severity and its codes.
    fn listed<'d>(document: &'d str, heading: &str) -> Vec<&'d str> {
        let section = document.lines().skip_while(|line| *line != heading).skip(1);
        let section = section.take_while(|line| !line.starts_with("### ") && !line.starts_with("## "));
        section.filter(|line| line.starts_with("- `") || line.starts_with("**")).collect()
    }

    #[test]
    fn the_documentation_lists_exactly_these_rules_by_channel_and_severity() {
        let document = include_str!("../../../docs/reference/check.md");
        for (heading, channel, profile) in [
            ("### Every channel", None, None),
            ("### Web Chat", Some(Channel::WebChat), None),
            ("### Teams", Some(Channel::Teams), None),
            ("### Profile `copilot-store`", None, Some(Profile::CopilotStore)),
            ("### Profile `teams-extended`", None, Some(Profile::TeamsExtended)),
        ] {
            let mut ours = Vec::new();
            for (severity, title) in
                [(Severity::Error, "**error**"), (Severity::Warning, "**warning**"), (Severity::Note, "**note**")]
            {
                let is_ours =
                    |rule: &&Rule| (rule.channel, rule.profile, rule.severity) == (channel, profile, severity);
                let of_severity: Vec<_> = rules().iter().filter(is_ours).collect();
                if profile.is_none() || !of_severity.is_empty() {
                    ours.push(title.to_owned());
                }
                ours.extend(of_severity.iter().map(|rule| format!("- `{}`: {}", rule.code, rule.meaning)));
            }
            assert_eq!(listed(document, heading), ours, "{heading}");
        }
    }
}
