import { createHash } from 'node:crypto';
import { ANYBODY, header, textOperation } from '../../adapters/http/index.ts';
import type { Operation } from '../../adapters/http/index.ts';

/** A page that the server's first page leads to. */
interface HomeLink {
  /** The name of the link in the JSON reply. */
  readonly name: string;
  /** Relative to the server's root, so that it also holds behind a proxy that adds a path. */
  readonly path: string;
  readonly title: string;
  readonly about: string;
}

/** What the server offers; pages that are switched off are not linked. */
export interface HomeParts {
  readonly dashboard: boolean;
  readonly docs: boolean;
  readonly sandbox: boolean;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#17202b;--soft:#55616f;--paper:#f4f6f8;--card:#fff;--line:#cfd6de;--mark:#0b5fae}
@media (prefers-color-scheme:dark){:root{--ink:#eef2f6;--soft:#aab6c3;--paper:#10151b;--card:#1a222c;--line:#3a4654;--mark:#7ab8f5}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:min(32rem,calc(100vw - 3rem))}
h1{margin:0;font-size:1.75rem;line-height:1.25}
p{margin:.25rem 0 0;color:var(--soft)}
ul{list-style:none;margin:1.5rem 0;padding:0;display:grid;gap:.75rem}
li a{display:block;padding:1rem 1.25rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card);color:inherit;text-decoration:none}
li a:hover,li a:focus-visible{border-color:var(--mark)}
li strong{color:var(--mark)}
li span{display:block;color:var(--soft)}
`;

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-cache',
  Vary: 'Accept',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** The server's first page: links for a browser, the same links as JSON for any other client. */
export function homeOperation(parts: HomeParts): Operation {
  const links = linksOf(parts);
  const page = pageOf(links, parts.sandbox);
  const record = JSON.stringify({
    service: 'Tillgate',
    mode: parts.sandbox ? 'sandbox' : 'production',
    links: Object.fromEntries(links.map(({ name, path }) => [name, `/${path}`])),
  });
  return textOperation({
    id: 'home',
    method: 'GET',
    path: '/',
    summary: 'The first page',
    description: 'Links to what this server offers.',
    tag: 'Service',
    auth: ANYBODY,
    hidden: true,
    type: 'text/html',
    handler: ({ request, traceId }) => {
      const html = (header(request.headers, 'accept') ?? '').includes('text/html');
      const type = html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
      return Promise.resolve({
        status: 200,
        headers: { 'X-Trace-Id': traceId, 'Content-Type': type, ...HEADERS },
        body: html ? page : record,
      });
    },
  });
}

function linksOf({ dashboard, docs }: HomeParts): readonly HomeLink[] {
  return [
    ...(dashboard
      ? [{ name: 'dashboard', path: 'dashboard', title: 'Dashboard', about: 'Orders, payouts and settings' }]
      : []),
    ...(docs ? [{ name: 'docs', path: 'docs', title: 'Documentation', about: 'Guide and API reference' }] : []),
    { name: 'openapi', path: 'openapi.json', title: 'OpenAPI document', about: 'The API for code generators' },
  ];
}

function pageOf(links: readonly HomeLink[], sandbox: boolean): string {
  const items = links.map(
    ({ path, title, about }) => `<li><a href="${path}"><strong>${title}</strong><span>${about}</span></a></li>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Tillgate</title>',
    `<link rel="icon" href="data:,"><style>${STYLE}</style></head><body><main><h1>Tillgate</h1>`,
    `<p>This payment server is running${sandbox ? ' in sandbox mode, with simulated coins' : ''}.</p>`,
    `<ul>${items.join('')}</ul>`,
    '<p>Here to pay? Open the payment link that you received from the shop.</p></main></body></html>',
  ].join('');
}
