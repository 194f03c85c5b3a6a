/** The style sheet of the explanation page: inline, without fonts, images or anything else to fetch; light and dark. */
export const EXPLAIN_STYLE = `
:root{color-scheme:light dark;--paper:#faf8f3;--card:#fffefb;--ink:#211e1a;--soft:#5d564c;--rule:#c3b9a6;--edge:#8f8470;--mark:#ffe7a3;--accent:#8a3d1b;--good:#22603f;--good-bg:#e3f0e6;--warn:#7d4700;--warn-bg:#fbeed8;--bad:#8c1f2b;--bad-bg:#fae3e2;--bar:#e8e2d6;--governing:#8a3d1b;--reference:#2b6a70;--frame:#8d8271;--other:#5b5596;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,Georgia,"DejaVu Serif",serif;--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--paper:#171512;--card:#201d19;--ink:#ece6db;--soft:#b4aa9a;--rule:#514a3f;--edge:#8a7f6d;--mark:#5a4710;--accent:#e7a877;--good:#93d3ac;--good-bg:#1c3327;--warn:#f0c07a;--warn-bg:#3a2b12;--bad:#f3a4a4;--bad-bg:#3f1d1f;--bar:#2e2a24;--governing:#d98a5b;--reference:#6fb6bc;--frame:#8f8574;--other:#a9a3e0}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 var(--sans);-webkit-text-size-adjust:100%}
.sheet{max-width:54rem;margin:0 auto;padding:2.25rem 1.25rem 4rem}
.mark{font:600 .78rem/1.4 var(--sans);letter-spacing:.14em;text-transform:uppercase;color:var(--accent);margin:0 0 1.1rem}
h1{font:600 1.95rem/1.22 var(--serif);margin:0 0 1rem;overflow-wrap:anywhere;text-wrap:balance}
h2{font:600 1.3rem/1.3 var(--serif);margin:2.75rem 0 .35rem}
a{color:inherit;text-decoration-color:var(--edge);text-underline-offset:.15em}
mark{background:var(--mark);color:var(--ink);border-radius:3px;padding:0 .1em;font-weight:600}
.opening{margin:0 0 1.1rem;max-width:44rem}
.small,.note{font-size:.88rem;color:var(--soft)}
.note{margin-top:1rem}
h3{font:600 1.08rem/1.35 var(--serif);margin:0;overflow-wrap:anywhere}
p{margin:.4rem 0}
.lead,.dim{color:var(--soft)}
code,.mono{font-family:var(--mono);font-size:.86em;overflow-wrap:anywhere}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:0;padding:0;list-style:none}
.chip{display:inline-block;padding:.12rem .55rem;border:1px solid var(--edge);text-decoration:none;border-radius:99px;font-size:.82rem;color:var(--soft);background:var(--card)}
.chip.good{color:var(--good);background:var(--good-bg);border-color:transparent}
.chip.warn{color:var(--warn);background:var(--warn-bg);border-color:transparent}
.chip.bad{color:var(--bad);background:var(--bad-bg);border-color:transparent}
.budget{margin:1.6rem 0 0}
.budget .figures{display:flex;justify-content:space-between;gap:1rem;align-items:baseline;flex-wrap:wrap}
.budget strong{font:600 1.15rem/1.2 var(--serif)}
.bar{display:flex;height:.9rem;margin:.5rem 0;border-radius:99px;overflow:hidden;background:var(--card);border:1px solid var(--edge)}
.bar span{display:block;min-width:2px}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.2rem;margin:0;padding:0;list-style:none;font-size:.86rem;color:var(--soft)}
.key i{display:inline-block;width:.7rem;height:.7rem;border-radius:3px;margin-right:.4rem;vertical-align:-1px}
.key i{border:1px solid var(--edge)}.c-free{background:var(--card)}.c-governing{background:var(--governing)}.c-reference{background:var(--reference)}.c-frame{background:var(--frame)}.c-other{background:var(--other)}
.verdict{margin:0 0 1.1rem;padding:1rem 1.15rem;border-radius:10px;background:var(--warn-bg);color:var(--warn)}
.shared{margin:.9rem 0 0}.shared>p{margin:0 0 .4rem}
.terms{margin:.8rem 0 0;display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.1rem;font-size:.9rem}
.terms dt{font-weight:600}.terms dd{margin:0;color:var(--soft)}
.terms dt:target{background:var(--mark)}
.cards{list-style:none;margin:1rem 0 0;padding:0;display:grid;gap:1rem}
.card{background:var(--card);border:1px solid var(--rule);border-radius:12px;padding:1.05rem 1.2rem 1.15rem}
.card.fenced{border-style:dashed;border-color:var(--warn)}
.card header{display:grid;grid-template-columns:auto 1fr;gap:.1rem .85rem;align-items:baseline}
.card .n{font:600 1.35rem/1 var(--serif);color:var(--accent);font-variant-numeric:tabular-nums}
.card .place{grid-column:2;color:var(--soft)}
.card .chips{margin:.65rem 0 0}
.card .because{margin:.7rem 0 0}
.fence{margin:.7rem 0 0;font-size:.88rem;color:var(--warn)}
pre{margin:.8rem 0 0;padding:.85rem 1rem;border-radius:8px;background:var(--paper);border:1px solid var(--rule);font:.84rem/1.55 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}
pre.cut{border-bottom-left-radius:0;border-bottom-right-radius:0;border-bottom-style:dashed;margin-bottom:0}
.rest{margin:0;border-radius:0 0 8px 8px;border-top:0;background:var(--paper)}
.rest>summary{font-size:.88rem;padding:.5rem 1rem}
.rest>pre{margin:0;border:0;background:none;padding-top:.2rem}
.shell::before{content:'$ ';color:var(--soft)}
.dups{font-size:.88rem;color:var(--soft)}
details{margin:.8rem 0 0;border:1px solid var(--rule);border-radius:10px;background:var(--card)}
summary{cursor:pointer;padding:.7rem 1rem;font-weight:600}
summary:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:8px}
details>pre,details>.inside{margin:0 1rem 1rem}
.inside>table+table{margin-top:1.2rem}
.pages,.passages{list-style:none;margin:0;padding:0}
.pages>li{border-top:1px solid var(--rule);padding:.55rem 0}
.pages>li:first-child{border-top:0}
.pages p{margin:0}
.passages{font-size:.9rem;margin:.2rem 0 0}
.passages>li{padding-left:1rem;text-indent:-1rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .9rem .45rem 0;border-top:1px solid var(--rule)}
thead th{border-top:0;color:var(--soft);font-weight:600}
tbody th{font-weight:500;white-space:nowrap}
td{overflow-wrap:anywhere}
.plain{margin:.6rem 0 0;padding-left:1.2rem}
@media (max-width:34rem){.sheet{padding:1.4rem .9rem 3rem}h1{font-size:1.5rem}.card{padding:.9rem}.terms{grid-template-columns:1fr;gap:0}.terms dd{margin:0 0 .55rem}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tr,tbody th,td{display:block;border:0;padding:0;white-space:normal}tr{border-top:1px solid var(--rule);padding:.45rem 0}}
@media print{body{background:#fff;color:#000}.card{break-inside:auto}.card header{break-after:avoid}details::details-content{display:block;content-visibility:visible;height:auto}.rest>summary{display:none}a{text-decoration:none}}
`.trim();
