import type { Bundle } from './bundle.ts';

/** The URL of the files, relative to the page. */
export const ASSETS = 'dashboard/assets';

/**
 * The page of the application. Its links are relative: a proxy may serve it under any path.
 *
 * @param nonce - of this reply only; the application's styles carry it
 */
export function dashboardPage({ entry, preloads }: Bundle, nonce: string): string {
  const links = preloads.map((name) => `<link rel="modulepreload" href="${ASSETS}/${name}">`).join('');
  return document(
    `<meta name="csp-nonce" nonce="${nonce}">${skeletonStyle(nonce)}${links}<script type="module" src="${ASSETS}/${entry}"></script>`,
    `<div id="root">${SKELETON}</div><noscript><h1>Tillgate</h1><p>The dashboard needs JavaScript.</p></noscript>`,
  );
}

/** The page that is shown while the files are built. It loads itself again. */
export function buildingPage(nonce: string): string {
  return document(
    `${skeletonStyle(nonce)}<meta http-equiv="refresh" content="2">`,
    `${SKELETON}<main class="told" role="status"><h1>Building the dashboard…</h1><p>This happens once after the sources have changed, and takes some seconds. The page opens by itself.</p></main>`,
    'Building the dashboard…',
  );
}

/** The header, the menu and the cards of a page that is not there yet. The application replaces it. */
const SKELETON = `<div class="wait" aria-hidden="true"><b></b><i>${'<u></u>'.repeat(6)}</i><p>${'<s></s>'.repeat(4)}</p></div>`;

/** Colours as the application has them in the theme of the system. */
const skeletonStyle = (nonce: string): string =>
  `<style nonce="${nonce}">:root{--paper:#f2f4f7;--card:#fff;--line:#d5dbe2;--ink:#16202c}@media(prefers-color-scheme:dark){:root{--paper:#0e1319;--card:#181f28;--line:#313c48;--ink:#edf1f5}}body{margin:0;background:var(--paper);color:var(--ink);font-family:system-ui,sans-serif}.wait b{display:block;height:48px;background:var(--card);border-bottom:1px solid var(--line)}.wait i,.wait p{position:absolute;top:64px;margin:0}.wait i{inset-inline-start:24px;width:170px}.wait u{display:block;height:16px;margin-bottom:22px;border-radius:8px;background:var(--line)}.wait p{inset-inline:240px 16px;display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr))}.wait s{height:112px;border-radius:10px;border:1px solid var(--line);background:var(--card)}.told{position:absolute;top:220px;inset-inline:240px 16px}@media(max-width:600px){.wait i{display:none}.wait p,.told{inset-inline:16px}.told{top:600px}}@media(prefers-reduced-motion:no-preference){.wait u,.wait s{animation:w 1.2s ease-in-out infinite alternate}@keyframes w{to{opacity:.5}}}</style>`;

/** The page that is shown while the files are missing, with the remedy. */
export function failedPage(): string {
  return document(
    '',
    '<main><h1>The dashboard cannot be shown</h1><p>Its files could not be built; the reason is in the log of the server. From the sources run <code>npm ci</code>, then load this page again after half a minute. The management API is not affected.</p></main>',
  );
}

function document(head: string, body: string, title = 'Tillgate'): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${title}</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
}

/**
 * Allows the scripts of this server, the styles of this reply, and requests to this server. No inline script runs and
 * no other server is contacted, whatever a field of an order contains.
 *
 * @param formAction - the one origin to which a form may be posted; none by default
 */
export function dashboardPolicy(nonce: string, formAction = "'none'"): string {
  return `default-src 'none'; script-src 'self'; style-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
}
