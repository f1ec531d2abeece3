//! Files in the store.

use std::fmt;

/// A file that belongs to a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its media type, as the caller has it.
    pub content_type: String,
    /// The name that its sender gave it.
    pub name: Option<String>,
    /// The content, as raw bytes.
    pub bytes: Vec<u8>,
}

impl Attachment {
    /// An attachment.
    #[must_use]
    pub fn new(content_type: impl Into<String>, name: Option<String>, bytes: Vec<u8>) -> Self {
        Self { content_type: content_type.into(), name, bytes }
    }
}

impl fmt::Debug for Attachment {
    /// Without the content, which is a user's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment")
            .field("content_type", &self.content_type)
            .field("name", &self.name)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_is_not_in_debug_output() {
        let attachment = Attachment::new("text/plain", Some("a.txt".to_owned()), b"hunter2".to_vec());
        let debug = format!("{attachment:?}");
        assert!(debug.contains("a.txt") && debug.contains('7') && !debug.contains("104"), "{debug}");
    }
}
