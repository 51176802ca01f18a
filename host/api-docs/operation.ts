import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { Operation } from '../../adapters/http/index.ts';
import type { ApiDescription } from './description.ts';
import { CONTENT_SECURITY_POLICY } from './style.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** The API reference as a page, rendered at its first request. */
export function apiDocsOperation(describe: () => object): Operation {
  let written: Promise<string> | null = null;
  const write = async (): Promise<string> => {
    const { renderApiDocs } = await import('./page.tsx');
    return renderApiDocs(describe() as ApiDescription);
  };
  return textOperation({
    id: 'apiDocs',
    method: 'GET',
    path: '/docs',
    summary: 'The reference of this API',
    description: 'A page without script, from the same description as /openapi.json.',
    tag: 'Service',
    auth: ANYBODY,
    hidden: true,
    type: 'text/html',
    handler: async ({ traceId }) => ({
      status: 200,
      headers: { 'X-Trace-Id': traceId, ...HEADERS },
      body: await (written ??= write()),
    }),
  });
}
