import { text } from '../../adapters/http/fields.ts';
import { ANYBODY, dataOperation, textOperation } from '../../adapters/http/index.ts';
import type { Operation } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { PrepaidView, TopUps } from '../../core/index.ts';
import { z } from 'zod';
import { queryOf } from '../http/query-of.ts';

const TOKEN = /^[0-9a-f]{32}$/;
const shared = { tag: 'Checkout', auth: ANYBODY, path: '/top-up/{token}', hidden: true } as const;

/** Accepts only tokens in the format that the till makes, so that nothing else reaches the storage. */
function tokenOf({ token = '' }: Readonly<Record<string, string>>): string {
  if (TOKEN.test(token)) return token;
  throw new TillgateError('NOT_FOUND', 'There is no such prepaid App.');
}

/** The page where units are bought for an App, without a login: anyone who has its address may pay for the App. */
export function topUpOperations(topUps: Pick<TopUps, 'buy' | 'findByToken'>, sandbox: boolean): readonly Operation[] {
  const show = textOperation({
    ...shared,
    id: 'topUpPage',
    method: 'GET',
    summary: 'Prepaid units',
    description: 'Shows what a prepaid App has left, and the plans.',
    type: 'text/html',
    handler: async ({ params, request, traceId }) => {
      // Imported with the first page, as the payer's page is.
      const [{ topUpPage }, { chosenLanguage }] = await Promise.all([
        import('./top-up-page.tsx'),
        import('../checkout/chosen-language.ts'),
      ]);
      const query = queryOf(request);
      const { language, headers } = chosenLanguage(request, query);
      const find = async (): Promise<PrepaidView> => topUps.findByToken(tokenOf(params));
      const reply = await topUpPage(find, language, query.get('error'), sandbox);
      return { ...reply, headers: { 'X-Trace-Id': traceId, ...reply.headers, ...headers } };
    },
  });
  const buy = dataOperation({
    ...shared,
    id: 'buyUnits',
    method: 'POST',
    summary: 'Buy units for an App',
    description: "Makes an order for a plan; a page's form is answered with 303 to the page where it is paid.",
    bodyKinds: ['json', 'form'],
    page: ({ token = '' }) => token,
    goTo: ({ pay_url }) => `../checkout/${pay_url.slice(pay_url.lastIndexOf('/') + 1)}`,
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'AMOUNT_OUT_OF_RANGE', 'NOT_READY', 'RATE_LIMITED'],
    body: z.object({ plan: text(64, 'The name of a plan') }),
    data: z.object({ pay_url: z.string() }),
    handler: async ({ params, body: { plan } }) => ({
      pay_url: (await topUps.buy(await topUps.findByToken(tokenOf(params)), plan)).payUrl,
    }),
  });
  return [show, buy];
}
