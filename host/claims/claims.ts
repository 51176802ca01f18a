import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { Operation } from '../../adapters/http/index.ts';
import type { PageSite } from '../checkout/page-site.ts';
import { queryOf } from '../http/query-of.ts';
import type { ClaimPageDeps, ClaimPages } from './claim-pages.ts';

const shared = { method: 'GET', tag: 'Checkout', auth: ANYBODY, hidden: true } as const;

/** The claim pages of pull payments, without a login (core/decisions/pull-payments.md). */
export function claimPageOperations(deps: ClaimPageDeps, site: PageSite): readonly Operation[] {
  const load = loadOnce(deps, site);
  return [
    textOperation({
      ...shared,
      id: 'claimPage',
      path: '/claim/{token}',
      summary: 'The claim page of a pull payment',
      description: 'Shows what can be claimed, and what became of the claims.',
      type: 'text/html',
      handler: async (call) => (await load()).show(call, call.params['token'] ?? '', queryOf(call.request)),
    }),
    textOperation({
      ...shared,
      id: 'claimPageFile',
      path: '/claim/assets/{file}',
      summary: 'A file of the claim page',
      description: 'Its script, under a name that changes with its content.',
      type: 'text/plain',
      handler: async ({ params, traceId }) => (await load()).file(params['file'] ?? '', traceId),
    }),
  ];
}

/** Imported with the first page, as the payer's page is. */
function loadOnce(deps: ClaimPageDeps, site: PageSite): () => Promise<ClaimPages> {
  let loaded: Promise<ClaimPages> | null = null;
  return () => (loaded ??= import('./claim-pages.ts').then(({ ClaimPages: Pages }) => new Pages(deps, site)));
}
