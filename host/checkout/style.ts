import { createHash } from 'node:crypto';

/** The one style sheet of the payer's page; it stands in the page itself and its hash in the content policy. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#17202b;--soft:#55616f;--paper:#f4f6f8;--card:#fff;--line:#cfd6de;--mark:#0b5fae;--on-mark:#fff;--good:#0d6b3c;--bad:#a4262c}
@media (prefers-color-scheme:dark){:root{--ink:#eef2f6;--soft:#aab6c3;--paper:#10151b;--card:#1a222c;--line:#3a4654;--mark:#7ab8f5;--on-mark:#0b1016;--good:#6fd19c;--bad:#ff9a9e}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:0 auto;padding:1rem}
h1{font-size:1.4rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.1rem;margin:1.25rem 0 .5rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin:0 0 1rem}
.soft{color:var(--soft)}
.good{color:var(--good)}
.bad{color:var(--bad)}
dl{margin:0}
dt{color:var(--soft);font-size:.875rem;margin-top:.75rem}
dd{margin:0;overflow-wrap:anywhere}
code{font:1rem/1.5 ui-monospace,monospace;user-select:all;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0}
li{margin:0 0 .5rem}
.coin,button,.button{display:flex;justify-content:space-between;gap:1rem;flex-wrap:wrap;width:100%;padding:.75rem 1rem;border:1px solid var(--mark);border-radius:.5rem;font:inherit;text-align:left;cursor:pointer;text-decoration:none}
.coin{background:transparent;color:inherit}
button.main,.button{background:var(--mark);color:var(--on-mark);justify-content:center;font-weight:600}
a{color:var(--mark)}
a.button{color:var(--on-mark)}
button:focus-visible,a:focus-visible,input:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
label{display:block;margin:0 0 .25rem}
input{width:100%;padding:.75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--paper);color:inherit;font:1rem ui-monospace,monospace;margin:0 0 .75rem}
.qr{display:block;width:min(100%,15rem);height:auto;margin:0 auto 1rem;background:#fff;border-radius:.5rem}
`.trim();

/**
 * What a browser may do with the page: show it and send its forms back. No script runs at all, whatever a field of an
 * order might hold.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
