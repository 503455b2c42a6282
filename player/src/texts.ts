// The words of the page itself, in both languages. What is said of events is not here: see words.ts.

import type { SceneWords } from "./scene";
import type { Lang } from "./words";

const EN = {
  title: "informer-lab board",
  open: "Open", beside: "Beside", close: "Close", alone: "One only", predict: "Predict", save: "Save page", picture: "Save picture",
  language: "中文", theme: "Light or dark", help: "Keys",
  first: "First", back: "Back", play: "Play", pause: "Pause", forward: "Forward", last: "Last",
  speed: "Speed", next: "Next", nextKind: "Next event of a kind", search: "Find a key", kind: "Objects",
  timeline: "Time line", trace: "What was printed", nothingPrinted: "Nothing yet", stages: "Pictures",
  yes: "Yes", no: "No", skip: "Skip", right: "Right: ", wrong: "Not so: ",
  difference: "Next difference", differs: "only in one of the two",
  step: (at: number, all: number) => `Step ${at} of ${all}`,
  noNext: (kind: string) => `No event ${kind} comes after this one.`,
  noKey: (key: string) => `No event after this one is about a key with ${key}.`,
  noDifference: "No difference comes after this one.",
  noQuestions: "This record has no questions. informer-lab board FILE puts them in.",
  questions: (count: number) => `${count} ${count === 1 ? "question" : "questions"} will come, each before something decisive.`,
  ended: "The run has ended; everything that came is still here.",
  full: "The run goes on, but a page takes no more than these events. Record a long run with --record.",
  refused: "The program sends this page no events: too many pages follow the run. Close one, then load this page again.",
  left: "The page does not follow the run any more. To follow it, load the page again.",
  tooLong: "The line is too long: it can have 1000 bytes.",
  busy: "The run has not done the lines before this one yet. Try again in a moment.",
  notTaken: "The run did not take the line.",
  empty: "Open a record, or drop one here. Make one with: informer-lab LESSON --record FILE",
  run: (command: string, client: string, seed: number) => `${command} · ${client} · seed ${seed}`,
  pictureOf: (name: string) => `The machinery in ${name}`,
  holds: (box: string, lines: string[]) => `${box}: ${lines.length === 0 ? "empty" : lines.join("; ")}`,
  keys: [
    ["→ or Enter", "the next event"], ["← or b", "back"], ["Space", "play or pause"], ["< and >", "slower, faster"],
    ["n", "the next event of this kind"], ["/", "find a key"], ["d", "the next difference"], ["g and G", "first, last"],
    ["p", "predict: ask before decisive events"], ["y and n", "answer"], ["+ and -", "larger, smaller"],
    ["o", "open a record"], ["l", "language"], ["t", "light or dark"], ["?", "these keys"],
  ],
};

const ZH: typeof EN = {
  title: "informer-lab board",
  open: "打开", beside: "并排", close: "关闭", alone: "只看一个", predict: "预测", save: "保存页面", picture: "保存图片",
  language: "English", theme: "浅色或深色", help: "按键",
  first: "开头", back: "返回", play: "播放", pause: "暂停", forward: "前进", last: "结尾",
  speed: "速度", next: "下一个", nextKind: "下一个同类事件", search: "查找 key", kind: "对象",
  timeline: "时间线", trace: "打印的内容", nothingPrinted: "还没有打印任何内容", stages: "图",
  yes: "会", no: "不会", skip: "跳过", right: "答对了：", wrong: "不对：",
  difference: "下一处不同", differs: "只在其中一个里",
  step: (at, all) => `第 ${at} 步，共 ${all} 步`,
  noNext: (kind) => `后面没有 ${kind} 事件了。`,
  noKey: (key) => `后面没有 key 里含 ${key} 的事件。`,
  noDifference: "后面没有不同之处了。",
  noQuestions: "这份记录没有附带问题，用 informer-lab board FILE 打开时会自动加上。",
  questions: (count) => `一共有 ${count} 个问题，都在关键的一步之前。`,
  ended: "运行已结束，收到的内容都还在。",
  full: "运行还在继续，但页面最多只收这些事件。较长的运行请用 --record 录制。",
  refused: "程序没有向这个页面发送事件：看这次运行的页面太多了。请关掉一个，再重新加载本页。",
  left: "页面不再跟随这次运行。要继续跟随，请重新加载页面。",
  tooLong: "这一行太长：最多 1000 字节。",
  busy: "前面的几行还没有执行完。请稍后再试。",
  notTaken: "这次运行没有接受这一行。",
  empty: "请打开一个记录，或把它拖到这里。录制：informer-lab LESSON --record FILE",
  run: (command, client, seed) => `${command} · ${client} · seed ${seed}`,
  pictureOf: (name) => `${name} 的各个组件`,
  holds: (box, lines) => `${box}：${lines.length === 0 ? "空" : lines.join("；")}`,
  keys: [
    ["→ 或回车", "下一个事件"], ["← 或 b", "返回"], ["空格", "播放或暂停"], ["< 和 >", "慢一些、快一些"],
    ["n", "下一个同类事件"], ["/", "查找 key"], ["d", "下一处不同"], ["g 和 G", "开头、结尾"],
    ["p", "预测：关键的一步之前先提问"], ["y 和 n", "回答"], ["+ 和 -", "放大、缩小"],
    ["o", "打开记录"], ["l", "语言"], ["t", "浅色或深色"], ["?", "这些按键"],
  ],
};

export const TEXTS: Record<Lang, typeof EN> = { en: EN, zh: ZH };

export const SCENE_WORDS: Record<Lang, SceneWords> = {
  en: {
    noWatch: "no watch", watching: "watch open", seen: (version) => `version ${version}`,
    knownObjects: "known objects: the store", noKnownObjects: "no known objects",
    handler: (id) => `handler ${id}`, called: (times) => `✓ ${times}`, dropped: "✗ Deleted",
    objects: (count) => `LIST: ${count}`, objectVersion: "object, version", lanes: "waiting → handler",
  },
  zh: {
    noWatch: "没有 watch", watching: "watch 中", seen: (version) => `版本 ${version}`,
    knownObjects: "known objects：store", noKnownObjects: "没有 known objects",
    handler: (id) => `handler ${id}`, called: (times) => `✓ ${times}`, dropped: "✗ Deleted",
    objects: (count) => `LIST：${count}`, objectVersion: "对象、版本", lanes: "等待 → handler",
  },
};
