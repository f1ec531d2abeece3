//! Verdicts about pairs of a sentence and a passage, by kind.

use citewire_support::{Cited, Headings, Judgement, MAX_PASSAGE_BYTES, Passage, ReasonCode, Sentence, Verdict, judge};
use proptest::prelude::*;

const LEAVE: &str = "# Leave\n\nEmployees who have worked here for more than a year get 25 days of paid leave. \
                     Leave may not be taken in December. Ask Anna Meyer in writing before 31 March 2026, 14:30.\n\n\
                     The budget is €1.5 billion, 3,4 % more than in 2025.";

fn of(sentence: &str, passage: &str) -> Judgement {
    judge(sentence, Cited { passage: &Passage::read(passage), headings: Headings::NONE, is_teaser: false })
}

fn told(judgement: &Judgement) -> Vec<&'static str> {
    judgement.reasons.iter().map(|reason| reason.code.code()).collect()
}

#[track_caller]
fn fine(sentence: &str, passage: &str) {
    let judgement = of(sentence, passage);
    assert!(!judgement.verdict.is_alarm(), "{sentence} | {passage} | {judgement:?}");
    assert_ne!(judgement.verdict, Verdict::Unknown, "{sentence} | {passage} | {judgement:?}");
}

#[track_caller]
fn conflict(sentence: &str, passage: &str, code: ReasonCode) {
    let judgement = of(sentence, passage);
    assert_eq!(judgement.verdict, Verdict::Conflict, "{sentence} | {passage} | {judgement:?}");
    assert!(told(&judgement).contains(&code.code()), "{sentence} | {passage} | {judgement:?}");
}

#[test]
fn a_sentence_that_stands_there_is_verbatim() {
    let judgement = of("Leave may not be taken in December.", LEAVE);
    assert_eq!((judgement.verdict, told(&judgement)), (Verdict::Verbatim, vec![]));
    let place = judgement.place.map(|place| &LEAVE[place]);
    assert_eq!(place, Some("Leave may not be taken in December"));
    assert_eq!(of("leave May NOT be “taken” in\u{ad} December", LEAVE).verdict, Verdict::Verbatim);
    assert_eq!(
        of("Employees get more leave.", "It is not true that employees get more leave.").verdict,
        Verdict::SupportedWords
    );
}

#[test]
fn the_words_of_a_sentence_support_it_in_other_forms() {
    fine("Employees get 25 days of leave after one year.", LEAVE);
    fine("Employees get about 3.6 weeks of paid leave.", LEAVE);
    fine("The budget is 1.5bn euros.", LEAVE);
    fine("The budget is 1,500 million euros.", LEAVE);
    fine("The budget grew by 3.4 percent.", LEAVE);
    fine("Ask Anna Meyer before March 31, 2026 at 2:30 pm.", LEAVE);
    fine("Ask before 31.03.2026.", LEAVE);
    fine("The limit of a request is 120 seconds.", "Each request has a limit of two minutes.");
    fine("A quarter of the employees agree.", "25 % of the employees agree.");
    fine("The distance to the office is 5,000 m.", "The distance to the office is 5 km.");
    fine("The office has twenty-one desks.", "There are 21 desks in the office.");
    fine("Der Ausschuss hat 12.000 Mitglieder.", "Dem Ausschuss gehören 12 000 Mitglieder an.");
    fine("International rules apply to employees.", "The inter-\nnational rules apply to all employees.");
}

#[test]
fn a_fact_that_differs_is_a_conflict() {
    conflict("Employees get 30 days of paid leave.", LEAVE, ReasonCode::NumberMissing);
    conflict("Employees get 25 weeks of paid leave.", LEAVE, ReasonCode::UnitDiffers);
    conflict("Ask Anna Meyer before 30 March 2026.", LEAVE, ReasonCode::DateDiffers);
    conflict("Ask Anna Meyer in writing before 15:45.", LEAVE, ReasonCode::TimeMissing);
    let hours = "The office closes at 6 pm. It has eight employees.";
    conflict("The office closes at eight in the evening.", hours, ReasonCode::TimeMissing);
    conflict("The office closes at 6 a.m.", "The office closes at 18:00.", ReasonCode::TimeMissing);
    conflict("The office closes at seven.", hours, ReasonCode::NumberMissing);
    conflict("The office has six employees.", hours, ReasonCode::NumberMissing);
    conflict("Ask Paul Novak in writing before 31 March 2026.", LEAVE, ReasonCode::NameDiffers);
    conflict("Leave may be taken in December.", LEAVE, ReasonCode::Negation);
    conflict("The budget is $1.5 billion.", LEAVE, ReasonCode::UnitDiffers);
    conflict("The budget is €1.5 million.", LEAVE, ReasonCode::NumberMissing);
    conflict("It says: “get 25 days of unpaid leave”.", LEAVE, ReasonCode::QuoteMissing);
    conflict("The temperature is −5 degrees today.", "The temperature is 5 degrees today.", ReasonCode::NumberMissing);
    conflict(
        "Prague handles the requests of partners.",
        "In the region, Berlin handles the requests of partners.",
        ReasonCode::NameDiffers,
    );
    conflict(
        "Use SHA512 for the signature of files.",
        "Use SHA256 for the signature of files.",
        ReasonCode::NameDiffers,
    );
    conflict("The price is 39 € for each seat.", "The price rose by 39 % for each seat.", ReasonCode::UnitDiffers);
    conflict("The limit is 3\u{200b}0 requests.", "The limit is 25 requests.", ReasonCode::NumberMissing);
}

fn true_answers() -> Vec<(&'static str, String, &'static str)> {
    answers(include_str!("true_answers.txt"))
}

/// The language, the passage and the sentence of each line of a file.
fn answers(file: &'static str) -> Vec<(&'static str, String, &'static str)> {
    let mut language = "";
    let mut answers = Vec::new();
    for line in file.lines() {
        if let Some(code) = line.strip_prefix("## ") {
            language = code;
        } else if let Some((passage, sentence)) = line.split_once(" => ").filter(|_| !line.starts_with('#')) {
            answers.push((language, passage.replace("\\n", "\n"), sentence));
        }
    }
    answers
}

#[test]
fn true_answers_in_other_words_raise_no_alarm() {
    let answers = true_answers();
    let languages: std::collections::BTreeSet<&str> = answers.iter().map(|(language, ..)| *language).collect();
    assert!(languages.len() >= 15 && answers.len() >= 50);
    let alarms: Vec<_> = answers
        .iter()
        .map(|(_, passage, sentence)| (sentence, of(sentence, passage)))
        .filter(|(_, judged)| judged.verdict.is_alarm())
        .collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn a_time_with_a_name_is_no_part_of_a_number_before_it() {
    let passage = "Guests leave the harbour with 5 noon\nDays are long. There are 6 boats.";
    conflict("Guests leave the harbour with 6 noon.", passage, ReasonCode::NumberDiffers);
    fine(
        "Sessions run between 5 and half past 6 each day of the week.",
        "Sessions run between 5:00 and 6:30 each day of the week.",
    );
    fine("Twenty first aid kits are kept in the hall.", "There are 20 first aid kits in the hall.");
    fine("Three quarters of the staff work from home.", "75 % of the staff work from home.");
    fine("One in five employees works from home.", "20 % of employees work from home.");
    fine(
        "Both pricing tiers of the product include support.",
        "Half of the pricing levels of the product include support.",
    );
    conflict(
        "The weight of the parcel must exceed 5 kg.",
        "The weight of the parcel must not exceed 5 kg.",
        ReasonCode::Negation,
    );
}

#[test]
fn answers_that_contradict_their_passage_are_conflicts() {
    let contradictions = answers(include_str!("contradictions.txt"));
    assert!(contradictions.len() >= 45);
    let missed: Vec<_> = contradictions
        .iter()
        .map(|(_, passage, sentence)| (sentence, of(sentence, passage)))
        .filter(|(_, judged)| judged.verdict != Verdict::Conflict)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_true_answer_with_another_number_is_never_supported() {
    for (_, passage, sentence) in true_answers() {
        let Some(at) = sentence.find(|letter: char| letter.is_ascii_digit()) else { continue };
        let end = sentence[at..].find(|letter: char| !letter.is_ascii_digit()).map_or(sentence.len(), |end| at + end);
        let other = if passage.contains("17") { 43 } else { 17 };
        let changed = format!("{}{other}{}", &sentence[..at], &sentence[end..]);
        let verdict = of(&changed, &passage).verdict;
        assert!(!matches!(verdict, Verdict::Verbatim | Verdict::SupportedWords), "{changed} | {passage}");
    }
}

#[test]
fn another_word_in_the_place_of_a_name_or_number_is_a_conflict() {
    let passage = "Written by Ulrich Drepper, Scott Miller, and David Madore for the GNU project of the GNU people. \
                   The tool reads three files and writes two lists of 128 bytes to a disk of 4 kilobytes in 7 bits.";
    conflict("Written by Ulrich Drepper, Scott Miller, and David Kemp.", passage, ReasonCode::NameDiffers);
    conflict(
        "Written by Scott Miller and David Madore for the KDE project of the GNU people.",
        passage,
        ReasonCode::NameDiffers,
    );
    conflict("The tool reads two files and writes two lists of 128 bytes.", passage, ReasonCode::NumberDiffers);
    conflict("The tool writes two lists of 128 bits to a disk of 4 kilobytes.", passage, ReasonCode::UnitDiffers);
    fine("For Contoso, the tool reads three files and writes two lists of 128 bytes to a disk.", passage);
    fine("The tool writes 2 lists and reads 3 files.", passage);
    conflict(
        "On Internet, use a semicolon as the separator.",
        "On Windows, use a semicolon as the separator of internal paths.",
        ReasonCode::NameDiffers,
    );
}

#[test]
fn a_number_of_another_row_of_a_table_is_a_conflict() {
    for passage in [
        "| City | Telephone | Desks |\n|---|---|---|\n| Leipzig | 341 | 12 |\n| Bremen | 421 | 30 |",
        "City,Telephone,Desks\nLeipzig,341,12\nBremen,421,30\n",
        "City\tTelephone\tDesks\nLeipzig\t341\t12\nBremen\t421\t30",
    ] {
        fine("The office in Leipzig has 12 desks.", passage);
        fine("Bremen has the telephone 421.", passage);
        conflict("The office in Leipzig has 30 desks.", passage, ReasonCode::NumberDiffers);
        conflict("Leipzig and its desks: 421 is the telephone.", passage, ReasonCode::NumberDiffers);
        conflict("The office in Leipzig has 31 desks.", passage, ReasonCode::NumberMissing);
    }
    // Any word may name a row.
    let passage = "Name\tDesks\tLamps\tnot used\nthese\t31\t55\t71\nnever\t28\t56\t78\ntable\t44\t89\t93";
    fine("The desks of never are 28.", passage);
    fine("For these, the table lists 31 as desks.", passage);
    conflict("The desks of never are 31.", passage, ReasonCode::NumberDiffers);
    fine("Both cities have 42 desks together, 12 of them in Leipzig.", "Leipzig: 12, Bremen: 30, together 42 desks.");
}

#[test]
fn of_sentences_that_are_equally_near_the_one_with_the_same_numbers_is_meant() {
    let passage = "The version of the protocol was changed from 7 to 8, so end all sessions. \
                   The version of the protocol was changed from 6 to 7, so end all sessions.";
    let sentence = "The version of the protocol was changed from six to 7, so end all open sessions.";
    fine(sentence, passage);
    let place = of(sentence, passage).place.map(|place| &passage[place]);
    assert_eq!(place.map(|place| place.contains("from 6 to 7")), Some(true));
    conflict(&sentence.replace("six", "five"), passage, ReasonCode::NumberMissing);
}

#[test]
fn a_number_that_stands_there_with_a_negation_is_no_conflict_however_few_words_there_are() {
    for sentence in ["… not 30", "not 10 000", "never 7", "No. 5"] {
        let passage = format!("The number is 30 or 10 000.\n\n7\n\n5\n\n{sentence}\n\nOther words.");
        assert!(!of(sentence, &passage).verdict.is_alarm(), "{sentence}: {:?}", of(sentence, &passage));
    }
}

#[test]
fn a_command_in_quotation_marks_is_no_quotation() {
    let passage = "Les arguments de la commande sont lus dans le fichier, et la liste des noms est dans la documentation. Voir :help file.";
    let sentence = "Verwenden Sie »:help doc-file-list«, um die gesamte Liste der Namen zu bekommen.";
    assert_eq!(of(sentence, passage).verdict, Verdict::Unknown, "{:?}", of(sentence, passage));
}

#[test]
fn a_translated_quotation_is_no_conflict() {
    let passage =
        "Employees of the company are entitled to thirty days of paid leave, and they have to ask for it in writing.";
    let judgement = of(
        "Im Handbuch steht, dass es „dreißig Tage bezahlten Urlaub“ für die Mitarbeiter gibt und nicht mehr.",
        passage,
    );
    assert_eq!(judgement.verdict, Verdict::Unknown, "{judgement:?}");
    let judgement =
        of("Im Handbuch steht für die Mitarbeiter „thirty days of unpaid leave“ und nicht mehr als das.", passage);
    assert_eq!(judgement.verdict, Verdict::Conflict, "{judgement:?}");
}

#[test]
fn negations_of_other_things_are_none() {
    fine("The contract ends on 7 May 2026.", "Without renewal, the contract ends on 7 May 2026.");
    fine("Not only employees get leave in summer.", "Employees get leave in summer, and so do others.");
    fine("Le contrat se termine le 7 mai 2026.", "Sans renouvellement, le contrat se termine le 7 mai 2026.");
    fine("El contrato no termina nunca.", "El contrato nunca termina.");
}

#[test]
fn a_passage_about_something_else_is_told() {
    let other = "The canteen of the office opens at noon and closes in the afternoon of each day of the week.";
    assert_eq!(
        of("Employees who have worked here for years get paid leave in December.", other).verdict,
        Verdict::Unsupported
    );
}

#[test]
fn what_cannot_be_decided_is_unknown() {
    let unknown = |sentence: &str, passage: &str| {
        let judgement = of(sentence, passage);
        assert_eq!(judgement.verdict, Verdict::Unknown, "{sentence} | {passage} | {judgement:?}");
        told(&judgement)
    };
    assert_eq!(unknown("You have 30 days.", ""), ["no-passage"]);
    assert_eq!(unknown("Yes.", LEAVE), ["short"]);
    assert!(unknown("Die Mitarbeiter bekommen im Jahr 30 Tage Urlaub und nicht mehr.", LEAVE).contains(&"language"));
    assert!(unknown("従業員は年に三十日の休暇を取ることができます。", LEAVE).contains(&"language"));
}

#[test]
fn a_long_passage_is_read_in_its_first_part() {
    let long = format!("{}Employees get 25 days.", "word ".repeat(MAX_PASSAGE_BYTES / 5));
    let judgement = of("Employees get 25 days of leave.", &long);
    assert!(told(&judgement).contains(&"cut"), "{judgement:?}");
}

#[test]
fn a_name_or_a_number_may_stand_in_the_headings() {
    let passage = Passage::read("Employees get 25 days of leave each year.");
    let sentence = "At Contoso, employees get 25 days of leave each year of 2026.";
    let headings = Headings::read("Contoso handbook 2026");
    let cited = Cited { passage: &passage, headings: &headings, is_teaser: false };
    assert_eq!(judge(sentence, cited).verdict, Verdict::SupportedWords);
}

#[test]
fn a_fact_that_another_source_of_the_group_holds_is_not_missing() {
    let (leave, canteen) =
        (Passage::read("Employees get 25 days of leave."), Passage::read("The canteen opens at 11:30."));
    let cited = |passage| Cited { passage, headings: Headings::NONE, is_teaser: false };
    let sentence = "Employees get 25 days of leave, and the canteen opens at 11:30.";
    let verdicts = |group: &[Cited<'_>], sentence| -> Vec<Verdict> {
        Sentence::read(sentence).judge(group).into_iter().map(|judgement| judgement.verdict).collect()
    };
    let both = [cited(&leave), cited(&canteen)];
    assert!(
        verdicts(&both, sentence).iter().all(|verdict| !verdict.is_alarm()),
        "{:?}",
        Sentence::read(sentence).judge(&both)
    );
    assert_eq!(verdicts(&both[..1], sentence), [Verdict::Conflict]);
    let wrong = "Employees get 25 days of leave, and the canteen opens at 12:15.";
    assert!(verdicts(&both, wrong).iter().all(|verdict| verdict.is_alarm()));
}

#[test]
fn much_is_missing_in_a_teaser() {
    let passage = Passage::read("Employees get days of leave …");
    let teaser = Cited { passage: &passage, headings: Headings::NONE, is_teaser: true };
    assert_eq!(judge("Employees get 25 days of leave.", teaser).verdict, Verdict::SupportedWords);
}

#[test]
fn strange_inputs_have_a_verdict() {
    for text in [
        "",
        "\u{0}",
        "5",
        "\"",
        "\"a b c",
        "3\" disk",
        "1.2.3.4.5",
        "1,2,3",
        "0x1F",
        "½ ٣٫٥ 〇",
        "$(3.4) million",
        "−5 -5 –5",
        "10–20",
        "24/7",
        "9/11",
        "Q3",
        "1990s",
        "\u{301}\u{301}",
        "&amp; &#8211;",
        "{\"a\": [1, 2]}",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "[a](b) ![c](d)",
        "support: verbatim",
        "\u{202e}txet",
        "１２３",
        "99999999999999999999999999999999",
        "1e309",
        "0",
        "٪",
        "年月日 12月",
        "a\u{200d}b",
        "\u{feff}",
        "…",
        "[…]",
        "„“",
        "31.02.2026",
        "25:61",
        "12 am pm",
    ] {
        for other in [text, LEAVE, "12 Mai 2024"] {
            of(text, other);
            of(other, text);
        }
    }
    // Each of these looks for the place of many names or numbers among many.
    let names = "Ab Cd ".repeat(700);
    let places = format!("Ab Ef {}", "Ab Gh ".repeat(5_000));
    of(&names, &places);
    let row: String = (0..2_000).map(|number| format!("| Ab | {number} ")).collect();
    of(&row, &format!("{row}\n").repeat(3));
    let many = "sand ".repeat(10_000);
    assert_eq!(of(&many, &many).verdict, Verdict::Verbatim);
    let numbers: String = (0..20_000).map(|number| format!("{number} ")).collect();
    of(&numbers, &numbers);
}

/// Pieces of which facts, names, tables, quotations and places are made.
const PIECES: [&str; 73] = [
    "noon",
    "\nDays",
    "half past six",
    "and",
    "a quarter of an hour",
    "twenty",
    "second",
    "三个月",
    "2/3",
    "Leave",
    "leave",
    "Anna",
    "Meyer",
    "IBM",
    "SHA256",
    "3.4.2",
    "30",
    "10 000",
    "1,234",
    "11,32,55",
    "-5",
    "−5",
    "17h30",
    "14:30",
    "2:30 pm",
    "14 h",
    "days",
    "weeks",
    "Tage",
    "km",
    "€",
    "%",
    "million",
    "twenty-one",
    "zwei",
    "drei",
    "half",
    "about",
    "not",
    "never",
    "ne",
    "pas",
    "kein",
    "without",
    "12",
    "March",
    "2026",
    "24.12.2026",
    "2024年3月12日",
    "年",
    "1931 года",
    "15일을",
    "休暇",
    "です",
    "不",
    "مدفوعة",
    "ימי",
    "वेतन",
    "“",
    "”",
    "\"",
    "«",
    "»",
    "…",
    "[…]",
    "|",
    ",",
    "\t",
    "\n",
    "\n\n",
    ". ",
    "U.S.",
    "\u{200b}",
];

fn pieces(most: usize) -> impl Strategy<Value = String> {
    let blank = prop_oneof![4 => Just(" "), 1 => Just("")];
    proptest::collection::vec((proptest::sample::select(&PIECES[..]), blank), 0..most)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, blank)| [piece, blank]).collect())
}

proptest! {
    #[test]
    fn texts_of_facts_have_a_verdict_with_reasons_and_places(
        sentence in pieces(24), passage in pieces(80), other in pieces(40), headings in pieces(4), is_teaser in any::<bool>(),
    ) {
        let read = [Passage::read(&passage), Passage::read(&other)];
        let read_headings = Headings::read(&headings);
        let group = [0, 1].map(|at| Cited { passage: &read[at], headings: &read_headings, is_teaser });
        for (judgement, text) in Sentence::read(&sentence).judge(&group).iter().zip([&passage, &other]) {
            for reason in &judgement.reasons {
                prop_assert!(sentence.get(reason.range.clone()).is_some(), "{judgement:?}");
            }
            prop_assert!(judgement.place.clone().is_none_or(|place| text.get(place).is_some()), "{judgement:?}");
            prop_assert!(judgement.verdict != Verdict::Conflict || !judgement.reasons.is_empty());
            let has_words = text.chars().any(char::is_alphanumeric);
            prop_assert!(has_words || judgement.verdict == Verdict::Unknown, "{judgement:?}");
        }
        // A sentence that stands there word for word raises no alarm, however short.
        if !sentence.contains(['−', '-', '“', '”', '"', '«', '»', '\n']) {
            let whole = format!("{passage}\n\n{sentence}\n\n{other}");
            let judged = of(&sentence, &whole);
            prop_assert!(!judged.verdict.is_alarm(), "{judged:?}");
        }
    }

    #[test]
    fn any_two_texts_have_a_verdict_whose_ranges_are_text(sentence in "\\PC{0,120}", passage in "\\PC{0,300}") {
        let judgement = of(&sentence, &passage);
        for reason in &judgement.reasons {
            prop_assert!(sentence.get(reason.range.clone()).is_some(), "{judgement:?}");
        }
        if let Some(place) = judgement.place {
            prop_assert!(passage.get(place).is_some());
        }
    }

    #[test]
    fn a_sentence_of_a_passage_raises_no_alarm(
        words in proptest::collection::vec("[a-zA-ZäöüÀ-ÿа-я]{1,9}|[0-9]{1,4}", 3..30),
        at in 0_usize..10,
    ) {
        let mut passage: Vec<String> = (0..10).map(|number| format!("Line {number} of the text.")).collect();
        let sentence = format!("{}.", words.join(" "));
        passage[at].clone_from(&sentence);
        let judgement = of(&sentence, &passage.join("\n\n"));
        prop_assert!(!judgement.verdict.is_alarm(), "{judgement:?}");
    }
}
