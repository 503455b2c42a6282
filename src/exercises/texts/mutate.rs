//! The texts of exercise 4, `mutate`: "An alarm that no event explains".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "mutate",
    file: "04_mutate",
    chapter: "23-pitfalls",
    title: Both { en: "An alarm that no event explains", zh: "找不到对应事件的告警" },
    symptom: Both {
        en: "\
            One handler writes pods to a log, without their passwords. Another one raises an alarm when a pod has no \
            password. Since both are in one program, the alarm rings for every pod. `kubectl get pod -o yaml` shows \
            the password. Each handler alone does what it should.",
        zh: "\
            一个 handler 去掉 Pod 里的密码，再把 Pod 写进日志。另一个在 Pod 没有密码时告警。两个放进同一个程序之\
            后，每个 Pod 都触发告警。用 `kubectl get pod -o yaml` 看，密码明明在。两个 handler 单独运行都没问题。",
    },
    hints: [
        Both {
            en: "Both handlers and the cache have the same object. Which of them writes to it?",
            zh: "两个 handler 拿到的是同一个对象，缓存里也是它。是哪一个在写它？",
        },
        Both {
            en: "Take a lock for reading, clone what is inside, and change the clone.",
            zh: "只取读锁，把里面的东西 clone 一份，改 clone 出来的那一份。",
        },
    ],
    explanation: Both {
        en: "\
            The objects of an informer are shared: by all handlers, by every reader, and by the cache itself. In Go \
            every handler gets a pointer and can write through it. Then the cache has a pod that the API server never \
            had, indices do not match it, and the next update is compared with a state that never existed. So: copy, \
            then change (`DeepCopy` in Go). This library returns `Arc<T>`, and without a lock inside of `T` the line \
            that was wrong here does not compile.",
        zh: "\
            informer 交出来的对象是共享的：所有 handler、所有读取方和缓存用的都是它。在 Go 里它是一个指针，任何 \
            handler 都能写。写了之后，缓存里就有了一个 API server 从来没有过的 Pod，索引对不上，下一次更新给出的旧对象\
            也是假的。所以要先复制再修改（Go 里是 `DeepCopy`）。这个库交出来的是 `Arc<T>`，只要 `T` 里面没有锁，这里\
            写错的那一行根本编译不过。",
    },
    go: InGo {
        hints: [
            Both {
                en: "Both handlers get the same pointer, and so does the cache. Which of them writes through it?",
                zh: "两个 handler 拿到的是同一个指针，缓存里也是它。哪一个在往里写？",
            },
            Both {
                en: "\
                    `pod.DeepCopy()` returns a pod of your own. `KUBE_CACHE_MUTATION_DETECTOR=true` lets client-go \
                    find such a write.",
                zh: "\
                    `pod.DeepCopy()` 才是你自己的 Pod。设置 `KUBE_CACHE_MUTATION_DETECTOR=true`，client-go 会找出这样\
                    的写入。",
            },
        ],
        explanation: Some(Both {
            en: "\
                The objects of an informer are shared: by all handlers, by every lister, and by the cache itself. \
                Every handler gets a pointer and can write through it. Then the cache has a pod that the API server \
                never had, indices do not match it, and the next update is compared with a state that never existed. \
                So: copy with `DeepCopy`, then change the copy. The compiler does not help; with \
                `KUBE_CACHE_MUTATION_DETECTOR=true`, client-go compares its cache with a copy and panics at a \
                difference.",
            zh: "\
                informer 交出来的对象是共享的：所有 handler、所有 lister 和缓存用的都是它。它是一个指针，谁都能往里\
                写。写了之后，缓存里就有了一个 API server 从来没有过的 Pod，索引对不上，下一次更新给出的旧对象也是假\
                的。所以要先 `DeepCopy`，再改副本。编译器帮不上忙；设置 `KUBE_CACHE_MUTATION_DETECTOR=true` 之后，\
                client-go 会把缓存和一份副本比较，发现不同就 panic。",
        }),
    },
};
