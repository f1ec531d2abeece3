//! English verbs and nouns whose forms have no stem in common.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Each line has a word and its irregular forms. Forms that are words of their own, such as `left` and `found`, stand with the verb:
/// people ask for what they did. Without diacritics and in lower case, as words are searched.
const FORMS: &str = "\
arise arose arisen
awake awoke awoken
become became
begin began begun
bend bent
bind bound
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
creep crept
deal dealt
dig dug
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lay laid
lead led
leave left
lend lent
lose lost
make made
mean meant
meet met
overcome overcame
pay paid
prove proven
rebuild rebuilt
repay repaid
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
undo undid undone
wake woke woken
wear wore worn
win won
withdraw withdrew withdrawn
write wrote written
analysis analyses
appendix appendices
child children
criterion criteria
foot feet
half halves
index indices
knife knives
life lives
man men
matrix matrices
mouse mice
person people
shelf shelves
tooth teeth
vertex vertices
wife wives
woman women
";

static REGULAR: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let (regular, forms) = line.split_once(' ').unwrap_or((line, ""));
        forms.split(' ').map(move |form| (form, regular))
    };
    FORMS.lines().flat_map(line).collect()
});

/// The regular form of an irregular one.
pub(super) fn regular_form(word: &str) -> Option<&'static str> {
    REGULAR.get(word).copied()
}
