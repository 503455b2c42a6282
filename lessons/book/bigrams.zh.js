// The search of the Chinese book: what is typed is cut into the same pieces as the index (.ci/book): Latin words, and each two
// Chinese characters that stand together.
'use strict';
(function () {
    if (!window.elasticlunr) {
        return;
    }
    const usual = window.elasticlunr.tokenizer;
    function pieces(text) {
        const found = [];
        for (const run of String(text || '').toLowerCase().match(/[a-z0-9_]+|[\u4e00-\u9fff]+/g) || []) {
            if (run.charCodeAt(0) < 0x4e00 || run.length === 1) {
                found.push(run);
            } else {
                for (let at = 0; at + 1 < run.length; at++) {
                    found.push(run.substring(at, at + 2));
                }
            }
        }
        return found;
    }
    window.elasticlunr.tokenizer = Object.assign(pieces, usual);
})();
