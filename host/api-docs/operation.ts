import { ANYBODY, CompressedText, textOperation } from '../../adapters/http/index.ts';
import type { HttpResponse, Operation } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { ApiDescription } from './description.ts';
import { SANDBOX_URL } from './guides.ts';
import { CONTENT_SECURITY_POLICY } from './style.ts';

const YEAR_SECONDS = 31_536_000;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const SCRIPT_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const shared = { method: 'GET', tag: 'Service', auth: ANYBODY, hidden: true, type: 'text/html' } as const;

interface ServedFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: CompressedText;
}

/**
 * The documentation as pages, rendered at their first request.
 *
 * @param sandboxUrl - the address that stands in its commands
 */
export function docsOperations(describe: () => object, sandboxUrl = (): string => SANDBOX_URL): readonly Operation[] {
  let written: Promise<ReadonlyMap<string, ServedFile>> | null = null;
  const write = async (): Promise<ReadonlyMap<string, ServedFile>> => {
    const [{ renderDocs }, { SERVED }] = await Promise.all([import('./docs.ts'), import('./page.tsx')]);
    const { pages, script } = renderDocs(describe() as ApiDescription, SERVED, sandboxUrl());
    const files = [...pages].map(([slug, html]): [string, ServedFile] => [
      slug,
      { headers: PAGE_HEADERS, text: new CompressedText(html) },
    ]);
    return new Map([...files, [script.name, { headers: SCRIPT_HEADERS, text: new CompressedText(script.text) }]]);
  };
  const reply = async (
    name: string,
    request: Parameters<CompressedText['reply']>[0],
    traceId: string,
  ): Promise<HttpResponse> => {
    const file = (await (written ??= write())).get(name);
    if (file === undefined) throw new TillgateError('NOT_FOUND', 'There is no such page.');
    const { headers, body } = await file.text.reply(request);
    return { status: 200, headers: { 'X-Trace-Id': traceId, ...file.headers, ...headers }, body };
  };
  return [
    textOperation({
      ...shared,
      id: 'docs',
      path: '/docs',
      summary: 'The documentation',
      description: 'Its first page.',
      handler: async ({ request, traceId }) => reply('', request, traceId),
    }),
    textOperation({
      ...shared,
      id: 'docsSlash',
      path: '/docs/',
      summary: 'The documentation',
      description: 'Goes to the address without a slash at its end, to which the links are relative.',
      handler: async ({ traceId }) => ({
        status: 308,
        headers: { 'X-Trace-Id': traceId, Location: '../docs' },
        body: '',
      }),
    }),
    textOperation({
      ...shared,
      id: 'docsPage',
      path: '/docs/{name}',
      summary: 'A page of the documentation',
      description: 'A page or the script of the search, from the same description as /openapi.json.',
      handler: async ({ params, request, traceId }) => reply(params['name'] ?? '', request, traceId),
    }),
  ];
}
