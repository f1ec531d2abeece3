//! Files that a client uploads with an activity.

use serde_json::{Value, json};

use super::{ActivityError, ClientActivity};
use crate::activity::{Activity, Attachment as ActivityAttachment, ChannelAccount, Role};

/// The media type of a file without one.
pub const UNKNOWN_MEDIA_TYPE: &str = "application/octet-stream";

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedFile {
    /// The name that its sender gave it.
    pub name: Option<String>,
    /// Its media type, when the sender says.
    pub content_type: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

impl UploadedFile {
    /// A file.
    #[must_use]
    pub fn new(name: Option<String>, content_type: Option<String>, bytes: Vec<u8>) -> Self {
        Self { name, content_type, bytes }
    }
}

/// Files, and the activity that they belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Upload {
    /// The activity; a message when there is none.
    pub template: Option<ClientActivity>,
    /// The files, in the order in which they came.
    pub files: Vec<UploadedFile>,
    /// The user whom the address names.
    pub user: Option<String>,
}

impl Upload {
    /// Reads the template.
    ///
    /// # Errors
    /// When it is no activity.
    pub fn set_template(&mut self, body: &[u8]) -> Result<(), ActivityError> {
        self.template = Some(ClientActivity::parse(body)?);
        Ok(())
    }

    /// The activity without its files, and the files. The template knows the sender better than the address does, in which
    /// clients do not escape what has to be escaped.
    pub(super) fn into_parts(self) -> (Activity, Vec<UploadedFile>) {
        let Self { template, files, user } = self;
        let mut activity = template.map_or_else(|| Activity::new("message"), ClientActivity::into_inner);
        let names_nobody = activity.from.as_ref().and_then(|from| from.id.as_ref()).is_none_or(String::is_empty);
        if let Some(user) = user.filter(|user| names_nobody && !user.is_empty()) {
            activity.from = Some(ChannelAccount::new(user, Role::User));
        }
        (activity, files)
    }
}

/// Which attachment of the activity each file is; `None` is another one. A file and the attachment of its name are the
/// same; what has no name in common goes by its place. Clients send the files in the order in which they had read them,
/// which need not be that of the template.
pub(super) fn places(attachments: &[ActivityAttachment], files: &[UploadedFile]) -> Vec<Option<usize>> {
    let mut free: Vec<bool> = attachments.iter().map(is_awaiting).collect();
    let mut places = vec![None; files.len()];
    for (file, place) in files.iter().zip(&mut places) {
        let of_this_name =
            |at: &usize| free[*at] && file.name.is_some() && name(&attachments[*at]) == file.name.as_deref();
        *place = (0..attachments.len()).find(of_this_name);
        if let Some(at) = *place {
            free[at] = false;
        }
    }
    let mut rest = (0..attachments.len()).filter(|at| free[*at]);
    for place in places.iter_mut().filter(|place| place.is_none()) {
        *place = rest.next();
    }
    places
}

/// Whether the attachment is waiting for its file: a card has content, and another file an address of its own.
fn is_awaiting(attachment: &ActivityAttachment) -> bool {
    !attachment.extra.contains_key("contentUrl") && !attachment.extra.contains_key("content")
}

fn name(attachment: &ActivityAttachment) -> Option<&str> {
    attachment.extra.get("name").and_then(Value::as_str)
}

/// Makes the attachment that of the file, which can be fetched at `url`. What the template says of it stays.
pub(super) fn fill(attachment: &mut ActivityAttachment, file: &UploadedFile, url: &str) {
    let given = file.content_type.clone();
    attachment.content_type.get_or_insert_with(|| given.unwrap_or_else(|| UNKNOWN_MEDIA_TYPE.to_owned()));
    attachment.extra.insert("contentUrl".to_owned(), json!(url));
    if let (None, Some(name)) = (name(attachment), &file.name) {
        attachment.extra.insert("name".to_owned(), json!(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachments(names: &[Option<&str>]) -> Vec<ActivityAttachment> {
        let attachment = |name: &Option<&str>| serde_json::from_value(json!({"name": name})).expect("an attachment");
        names
            .iter()
            .map(attachment)
            .map(|mut attachment: ActivityAttachment| {
                attachment.extra.retain(|_, value| !value.is_null());
                attachment
            })
            .collect()
    }

    fn files(names: &[Option<&str>]) -> Vec<UploadedFile> {
        names.iter().map(|name| UploadedFile::new(name.map(str::to_owned), None, Vec::new())).collect()
    }

    #[test]
    fn files_find_their_attachments_by_name_and_else_by_place() {
        let (a, b, c) = (Some("a"), Some("b"), Some("c"));
        for (template, sent, expected) in [
            ([a, b], [a, b], [Some(0), Some(1)]),
            ([a, b], [b, a], [Some(1), Some(0)]),
            ([None, None], [a, b], [Some(0), Some(1)]),
            ([a, b], [c, a], [Some(1), Some(0)]),
            ([a, a], [a, a], [Some(0), Some(1)]),
        ] {
            assert_eq!(places(&attachments(&template), &files(&sent)), expected, "{template:?} {sent:?}");
        }
        assert_eq!(places(&attachments(&[a]), &files(&[b, c])), [Some(0), None]);
        assert_eq!(places(&[], &files(&[a])), [None]);
    }

    #[test]
    fn cards_and_files_elsewhere_are_left_alone() {
        let template: Vec<ActivityAttachment> = serde_json::from_value(json!([
            {"contentType": "application/vnd.microsoft.card.hero", "content": {}},
            {"contentType": "image/png", "contentUrl": "https://a.example/a.png"}, {"contentType": "image/png"}
        ]))
        .expect("attachments");
        assert_eq!(places(&template, &files(&[Some("x")])), [Some(2)]);
    }

    #[test]
    fn what_the_template_says_of_a_file_stays() {
        let file = UploadedFile::new(Some("b.txt".to_owned()), Some("text/plain".to_owned()), Vec::new());
        let mut told: ActivityAttachment =
            serde_json::from_value(json!({"contentType": "text/markdown", "name": "a.md"})).expect("an attachment");
        fill(&mut told, &file, "u");
        let mut untold = ActivityAttachment::default();
        fill(&mut untold, &file, "u");
        let wire = |attachment| serde_json::to_value(attachment).expect("JSON");
        assert_eq!(wire(told), json!({"contentType": "text/markdown", "name": "a.md", "contentUrl": "u"}));
        assert_eq!(wire(untold), json!({"contentType": "text/plain", "name": "b.txt", "contentUrl": "u"}));
    }
}
