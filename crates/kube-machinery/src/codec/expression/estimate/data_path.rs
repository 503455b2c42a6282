//! The path of a value in the object that a CEL rule checks: `self`, then names of fields, `@items`, `@keys` or
//! `@values`. The schema at a path gives the largest size of the value. Upstream: `Path` of `AstNode` in cel-go's
//! `checker/cost.go`.

use std::cell::RefCell;
use std::rc::Rc;

/// A path. Upstream's paths are Go slices, to which `append` adds in place if there is room: two paths that grow from
/// the same one then share their last part, and the first gets the name of the second. Upstream's estimates depend on
/// that, so this type does the same.
#[derive(Clone, Debug, Default)]
pub(super) struct DataPath {
    shared: Rc<RefCell<Vec<Rc<str>>>>,
    length: usize,
}

impl DataPath {
    pub(super) fn of(name: &str) -> Self {
        Self { shared: Rc::new(RefCell::new(vec![name.into()])), length: 1 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the path with another part, as Go's `append` does: the room of a slice doubles when it is full, so there
    /// is none left if the length is a power of two.
    pub(super) fn append(&self, name: &str) -> Self {
        let length = self.length + 1;
        if self.length == 0 || self.length.is_power_of_two() {
            return self.copy_with(name);
        }
        let mut parts = self.shared.borrow_mut();
        match parts.get_mut(self.length) {
            Some(part) => *part = name.into(),
            None => parts.push(name.into()),
        }
        drop(parts);
        Self { shared: self.shared.clone(), length }
    }

    /// Returns the path with another part, in memory of its own.
    pub(super) fn copy_with(&self, name: &str) -> Self {
        let parts = self.parts().into_iter().chain([name.into()]).collect();
        Self { shared: Rc::new(RefCell::new(parts)), length: self.length + 1 }
    }

    pub(super) fn parts(&self) -> Vec<Rc<str>> {
        self.shared.borrow().iter().take(self.length).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &DataPath) -> String {
        path.parts().join(".")
    }

    #[test]
    fn paths_that_grow_from_one_share_their_end_as_slices_in_go_do() {
        let item = DataPath::of("self").append("list").append("@items");
        let (first, second) = (item.append("a"), item.append("b"));
        assert_eq!((shown(&first), shown(&second)), ("self.list.@items.b".to_owned(), "self.list.@items.b".to_owned()));
        let (first, second) = (first.append("x"), second.append("y"));
        assert_eq!(
            (shown(&first), shown(&second)),
            ("self.list.@items.b.x".to_owned(), "self.list.@items.b.y".to_owned())
        );
    }
}
