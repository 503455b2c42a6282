//! The texts of exercise 7, `gap`: "What happened between list and watch".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "gap",
    file: "07_gap",
    chapter: "02-listwatch",
    title: Both { en: "What happened between list and watch", zh: "list 和 watch 之间发生了什么" },
    symptom: Both {
        en: "\
            First a list, then a watch: no informer is needed for that, says the author. Once in a while, after a \
            restart, the load balancer has a pod that does not exist. It is always one that was deleted within \
            seconds after the start. New pods are never missing.",
        zh: "\
            先 list，再 watch：作者说，这用不着 informer。可是偶尔重启之后，负载均衡器里会有一个不存在的 Pod，而\
            且总是启动后几秒内删除的那个。新建的 Pod 倒是从来不会漏。",
    },
    hints: [
        Both {
            en: "The list shows one moment, and the watch begins at a later one. What reports the changes in between?",
            zh: "list 是某一刻的状态，watch 从更晚的一刻开始。中间的变化由什么来报告？",
        },
        Both {
            en: "A list has a `resource_version`. A watch can begin there: `ListOptions::resource_version`.",
            zh: "list 的结果带着 `resource_version`，watch 可以从它开始：`ListOptions::resource_version`。",
        },
    ],
    explanation: Both {
        en: "\
            A watch without a resourceVersion begins with an ADDED of everything that exists at that moment, and then \
            sends changes. So a pod that was created in between arrives, but a deletion in between is lost: there is \
            no event for a pod that does not exist. With the list's resourceVersion the server sends every change \
            since the list. A Reflector consists of this pair, and `Watch(ListOptions{})` in the tutorials' second \
            program is only half of it.",
        zh: "\
            不带 resourceVersion 的 watch，先为当时存在的每个对象发一个 ADDED，再发后面的变化。所以其间新建的 Pod 能看\
            到，其间的删除却不会出现：不存在的对象没有事件。带上 list 的 resourceVersion，服务端就会发送 list 之后的\
            每一次变化。Reflector 的核心就是这一对；教程第二个程序里的 `Watch(ListOptions{})` 只是其中一半。",
    },
    go: InGo {
        hints: [
            Both {
                en: "\
                    The list shows one moment, and the watch begins at a later one. What reports the changes in \
                    between?",
                zh: "list 是某一刻的状态，watch 从更晚的一刻开始。中间的变化由什么来报告？",
            },
            Both {
                en: "\
                    A list has a `ResourceVersion`. A watch can begin there: `metav1.ListOptions{ResourceVersion: …}`.",
                zh: "\
                    list 的结果带着 `ResourceVersion`，watch 可以从它开始：`metav1.ListOptions{ResourceVersion: …}`。",
            },
        ],
        explanation: None,
    },
};
