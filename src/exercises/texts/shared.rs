//! The texts of exercise 10, `shared`: "One program that asks for everything three times".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "shared",
    file: "10_shared",
    chapter: "12-factory",
    title: Both { en: "One program that asks for everything three times", zh: "一个程序，什么都问三遍" },
    symptom: Both {
        en: "\
            Metrics, audit and search each want to know of every change of a pod, so each has an informer. It works, \
            and the team of the API server complains: this one program lists all pods three times when it starts, \
            and every change is sent to it three times. It needs three times as much memory as before, too.",
        zh: "\
            metrics、audit、search 都想知道 Pod 的每次变化，于是各有一个 informer。功能没问题，但 API server 的\
            团队来投诉：这个程序一启动就把所有 Pod list 三遍，每次变化也要发给它三份。它占用的内存也变成了三倍。",
    },
    hints: [
        Both {
            en: "An informer has one list, one watch and one cache. How many handlers can it have?",
            zh: "一个 informer 有一次 list、一个 watch、一份缓存。它可以有几个 handler？",
        },
        Both {
            en: "Build one informer before the loop, add the handlers in it, and run it once.",
            zh: "在循环之前建一个 informer，在循环里加 handler，最后运行一次。",
        },
    ],
    explanation: Both {
        en: "\
            That is what \"shared\" in SharedInformer means: one list, one watch and one cache for all consumers of \
            the same objects, and for each a handler with a buffer of its own. A SharedInformerFactory does it \
            across a whole program: every caller that asks it for pods gets the same informer. Controllers of \
            Kubernetes, some thirty in one process, share one factory.",
        zh: "\
            这就是 SharedInformer 里 shared 的意思：需要同样对象的各个使用者共用一次 list、一个 watch、一份缓存，各有自\
            己的 handler 和缓冲。SharedInformerFactory 把这件事扩大到整个程序：谁向它要 Pod，拿到的都是同一个 \
            informer。Kubernetes 的三十来个控制器在一个进程里，共用的就是一个 factory。",
    },
    go: InGo {
        hints: [
            Both {
                en: "An informer has one list, one watch and one cache. How many handlers can it have?",
                zh: "一个 informer 有一次 list、一个 watch、一份缓存。它可以有几个 handler？",
            },
            Both {
                en: "\
                    Make one factory before the loop. Every call of `factory.Core().V1().Pods().Informer()` returns \
                    the same informer.",
                zh: "\
                    在循环之前建一个 factory。每次调用 `factory.Core().V1().Pods().Informer()`，拿到的都是同一个 \
                    informer。",
            },
        ],
        explanation: None,
    },
};
