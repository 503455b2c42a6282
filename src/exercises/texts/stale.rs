//! The texts of exercise 9, `stale`: "More pods than the controller wants".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "stale",
    file: "09_stale",
    chapter: "21-staleness",
    title: Both { en: "More pods than the controller wants", zh: "多出来的 Pod" },
    symptom: Both {
        en: "\
            A controller keeps three pods. It looks every second, and creates what is missing. Most days that works. \
            When the API server is busy, the controller creates a pod each second, until there are five or six. It \
            sees no mistake: each time it looked, one was missing.",
        zh: "\
            控制器维持三个 Pod：每秒看一次，缺几个就创建几个。平时都对。API server 忙的时候，它每秒都创建一\
            个，最后有了五六个，而它自己并不觉得有错：每次看的时候，确实缺一个。",
    },
    hints: [
        Both {
            en: "It looks into a cache. How does a pod that it has created come into that cache, and when?",
            zh: "它看的是缓存。它创建的 Pod 是怎么进入缓存的？什么时候？",
        },
        Both {
            en: "`api.create` returns the pod with its resourceVersion. `pods.at_least(version, …)` waits for it.",
            zh: "`api.create` 返回的 Pod 带着 resourceVersion，`pods.at_least(version, …)` 会等到它。",
        },
    ],
    explanation: Both {
        en: "\
            A cache is filled by the watch, so it is always a little behind, even behind the program's own writes. A \
            program that creates what is missing in the cache must first know that the cache has seen its earlier \
            creations. client-go's ReplicaSet controller counts what it expects to see (expectations); today's API \
            servers promise that resourceVersions can be compared, so a program can wait for its own write: \
            `at_least`. A name that follows from what is wanted (web-0, web-1) helps too: the second creation is \
            then refused with 409.",
        zh: "\
            缓存是 watch 填的，所以总会慢一点，连自己刚写的也可能还没看到。凡是“缓存里没有就创建”的程序，都要先\
            确认缓存已经看到了上一次创建的东西。client-go 的 ReplicaSet 控制器用的是计数（expectations）；\
            后来 API server 保证 resourceVersion 可以比较，程序就可以等自己的写入出现：`at_least`。名字由期望状\
            态决定（web-0、web-1）也有用：第二次创建会被 409 拒绝。",
    },
    go: InGo {
        hints: [
            Both {
                en: "It looks into a cache. How does a pod that it has created come into that cache, and when?",
                zh: "它看的是缓存。它创建的 Pod 是怎么进入缓存的？什么时候？",
            },
            Both {
                en: "\
                    `Create` returns the new pod with its name. Before the pods are counted again, wait until the \
                    lister has it: `wait.PollUntilContextTimeout`.",
                zh: "\
                    `Create` 返回的 Pod 里有名字。再次计数之前，先用 `wait.PollUntilContextTimeout` 等到 lister 里有\
                    它。",
            },
        ],
        explanation: Some(Both {
            en: "\
                A cache is filled by the watch, so it is always a little behind, even behind the program's own writes. \
                A program that creates what is missing in the cache must first know that the cache has seen its \
                earlier creations. The ReplicaSet controller counts the creations that it expects to see \
                (expectations); a program with one worker can simply wait for its own write. A name that follows from \
                what is wanted (web-0, web-1) helps too: the second creation is then refused with 409.",
            zh: "\
                缓存是 watch 填的，所以总会慢一点，连程序自己刚写的也可能还没看到。凡是“缓存里没有就创建”的程序，都要\
                先确认缓存已经看到了上一次创建的对象。ReplicaSet 控制器的办法是记下还应该看到几次创建（\
                expectations）；只有一个 worker 的程序，等自己的写入出现就行。名字由期望状态决定（web-0、web-1）也有\
                用：第二次创建会被 409 拒绝。",
        }),
    },
};
