//! How dates and times are read.

use super::*;
use crate::token::tokens;

fn dates(text: &str) -> Vec<FactKind> {
    let tokens = tokens(text);
    let mut facts = Vec::new();
    dates_and_times(&tokens, Languages::ANY, &mut vec![false; tokens.len()], &mut facts);
    facts.into_iter().map(|fact| fact.kind).collect()
}

#[test]
fn a_date_is_read_in_every_form() {
    for text in [
        "2024-03-12",
        "12.3.2024",
        "12/03/2024",
        "12 March 2024",
        "March 12, 2024",
        "the 12th of March, 2024",
        "12. März 2024",
        "12 mars 2024",
        "12 de marzo de 2024",
        "12 marca 2024",
        "12 марта 2024",
        "2024年3月12日",
        "12. března 2024",
    ] {
        let [FactKind::Date(date)] = dates(text)[..] else { panic!("{text}: {:?}", dates(text)) };
        let expected = Date { year: Some(2024), month: Some(3), day: Some(12), is_ambiguous: false };
        assert!(date.agrees(expected) && date.year.is_some() && date.day.is_some(), "{text}: {date:?}");
    }
    assert!(dates("You may march 3 kilometers. Version 3.4.2 of 1/2").is_empty() || dates("may march").is_empty());
}

#[test]
fn a_time_is_read_with_and_without_the_half_of_the_day() {
    for (text, times) in [
        ("14:30", [870, 870]),
        ("2:30 pm", [870, 870]),
        ("14.30 Uhr", [870, 870]),
        ("2:30", [150, 870]),
        ("12 am", [0, 0]),
        ("2 p.m.", [840, 840]),
        ("9 a.m. on Monday", [540, 540]),
        ("six in the evening", [1080, 1080]),
        ("half past six", [390, 1110]),
        ("a quarter to nine in the evening", [1245, 1245]),
        ("las ocho y media", [510, 1230]),
        ("18 h 30", [1110, 1110]),
        ("17h30", [1050, 1050]),
        ("5.30pm", [1050, 1050]),
        ("noon", [720, 720]),
        ("12 noon", [720, 720]),
        ("midnight", [0, 1440]),
        ("午後3時半", [930, 930]),
        ("下午三点半", [930, 930]),
        ("午前9時30分", [570, 570]),
        ("six o'clock", [360, 1080]),
        ("6 o’clock in the afternoon", [1080, 1080]),
        ("sechs Uhr abends", [1080, 1080]),
        ("20 Uhr abends", [1200, 1200]),
        ("six heures du soir", [1080, 1080]),
        ("las nueve de la mañana", [540, 540]),
        ("8 uur 's avonds", [1200, 1200]),
    ] {
        let [FactKind::Time(found)] = dates(text)[..] else { panic!("{text}: {:?}", dates(text)) };
        assert_eq!(found, times, "{text}");
    }
    for text in [
        "3時間",
        "八点五",
        "2 h 30 min",
        "six. In the evening",
        "6 horas más tarde",
        "6 p",
        "the six",
        "30 in the evening",
    ] {
        assert!(dates(text).is_empty(), "{text}");
    }
}
