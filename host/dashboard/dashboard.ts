import { randomBytes } from 'node:crypto';
import { acceptedEncoding, ANYBODY, header, textOperation } from '../../adapters/http/index.ts';
import type { HttpRequest, HttpResponse, Operation } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { Clock, Logger } from '../../core/index.ts';
import type { Encoding } from './bundle.ts';
import { DashboardFiles } from './dashboard-files.ts';
import { queryOf } from '../http/query-of.ts';
import { redirectOf } from './app/connect-request.ts';
import { buildingPage, dashboardPage, dashboardPolicy, failedPage } from './page.ts';

const YEAR_SECONDS = 31_536_000;
const RETRY_SECONDS = 30;

/** The headers that do not depend on the content. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

const shared = { method: 'GET', tag: 'Dashboard', auth: ANYBODY, hidden: true } as const;

export interface DashboardDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'error' | 'info' | 'warn'>;
}

/** The dashboard: one page and its files. It reads and changes data only by the management API. */
export function dashboardOperations(
  deps: DashboardDeps,
  files = new DashboardFiles(deps.clock, deps.logger),
): readonly Operation[] {
  return [pageOperation(files), slashOperation, filesOperation(files), connectOperation];
}

function pageOperation(files: DashboardFiles): Operation {
  return textOperation({
    ...shared,
    id: 'dashboardPage',
    path: '/dashboard',
    summary: 'The dashboard',
    description: 'For merchants and operators.',
    type: 'text/html',
    handler: async ({ request, traceId }) => {
      // A new nonce for each reply: only the application's own styles apply.
      const nonce = randomBytes(16).toString('base64');
      const headers = {
        'X-Trace-Id': traceId,
        ...PAGE_HEADERS,
        'Content-Security-Policy': dashboardPolicy(nonce, formActionOf(request)),
      };
      const loaded = await files.state();
      if (loaded.kind === 'ready') return { status: 200, headers, body: dashboardPage(loaded.bundle, nonce) };
      if (loaded.kind === 'building') return { status: 200, headers, body: buildingPage(nonce) };
      return { status: 503, headers: { ...headers, 'Retry-After': String(RETRY_SECONDS) }, body: failedPage() };
    },
  });
}

/** The origin to which the page may post a key, where its address asks for that. */
function formActionOf(request: HttpRequest): string | undefined {
  const redirect = queryOf(request).get('redirect');
  return (redirect === null ? null : redirectOf(redirect, false))?.origin;
}

/** The link by which a shop plugin asks its merchant for a key: it leads to a page of the dashboard. */
const connectOperation = textOperation({
  ...shared,
  id: 'connectShop',
  path: '/api-keys/authorize',
  aliases: ['/api-keys/authorize/'],
  summary: 'Asks the merchant for a key',
  description: 'Goes to the page of the dashboard on which the merchant agrees or does not.',
  type: 'text/html',
  handler: async ({ request, traceId }) => {
    const { target } = request;
    const mark = target.indexOf('?');
    const query = mark === -1 ? '' : target.slice(mark);
    const path = mark === -1 ? target : target.slice(0, mark);
    const location = `${path.endsWith('/') ? '../..' : '..'}/dashboard${query}#/connect`;
    return {
      status: 302,
      headers: {
        'X-Trace-Id': traceId,
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        Location: location,
      },
      body: '',
    };
  },
});

/** The links of the page are relative to a URL without a slash at its end. */
const slashOperation = textOperation({
  ...shared,
  id: 'dashboardSlash',
  path: '/dashboard/',
  summary: 'The dashboard',
  description: 'Goes to the address without a slash at its end.',
  type: 'text/html',
  handler: async ({ traceId }) => ({
    status: 308,
    headers: { 'X-Trace-Id': traceId, Location: '../dashboard' },
    body: '',
  }),
});

function filesOperation(files: DashboardFiles): Operation {
  return textOperation({
    ...shared,
    id: 'dashboardFile',
    path: '/dashboard/assets/{file}',
    summary: 'A file of the dashboard',
    description: 'Under a name that changes with its content.',
    type: 'text/javascript',
    handler: async ({ params, request, traceId }): Promise<HttpResponse> => {
      const name = params['file'] ?? '';
      const loaded = await files.get();
      const file = loaded.kind === 'ready' ? loaded.bundle.files.get(name) : undefined;
      if (file === undefined) throw new TillgateError('NOT_FOUND', 'There is no such file.');
      const encoding = acceptedEncoding(header(request.headers, 'accept-encoding'));
      return {
        status: 200,
        headers: { 'X-Trace-Id': traceId, ...fileHeaders(name, encoding) },
        body: file.bodies[encoding],
      };
    },
  });
}

function fileHeaders(name: string, encoding: Encoding): Record<string, string> {
  const extension = name.split('.').at(-1) ?? '';
  return {
    'Content-Type': TYPES[extension] ?? 'application/octet-stream',
    // The list of licences has a fixed name, so it must be revalidated.
    'Cache-Control': extension === 'js' ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
    ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
  };
}
