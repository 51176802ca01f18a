import { z } from 'zod';
import { shown, text } from './setting-fields.ts';
import { SANDBOX_PRICES } from './static-prices.ts';

const price = z
  .string({ error: 'write the price in US dollars in quotation marks, such as "2500"' })
  .regex(/^(?=.*[1-9])\d{1,30}(\.\d{1,30})?$/, {
    error: 'write a plain decimal above zero, such as "2500" or "0.0067"',
  });
const url = text('the address of the service').optional();
const idsBySymbol = (example: string) =>
  z.record(z.string(), text('an id'), { error: `write ids by symbol, such as ${example}` }).optional();

/** One entry of `rates.sources`. `ids` and `pairs` add to those of the till's own coins. */
export const rateSourceSetting = z.discriminatedUnion(
  'use',
  [
    z.strictObject({
      use: shown(z.literal('coingecko')),
      url,
      apiKey: text('the key of the service').optional(),
      apiKeyFile: text('the path of a file that holds the key').optional(),
      ids: idsBySymbol('{"SOL": "solana"}'),
    }),
    z.strictObject({ use: shown(z.literal('kraken')), url, pairs: idsBySymbol('{"SOL": "SOLUSD"}') }),
    z.strictObject({
      use: shown(z.literal('static')),
      prices: z
        .record(z.string(), price, { error: 'write prices in US dollars, such as {"ETH": "2500", "EUR": "1.08"}' })
        .optional(),
    }),
  ],
  { error: 'name a source: "coingecko", "kraken" or "static"' },
);

/** One entry of `rates.sources`. */
export type RateSourceSetting = z.output<typeof rateSourceSetting>;

/** The configured sources, else those of the mode. Static prices that are not configured are the sandbox's. */
export function rateSourcesOf(
  sources: readonly RateSourceSetting[] | undefined,
  mode: 'sandbox' | 'production',
): readonly RateSourceSetting[] {
  const defaults: readonly RateSourceSetting[] =
    mode === 'sandbox' ? [{ use: 'static' }] : [{ use: 'coingecko' }, { use: 'kraken' }];
  return (sources ?? defaults).map((source) =>
    source.use === 'static' ? { ...source, prices: source.prices ?? { ...SANDBOX_PRICES } } : source,
  );
}
