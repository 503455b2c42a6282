//! Iterators over the fields of an object, for both representations of [`Map`](super::Map): a sorted list of few
//! fields, or a tree of many.

use std::collections::btree_map;
use std::slice;

use super::{SmolStr, Value};

#[derive(Clone, Debug)]
pub enum Iter<'a> {
    Few(slice::Iter<'a, (SmolStr, Value)>),
    Many(btree_map::Iter<'a, SmolStr, Value>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a SmolStr, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(fields) => fields.next().map(|(name, value)| (name, value)),
            Self::Many(fields) => fields.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Few(fields) => fields.size_hint(),
            Self::Many(fields) => fields.size_hint(),
        }
    }
}

#[derive(Debug)]
pub enum IterMut<'a> {
    Few(slice::IterMut<'a, (SmolStr, Value)>),
    Many(btree_map::IterMut<'a, SmolStr, Value>),
}

impl<'a> Iterator for IterMut<'a> {
    type Item = (&'a SmolStr, &'a mut Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(fields) => fields.next().map(|(name, value)| (&*name, value)),
            Self::Many(fields) => fields.next(),
        }
    }
}

#[derive(Debug)]
pub enum IntoIter {
    Few(ecow::vec::IntoIter<(SmolStr, Value)>),
    Many(btree_map::IntoIter<SmolStr, Value>),
}

impl Iterator for IntoIter {
    type Item = (SmolStr, Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(fields) => fields.next(),
            Self::Many(fields) => fields.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Few(fields) => fields.size_hint(),
            Self::Many(fields) => fields.size_hint(),
        }
    }
}
