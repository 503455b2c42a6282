//! The texts of exercise 8, `recreated`: "Same name, another pod".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "recreated",
    file: "08_recreated",
    chapter: "19-relist",
    title: Both { en: "Same name, another pod", zh: "同名，却是另一个 Pod" },
    symptom: Both {
        en: "\
            The load balancer knows its backends by uid. After an outage of the network it sends requests to a pod \
            of a StatefulSet that is gone, and none to the one that took its name. The program handles deletions, \
            tombstones too, and got none.",
        zh: "\
            负载均衡器用 uid 认后端。一次断网之后，它还在给 StatefulSet 里一个已经没了的 Pod 发请求，而接替它名\
            字的新 Pod 一个请求也收不到。删除和 tombstone 程序都会处理，可是它一次删除通知都没有收到。",
    },
    hints: [
        Both {
            en: "The program got one notification about this name. Compare the two objects in it.",
            zh: "关于这个名字，程序收到过一个通知。比较其中的两个对象。",
        },
        Both {
            en: "`is_recreated(&*old, &*new)` says whether an update is between two objects of one name.",
            zh: "`is_recreated(&*old, &*new)` 判断一次更新的两边是不是同名的两个对象。",
        },
    ],
    explanation: Both {
        en: "\
            An informer's key is the name. One pod was deleted and the next one created while no watch was open; the \
            list that follows has one pod of that name, and the store has one too, so the handler gets an update. \
            Only the uid shows that it is another object. A program that keeps something about the object itself (an \
            address, a lease, a count) has to check: an update with two uids is a deletion and an addition.",
        zh: "\
            informer 的 key 是名字。watch 断开期间，一个 Pod 被删除，又建了一个同名的；之后的 list 里有一个这个\
            名字的 Pod，store 里也有一个，于是 handler 收到的是更新。是不是另一个对象，只有 uid 看得出来。凡是保\
            存了对象自身信息的（地址、租约、计数），都要看一眼：两边 uid 不同的更新，等于一次删除加一次新增。",
    },
    go: InGo {
        hints: [
            Both {
                en: "`UpdateFunc` is called for this name. Compare its two objects.",
                zh: "关于这个名字，`UpdateFunc` 被调用过。比较它的两个对象。",
            },
            Both {
                en: "If the two objects have different UIDs, the old pod is gone and another one has its name.",
                zh: "如果两个对象的 UID 不同，旧的 Pod 已经没了，同名的是另一个。",
            },
        ],
        explanation: None,
    },
};
