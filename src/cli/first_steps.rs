//! The first steps that `citewire serve` prints at its start.

use crate::config::KeyPlace;
use crate::url::WebUrl;

/// The answer in the printed command.
const ANSWER: &str = r#"{"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "url": "https://hr.contoso.example/leave"}]}"#;

/// The shell for which a command is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shell {
    /// A shell of Unix, with `curl`.
    Posix,
    /// PowerShell: its versions do not agree on how quotes reach `curl`, and it has a call of its own.
    PowerShell,
}

impl Shell {
    /// The one that users of this system have.
    pub(super) const HERE: Self = if cfg!(windows) { Self::PowerShell } else { Self::Posix };
}

/// A command that converts an answer, to be run as it is printed. `shown` is the key itself, for the terminal of the person
/// who started the server; elsewhere the line is kept in a log, so that it names the place of the key.
pub(super) fn convert(server: &WebUrl, key: &KeyPlace, shown: Option<&str>, shell: Shell) -> String {
    let url = format!("{}/v1/activities", server.as_str().trim_end_matches('/'));
    match shell {
        Shell::Posix => {
            let key = match (shown, key) {
                (Some(key), _) => posix_quoted(key),
                (None, KeyPlace::File(path)) => format!("$(cat {})", posix_path(&path.display().to_string())),
                (None, KeyPlace::Variable) => "$CITEWIRE_API_KEY".to_owned(),
                (None, KeyPlace::Configuration) => "YOUR-API-KEY".to_owned(),
            };
            format!("curl {url} -H \"Authorization: Bearer {key}\" -H \"Content-Type: application/json\" -d '{ANSWER}'")
        }
        Shell::PowerShell => {
            let key = match (shown, key) {
                (Some(key), _) => format!("'Bearer {}'", key.replace('\'', "''")),
                (None, KeyPlace::File(path)) => {
                    format!("\"Bearer $(Get-Content '{}')\"", path.display().to_string().replace('\'', "''"))
                }
                (None, KeyPlace::Variable) => "\"Bearer $env:CITEWIRE_API_KEY\"".to_owned(),
                (None, KeyPlace::Configuration) => "'Bearer YOUR-API-KEY'".to_owned(),
            };
            format!(
                "Invoke-RestMethod {url} -Method Post -ContentType application/json -Headers @{{ Authorization = {key} }} -Body '{ANSWER}' \
                 | ConvertTo-Json -Depth 9"
            )
        }
    }
}

/// Between double quotes, a shell of Unix reads these characters as more than themselves.
fn posix_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}

/// A path as one word inside `$(…)`.
fn posix_path(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@".contains(letter);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(key: &KeyPlace, shown: Option<&str>, shell: Shell) -> String {
        convert(&"http://127.0.0.1:3978".parse().expect("an address"), key, shown, shell)
    }

    /// The first `curl` of a new user was answered with 401, because nothing told them where the key was.
    #[test]
    fn the_command_has_the_key_on_a_terminal_and_its_place_elsewhere() {
        let file = KeyPlace::File("/home/ann/.local/share/citewire/api-key".into());
        let shown = printed(&file, Some("0123456789abcdef"), Shell::Posix);
        assert!(shown.contains("\"Authorization: Bearer 0123456789abcdef\""), "{shown}");
        let place = printed(&file, None, Shell::Posix);
        assert!(place.contains("Bearer $(cat /home/ann/.local/share/citewire/api-key)\""), "{place}");
        let variable = printed(&KeyPlace::Variable, None, Shell::Posix);
        assert!(variable.contains("Bearer $CITEWIRE_API_KEY\""), "{variable}");
        let configured = printed(&KeyPlace::Configuration, None, Shell::Posix);
        assert!(configured.contains("Bearer YOUR-API-KEY\""), "{configured}");
    }

    /// A folder may have a blank or an apostrophe in its name, and a key of one's own any character.
    #[cfg(unix)]
    #[test]
    fn the_shell_reads_odd_paths_and_keys_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("Ann's key");
        for key in ["plain-0123456789", "a\"b\\c$HOME`d`e'f"] {
            std::fs::write(&path, key).expect("written");
            for shown in [None, Some(key)] {
                let line = printed(&KeyPlace::File(path.clone()), shown, Shell::Posix);
                let echoed = line.replacen("curl", "printf '%s\\n'", 1);
                let output = std::process::Command::new("sh").args(["-c", &echoed]).output().expect("sh runs");
                let words: Vec<_> = std::str::from_utf8(&output.stdout).expect("UTF-8").lines().collect();
                assert_eq!(words[2], format!("Authorization: Bearer {key}"));
                assert_eq!(words.last(), Some(&ANSWER));
            }
        }
    }

    #[test]
    fn windows_gets_a_command_of_powershell() {
        let file = KeyPlace::File(r"C:\Users\Ann O'Hara\citewire\api-key".into());
        let line = printed(&file, None, Shell::PowerShell);
        assert!(line.contains(r#"Authorization = "Bearer $(Get-Content 'C:\Users\Ann O''Hara\citewire\api-key')" }"#));
        assert!(line.starts_with("Invoke-RestMethod http://127.0.0.1:3978/v1/activities -Method Post"), "{line}");
    }

    #[test]
    fn the_answer_of_the_command_is_one_that_citewire_reads() {
        let answer: serde_json::Value = serde_json::from_str(ANSWER).expect("JSON");
        assert!(answer["text"].as_str().is_some_and(|text| text.contains("[1]")) && !ANSWER.contains('\''));
    }
}
