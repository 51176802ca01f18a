import type { Tillgate } from 'tillgate';
import { shop } from '../../../till.ts';

let pay: ReturnType<Tillgate['fetch']['with']> | undefined;

/** The payment API and the payer's page. Next passes on no socket: who asks stands in the header of the proxy in front. */
const handle = (request: Request): Promise<Response> => {
  pay ??= shop().till.fetch.with({
    facts: ({ headers }) => ({ peer: headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '' }),
  });
  return pay(request);
};

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
