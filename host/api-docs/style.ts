import { createHash } from 'node:crypto';

/** The pages' style sheet, inlined; the content security policy has its hash. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#17202b;--soft:#55616f;--paper:#fff;--card:#f4f6f8;--line:#cfd6de;--mark:#0b5fae;--here:#e3eefa}
@media (prefers-color-scheme:dark){:root{--ink:#eef2f6;--soft:#aab6c3;--paper:#10151b;--card:#1a222c;--line:#3a4654;--mark:#7ab8f5;--here:#1c3148}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:4.5rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif;display:grid;grid-template:auto 1fr/17rem minmax(0,1fr);grid-template-areas:"header header" "nav main"}
header{grid-area:header;position:sticky;top:0;z-index:1;display:flex;gap:1rem;align-items:center;min-height:3.5rem;padding:.5rem 1.5rem;background:var(--paper);border-bottom:1px solid var(--line)}
.home{font-weight:700;color:var(--ink);text-decoration:none;white-space:nowrap}
.menu{display:none;margin-inline-start:auto;padding:.5rem}
nav{grid-area:nav;position:sticky;top:3.5rem;height:calc(100vh - 3.5rem);overflow:auto;padding:1rem 1rem 2rem 1.5rem;border-inline-end:1px solid var(--line);font-size:.9375rem}
nav ul{list-style:none;margin:0 0 .75rem;padding:0}
nav li a,nav p a{display:block;padding:.25rem .5rem;border-radius:.375rem;text-decoration:none;color:inherit}
nav li a:hover{background:var(--card)}
nav a[aria-current]{background:var(--here);font-weight:600}
nav summary{font-weight:600}
main{grid-area:main;padding:1.5rem 2.5rem 4rem;max-width:58rem}
h1{font-size:2rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.375rem;line-height:1.3;margin:2.5rem 0 .5rem}
h3{font-size:1.0625rem;margin:1.5rem 0 .5rem}
article{border-top:1px solid var(--line);margin-top:2.5rem}
a{color:var(--mark)}
a:focus-visible,summary:focus-visible,pre:focus-visible,input:focus-visible,.scroll:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
code,pre{font:.875rem/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}
code{overflow-wrap:anywhere}
p code,li code,td code{background:var(--card);border-radius:.25rem;padding:.0625rem .25rem}
pre{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.875rem 1rem;overflow:auto;max-height:36rem}
pre code{overflow-wrap:normal}
.call{background:var(--card);border-radius:.5rem;padding:.5rem .75rem;margin:.5rem 0}
.call code{background:none;padding:0}
.calls{list-style:none;padding:0}
.calls li{padding:.25rem 0}
nav ul ul{margin:0 0 .25rem .75rem;border-inline-start:1px solid var(--line)}
nav ul ul a{font-size:.875rem;color:var(--soft)}
.soft{color:var(--soft);margin:.25rem 0}
.next{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line)}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{text-align:start;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
th::first-letter{text-transform:uppercase}
td p{margin:0 0 .25rem}
td small{display:block;color:var(--soft);font-size:.8125rem}
.text{display:block}
summary{cursor:pointer;padding:.375rem 0}
#site-search{position:relative;flex:0 1 22rem;margin-inline-start:auto}
#site-search label,#site-count{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);margin:0;white-space:nowrap}
#site-words{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.375rem .75rem}
#site-found{position:absolute;inset-inline:0;top:100%;margin:.25rem 0 0;padding:.25rem;list-style:none;max-height:70vh;overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:.5rem;box-shadow:0 .5rem 1.5rem #0004}
#site-found a{display:block;padding:.375rem .5rem;border-radius:.375rem;text-decoration:none;color:inherit}
#site-found a:hover,#site-found a:focus{background:var(--here)}
#site-found span{display:block;color:var(--soft);font-size:.8125rem;overflow-wrap:anywhere}
@media (min-width:52rem){td:first-child code{overflow-wrap:normal}}
@media (max-width:52rem){body{display:block}header{padding:.5rem 1rem}.menu{display:block;margin:0}nav{position:static;height:auto;border:0;border-top:1px solid var(--line);padding:1rem}nav li a,nav p a,nav summary{padding-block:.5rem}main{padding:1rem 1rem 3rem}h1{font-size:1.625rem}.calls code{display:table}#site-search{flex:1}#site-found{position:fixed;inset-inline:.5rem;top:3.5rem}}
`.trim();

/** Allows the inline style and the script of the search, and nothing else. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "script-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
