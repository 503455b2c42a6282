//! The choices of a question, and which of them is right.

/// A text in English and Chinese.
pub(super) type Text = (String, String);

/// The most choices of a question.
pub(super) const MOST: usize = 4;

/// The choices of a question, with the index of the right one.
pub(super) struct Choices {
    pub all: Vec<Text>,
    pub answer: usize,
}

impl Choices {
    /// Creates choices from texts that each situation has. `answer` is the index of the right one.
    pub fn of<const N: usize>(all: [(&str, &str); N], answer: usize) -> Self {
        Self { all: all.iter().map(|(en, zh)| ((*en).to_owned(), (*zh).to_owned())).collect(), answer }
    }

    /// Creates choices from the right number and others: distinct, in ascending order.
    pub fn numbers(right: usize, others: &[usize], unit: impl Fn(usize) -> Text) -> Self {
        let mut numbers = vec![right];
        for other in others {
            if numbers.len() < MOST && !numbers.contains(other) {
                numbers.push(*other);
            }
        }
        numbers.sort_unstable();
        let answer = numbers.iter().position(|number| *number == right).unwrap_or_default();
        Self { all: numbers.into_iter().map(unit).collect(), answer }
    }

    /// Creates choices from names. `None` if the right one is not among them, or is the only one.
    pub fn names<'a>(right: &str, names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut all: Vec<&str> = Vec::new();
        for name in names {
            if !all.contains(&name) && (all.len() < MOST || name == right) {
                all.push(name);
            }
        }
        if all.len() > MOST {
            all.remove(MOST - 1); // the right one came after the others
        }
        let answer = all.iter().position(|name| *name == right)?;
        let text = |name: &&str| ((*name).to_owned(), (*name).to_owned());
        (all.len() > 1).then(|| Self { all: all.iter().map(text).collect(), answer })
    }

    /// Moves the choices, so that the right one is not always at the same place. The same question always has the same
    /// order.
    pub fn turned(mut self, question: &str) -> Self {
        let by = question.bytes().map(usize::from).sum::<usize>() % self.all.len();
        self.all.rotate_left(by);
        self.answer = (self.answer + self.all.len() - by) % self.all.len();
        self
    }
}

/// Counts deltas: `1 delta`, `2 deltas`.
pub(super) fn deltas(number: usize) -> Text {
    let en = if number == 1 { "1 delta".to_owned() } else { format!("{number} deltas") };
    (en, format!("{number} 个 Delta"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(choices: &Choices) -> &str {
        &choices.all[choices.answer].0
    }

    #[test]
    fn the_right_choice_stays_right_wherever_it_stands() {
        let numbers = Choices::numbers(3, &[1, 5, 3, 7, 9], deltas);
        assert_eq!(
            numbers.all.iter().map(|(en, _)| en.as_str()).collect::<Vec<_>>(),
            ["1 delta", "3 deltas", "5 deltas", "7 deltas"]
        );
        assert_eq!(right(&numbers), "3 deltas");
        for question in ["a", "b", "c", "d"] {
            let turned = Choices::of([("x", "x"), ("y", "y"), ("z", "z")], 1).turned(question);
            assert_eq!((right(&turned), turned.all.len()), ("y", 3), "{question}");
        }
        let names = Choices::names("f", ["a", "b", "c", "d", "e", "f"]).unwrap();
        assert_eq!((right(&names), names.all.len()), ("f", MOST));
        assert!(Choices::names("a", ["a", "a"]).is_none() && Choices::names("z", ["a", "b"]).is_none());
    }
}
