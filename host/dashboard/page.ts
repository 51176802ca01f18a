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
    `<meta name="csp-nonce" nonce="${nonce}">${links}<script type="module" src="${ASSETS}/${entry}"></script>`,
    '<div id="root"></div><noscript><h1>Tillgate</h1><p>The dashboard needs JavaScript.</p></noscript>',
  );
}

/** The page that is shown while the files are missing, with the remedy. */
export function failedPage(): string {
  return document(
    '',
    '<main><h1>The dashboard cannot be shown</h1><p>Its files could not be built; the reason is in the log of the server. From the sources run <code>npm ci</code>, then load this page again after half a minute. The management API is not affected.</p></main>',
  );
}

function document(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>Tillgate</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
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
