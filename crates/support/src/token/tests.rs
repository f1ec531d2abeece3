//! How texts are cut.

use super::*;

fn words(text: &str) -> Vec<&str> {
    tokens(text)
        .iter()
        .filter(|token| !token.is_mark())
        .map(|token| &text[token.start as usize..token.end as usize])
        .collect()
}

fn sentences(text: &str) -> Vec<u32> {
    tokens(text).iter().filter(|token| !token.is_mark()).map(|token| token.sentence).collect()
}

#[test]
fn a_text_is_cut_into_words_numbers_and_names() {
    assert_eq!(words("Don't touch the dog's U.S. bowl"), ["Don't", "touch", "the", "dog's", "U.S.", "bowl"]);
    assert_eq!(words("l'an 5km SHA256 3.4.2 39 %"), ["l'", "an", "5", "km", "SHA256", "3.4.2", "39", "%"]);
    assert_eq!(words("休暇です"), ["休", "暇", "で", "す"]);
    assert_eq!(words("inter-\nnational rules"), ["inter-\nnational", "rules"]);
}

#[test]
fn sentences_end_with_their_marks_and_with_lines_that_stand_alone() {
    assert_eq!(sentences("One two. Three e.g. four! Five"), [0, 0, 1, 1, 1, 1, 2]);
    let mut parted = sentences("# Leave\nYou have\n\n- an item\n- two");
    parted.dedup();
    assert_eq!(parted.len(), 4);
    let wrapped = "Employees who have worked for the company for more than\nfive years get more.";
    assert!(sentences(wrapped).iter().all(|sentence| *sentence == 0));
}
