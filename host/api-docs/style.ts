import { createHash } from 'node:crypto';

/** The page's style sheet, inlined; the content security policy has its hash. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#17202b;--soft:#55616f;--paper:#fff;--card:#f4f6f8;--line:#cfd6de;--mark:#0b5fae}
@media (prefers-color-scheme:dark){:root{--ink:#eef2f6;--soft:#aab6c3;--paper:#10151b;--card:#1a222c;--line:#3a4654;--mark:#7ab8f5}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;display:grid;grid-template-columns:minmax(14rem,18rem) minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-inline-end:1px solid var(--line);font-size:.875rem}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav a{display:block;padding:.25rem 0;text-decoration:none}
main{padding:1rem 2rem 4rem;max-width:60rem}
@media (max-width:50rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1rem}}
h1{font-size:1.75rem;line-height:1.25}
h2{margin-top:3rem;border-bottom:1px solid var(--line)}
h3{margin:2.5rem 0 .25rem}
h4{margin:1.25rem 0 .5rem}
a{color:var(--mark)}
a:focus-visible,summary:focus-visible,pre:focus-visible,.scroll:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
code,pre{font:.875rem/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem;overflow:auto}
.call{background:var(--card);border-radius:.5rem;padding:.5rem .75rem;margin:.25rem 0}
.soft{color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.875rem}
th,td{text-align:start;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
summary{cursor:pointer;padding:.375rem 0}
`.trim();

/** Allows only the inline styles: the page has no script, picture or form. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
