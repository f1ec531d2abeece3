//! The code that an answer rests on.

/// The program that a tool ran for the answer, such as that of a code interpreter. New versions of Web Chat show it behind a
/// button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceCode {
    /// The program.
    pub text: String,
    /// The name of its language, which is the title of the dialog.
    pub language: Option<String>,
}
