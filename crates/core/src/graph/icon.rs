//! The document icons of Teams.

use serde::Serialize;

use crate::answer::Source;
use crate::url::WebUrl;

/// The icon names that Teams accepts; it refuses others.
pub const ICONS: [&str; 21] = [
    "Microsoft Word",
    "Microsoft Excel",
    "Microsoft PowerPoint",
    "Microsoft OneNote",
    "Microsoft SharePoint",
    "Microsoft Visio",
    "Microsoft Loop",
    "Microsoft Whiteboard",
    "Adobe Illustrator",
    "Adobe Photoshop",
    "Adobe InDesign",
    "Adobe Flash",
    "Sketch",
    "Source Code",
    "Image",
    "GIF",
    "Video",
    "Sound",
    "ZIP",
    "Text",
    "PDF",
];

/// The icon of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImageObject {
    #[serde(rename = "@type")]
    kind: &'static str,
    /// One of [`ICONS`].
    pub name: &'static str,
}

impl ImageObject {
    /// The icon of a document: by the name that the caller gave, else by media type, else by file name. `None` if none fits.
    #[must_use]
    pub fn of(source: &Source) -> Option<Self> {
        let named =
            source.icon.as_deref().and_then(|icon| ICONS.into_iter().find(|name| name.eq_ignore_ascii_case(icon)));
        let name = named
            .or_else(|| source.media_type.as_deref().and_then(of_media_type))
            .or_else(|| source.file_name().and_then(|name| of_file(&name)))
            .or_else(|| source.url.as_ref().and_then(WebUrl::file_name).and_then(|name| of_file(&name)))?;
        Some(Self { kind: "ImageObject", name })
    }
}

fn of_media_type(media_type: &str) -> Option<&'static str> {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (top, sub) = essence.split_once('/')?;
    Some(match (top, sub) {
        ("application", "pdf") => "PDF",
        ("application", "msword") => "Microsoft Word",
        ("application", "vnd.ms-excel") => "Microsoft Excel",
        ("application", "vnd.ms-powerpoint") => "Microsoft PowerPoint",
        ("application", "onenote" | "msonenote") => "Microsoft OneNote",
        ("application", "vnd.visio" | "vnd.ms-visio.drawing") => "Microsoft Visio",
        ("application", "zip" | "x-zip-compressed" | "gzip" | "x-7z-compressed") => "ZIP",
        ("application", "illustrator") => "Adobe Illustrator",
        ("application", "json" | "xml" | "javascript" | "x-sh") | ("text", "javascript" | "css" | "x-python") => {
            "Source Code"
        }
        ("image", "vnd.adobe.photoshop") => "Adobe Photoshop",
        ("image", "gif") => "GIF",
        ("image", _) => "Image",
        ("video", _) => "Video",
        ("audio", _) => "Sound",
        ("text", "csv") => "Microsoft Excel",
        ("text", "plain" | "markdown") => "Text",
        ("application", sub) if sub.contains("wordprocessingml") => "Microsoft Word",
        ("application", sub) if sub.contains("spreadsheetml") => "Microsoft Excel",
        ("application", sub) if sub.contains("presentationml") => "Microsoft PowerPoint",
        _ => return None,
    })
}

fn of_file(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "doc" | "docx" | "docm" | "dotx" | "rtf" => "Microsoft Word",
        "xls" | "xlsx" | "xlsm" | "csv" => "Microsoft Excel",
        "ppt" | "pptx" | "pptm" | "ppsx" => "Microsoft PowerPoint",
        "one" | "onepkg" => "Microsoft OneNote",
        "aspx" => "Microsoft SharePoint",
        "vsd" | "vsdx" => "Microsoft Visio",
        "loop" | "fluid" => "Microsoft Loop",
        "whiteboard" => "Microsoft Whiteboard",
        "ai" => "Adobe Illustrator",
        "psd" => "Adobe Photoshop",
        "indd" => "Adobe InDesign",
        "swf" | "fla" => "Adobe Flash",
        "sketch" => "Sketch",
        "c" | "cpp" | "cs" | "css" | "go" | "h" | "java" | "js" | "json" | "kt" | "php" | "ps1" | "py" | "rb"
        | "rs" | "sh" | "sql" | "ts" | "xml" | "yaml" | "yml" => "Source Code",
        "png" | "jpg" | "jpeg" | "bmp" | "svg" | "tif" | "tiff" | "webp" => "Image",
        "gif" => "GIF",
        "mp4" | "mov" | "avi" | "mkv" | "webm" | "wmv" => "Video",
        "mp3" | "wav" | "m4a" | "ogg" | "flac" => "Sound",
        "zip" | "7z" | "gz" | "tar" | "rar" => "ZIP",
        "txt" | "md" | "log" => "Text",
        "pdf" => "PDF",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn icon(
        icon: Option<&str>,
        media_type: Option<&str>,
        file: Option<&str>,
        url: Option<&str>,
    ) -> Option<&'static str> {
        let source = Source {
            icon: icon.map(Into::into),
            media_type: media_type.map(Into::into),
            filepath: file.map(Into::into),
            url: url.and_then(|url| url.parse().ok()),
            ..Source::default()
        };
        ImageObject::of(&source).map(|image| image.name)
    }

    #[test]
    fn the_callers_icon_wins_when_teams_knows_it() {
        assert_eq!(icon(Some("Microsoft Loop"), Some("application/pdf"), None, None), Some("Microsoft Loop"));
        assert_eq!(icon(Some("pdf"), None, None, None), Some("PDF"));
        assert_eq!(icon(Some("Dragon"), Some("application/pdf"), None, None), Some("PDF"));
    }

    #[test]
    fn media_type_file_name_and_address_follow_in_this_order() {
        assert_eq!(icon(None, Some("image/png; q=1"), Some("a.pdf"), None), Some("Image"));
        assert_eq!(icon(None, Some("application/x-unknown"), Some("hr/a.DOCX"), None), Some("Microsoft Word"));
        assert_eq!(icon(None, None, None, Some("https://x/a.xlsx?b=c.pdf")), Some("Microsoft Excel"));
        assert_eq!(icon(None, None, None, Some("https://x/")), None);
        let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        assert_eq!(icon(None, Some(sheet), None, None), Some("Microsoft Excel"));
    }
}
