//! The kinds of pairs, and how each is made from a sentence of a document.

use crate::corpus::{Corpus, Document};
use crate::random::Random;

/// A sentence and the passage that it is held against.
pub(crate) struct Pair {
    pub(crate) language: String,
    pub(crate) sentence: String,
    pub(crate) passage: String,
    /// A description of the change, for people.
    pub(crate) change: String,
}

pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The sentence is not held by the passage.
    pub(crate) is_wrong: bool,
    make: fn(&mut Maker<'_>) -> Option<Made>,
}

/// A sentence, what was changed in it, and the passage if it is not the one in which the sentence stands.
pub(crate) type Made = (String, String, Option<String>);

const fn right(name: &'static str, make: fn(&mut Maker<'_>) -> Option<Made>) -> Kind {
    Kind { name, is_wrong: false, make }
}

const fn wrong(name: &'static str, make: fn(&mut Maker<'_>) -> Option<Made>) -> Kind {
    Kind { name, is_wrong: true, make }
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "the methods are those of one lifetime each")]
pub(crate) const KINDS: &[Kind] = &[
    right("verbatim", |maker| Some((maker.sentence.to_owned(), String::new(), None))),
    right("quotation", |maker| Some((format!("The text says: “{}”.", maker.piece()?), String::new(), None))),
    right("light-edit", |maker| maker.light_edit()),
    right("reformatted", |maker| maker.reformatted()),
    right("framed", |maker| maker.framed()),
    right("reordered", |maker| maker.reordered()),
    right("name-added", |maker| maker.name_added()),
    right("synonym", |maker| maker.synonym()),
    right("table", |maker| maker.table(false)),
    right("other-language", |maker| maker.other_language()),
    right("other-language-same-page", |maker| maker.same_page()),
    wrong("quotation-changed", |maker| maker.misquoted()),
    wrong("number", |maker| maker.number(false)),
    wrong("number-word", |maker| maker.number_word()),
    wrong("number-paraphrased", |maker| maker.number(true)),
    wrong("unit", |maker| maker.unit()),
    wrong("month", |maker| maker.month()),
    wrong("name", |maker| maker.name(false)),
    wrong("name-paraphrased", |maker| maker.name(true)),
    wrong("negation", |maker| maker.negation(false)),
    wrong("negation-paraphrased", |maker| maker.negation(true)),
    wrong("unrelated", |maker| maker.unrelated()),
    wrong("table-swapped", |maker| maker.table(true)),
];

/// Pairs of a kind, at most so many.
pub(crate) fn pairs(corpus: &Corpus, kind: &Kind, random: &mut Random, most: usize) -> Vec<Pair> {
    let languages: Vec<&str> = corpus.languages().into_keys().collect();
    let by_language: Vec<Vec<&Document>> = languages
        .iter()
        .map(|language| corpus.documents.iter().filter(|document| document.language == *language).collect())
        .collect();
    let mut pairs = Vec::new();
    for turn in 0..most * 60 {
        if pairs.len() == most {
            break;
        }
        // English has the most texts, and as many turns as four others.
        let language = match turn % 3 {
            0 => languages.iter().position(|language| *language == "en").unwrap_or(0),
            1 if turn % 2 == 0 => languages.iter().position(|language| *language == "en-doc").unwrap_or(0),
            _ => random.below(languages.len()),
        };
        let Some(document) = random.of(&by_language[language]) else { continue };
        let paragraph = random.below(document.paragraphs.len());
        let Some(sentence) = random.of(&document.paragraphs[paragraph]) else { continue };
        let passage = passage(document, paragraph, sentence);
        let mut maker = Maker {
            corpus,
            document,
            sentence,
            passage: &passage,
            random: &mut *random,
            peers: &by_language[language],
        };
        let Some((made, change, other)) = (kind.make)(&mut maker) else { continue };
        let passage = other.unwrap_or(passage);
        let is_same = pairs.iter().any(|pair: &Pair| pair.sentence == made);
        if !is_same {
            pairs.push(Pair { language: document.language.clone(), sentence: made, passage, change });
        }
    }
    pairs
}

/// The paragraph of a sentence with those around it, at most 2 kB.
pub(crate) fn passage(document: &Document, paragraph: usize, sentence: &str) -> String {
    let (mut from, mut to) = (paragraph, paragraph + 1);
    let size =
        |from: usize, to: usize| -> usize { document.paragraphs[from..to].iter().flatten().map(String::len).sum() };
    loop {
        let known = (from, to);
        if to < document.paragraphs.len() && size(from, to + 1) < 2_000 {
            to += 1;
        }
        if from > 0 && size(from - 1, to) < 2_000 {
            from -= 1;
        }
        if (from, to) == known {
            break;
        }
    }
    let text: Vec<String> = document.paragraphs[from..to].iter().map(|sentences| sentences.join(" ")).collect();
    let text = text.join("\n\n");
    if text.len() < 4_000 { text } else { sentence.to_owned() }
}

pub(crate) struct Maker<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) document: &'a Document,
    pub(crate) sentence: &'a str,
    pub(crate) passage: &'a str,
    pub(crate) random: &'a mut Random,
    /// The documents in this language.
    pub(crate) peers: &'a [&'a Document],
}

impl Maker<'_> {
    pub(crate) fn word(&self, word: &str) -> bool {
        self.passage.to_lowercase().contains(&word.to_lowercase())
    }

    pub(crate) fn language(&self) -> &str {
        self.document.language.split(['-', '_']).next().unwrap_or_default()
    }

    pub(crate) fn words(&self) -> Vec<(usize, &str)> {
        let sentence = self.sentence;
        sentence.split(' ').map(|word| (word.as_ptr() as usize - sentence.as_ptr() as usize, word)).collect()
    }

    pub(crate) fn piece(&mut self) -> Option<String> {
        let words: Vec<&str> = self.sentence.split(' ').collect();
        if words.len() < 8
            || self.sentence.contains(['"', '“', '”', '«', '„', '[', '…'])
            || self.sentence.contains("..")
        {
            return None;
        }
        let from = self.random.below(words.len() - 6);
        Some(words[from..from + 6].join(" ").trim_end_matches(['.', ',', ';', ':']).to_owned())
    }

    pub(crate) fn replaced(&self, at: usize, length: usize, by: &str) -> Option<Made> {
        let old = &self.sentence[at..at + length];
        (old != by).then(|| {
            let made = format!("{}{by}{}", &self.sentence[..at], &self.sentence[at + length..]);
            (made, format!("{old} → {by}"), None)
        })
    }

    pub(crate) fn stranger(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        for _ in 0..40 {
            let sentence = self.any_sentence()?;
            let words: Vec<&str> = sentence.split(' ').skip(1).collect();
            let word = self.random.of(&words)?.trim_matches(|mark: char| !mark.is_alphanumeric());
            if is_wanted(word) && !self.word(word) {
                return Some(word.to_owned());
            }
        }
        None
    }

    pub(crate) fn any_sentence(&mut self) -> Option<&'static str> {
        let document = self.random.of(self.peers)?;
        let paragraph = self.random.of(&document.paragraphs)?;
        let sentence = self.random.of(paragraph)?.clone();
        // The corpus lives as long as the program.
        Some(Box::leak(sentence.into_boxed_str()))
    }

    pub(crate) fn paraphrase(&self, sentence: &str) -> Option<String> {
        let body = sentence.trim_end_matches(['.', '。']);
        let comma = body.match_indices(", ").map(|(at, _)| at).find(|at| *at > 20 && body.len() - at > 24)?;
        let (first, second) = (&body[..comma], &body[comma + 2..]);
        let drop =
            |word: &&str| !matches!(*word, "the" | "a" | "also" | "der" | "die" | "das" | "la" | "le" | "les" | "el");
        let mut words: Vec<String> = second.split(' ').filter(drop).map(str::to_owned).collect();
        words.push(",".to_owned());
        words.extend(first.split(' ').filter(drop).map(str::to_owned));
        Some(format!("{}.", words.join(" ").replace(" ,", ",")))
    }
}
