//! The texts of exercise 1, `updates`: "The handler gets no update".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "updates",
    file: "01_updates",
    chapter: "10-shared-list-watch",
    title: Both { en: "The handler gets no update", zh: "handler 收不到更新" },
    symptom: Both {
        en: "\
            An informer is put together by hand, line by line as in the documents. New pods arrive, deleted pods \
            leave. But a pod that was Pending when it came is Pending for ever: no handler learns that it runs, and \
            the store does not know it either. Nothing is logged, nothing crashes.",
        zh: "\
            照着教程一行一行手写的 informer。新建的 Pod 能收到，删除的也能收到。可是来的时候是 Pending 的 Pod 就\
            永远是 Pending：没有 handler 被告知它已经运行，store 里也还是旧的。没有日志，没有报错。",
    },
    hints: [
        Both {
            en: "The deltas are there: `Updated` is popped. Read what `handle` does with it.",
            zh: "delta 是有的：`Updated` 出队了。看 `handle` 拿它做了什么。",
        },
        Both {
            en: "The tutorials have the condition `err != nil && exists`. When is it true?",
            zh: "教程里写的是 `err != nil && exists`。这个条件什么时候成立？",
        },
    ],
    explanation: Both {
        en: "\
            If the look-up fails, there is no object. If there is an object, the look-up did not fail. So `err != nil \
            && exists` is never true. Therefore no update was distributed, and the store stayed as it was, so every \
            later `old` was wrong. The documents have this line twice. A Rust `Result<Option<_>>` cannot be both: `if \
            let Some(old) = store.get(&pod)?` is the same line without the bug.",
        zh: "\
            查找失败就没有对象，有对象就没有失败：`err != nil && exists` 永远不成立。所以更新从来没有分发，\
            store 也一直是旧的，以后每一次的 `old` 都不对。教程里这一行出现了两次。Rust 的 `Result<Option<_>>` \
            不会既出错又有值：`if let Some(old) = store.get(&pod)?` 就是这一行没有 bug 的写法。",
    },
    go: InGo {
        hints: [
            Both {
                en: "`Updated` is popped. Read what `handle` does with it.",
                zh: "`Updated` 出队了。看 `handle` 拿它做了什么。",
            },
            Both {
                en: "`store.Get` returns `old, exists, err`. For which values is `err != nil && exists` true?",
                zh: "`store.Get` 返回 `old, exists, err`。它们取什么值时 `err != nil && exists` 才成立？",
            },
        ],
        explanation: Some(Both {
            en: "\
                If the look-up fails, there is no object. If there is an object, the look-up did not fail. So `err != \
                nil && exists` is never true. Therefore no update was distributed, and the store stayed as it was, so \
                every later `old` was wrong. The documents have this line twice. Three results of one call have \
                combinations that never occur, and the compiler accepts a test for them. client-go's own \
                `processDeltas` has `err == nil && exists`.",
            zh: "\
                查找失败就没有对象，有对象就没有失败：`err != nil && exists` 永远不成立。所以更新从来没有分发，store \
                也一直是旧的，以后每一次的 `old` 都不对。教程里这一行出现了两次。一次调用返回三个值，其中有些组合永远\
                不会出现，而编译器照样接受对它们的判断。client-go 自己的 `processDeltas` 写的是 \
                `err == nil && exists`。",
        }),
    },
};
