import { z } from 'zod';
import { findFiat, isId, MAX_PLAN_UNITS, PLAN_NAME, readDecimal, toUnits } from '../../core/index.ts';
import type { AccountId, PlanSales } from '../../core/index.ts';
import { section, text, usd, whole, yesOrNo } from './setting-fields.ts';

const plan = z
  .strictObject(
    {
      units: whole('units', 1, MAX_PLAN_UNITS),
      price: usd,
      currency: z
        .string({ error: 'write a fiat currency, such as "USD"' })
        .refine((code) => findFiat(code) !== null, { error: 'write a fiat currency of the list, such as "USD"' }),
    },
    section,
  )
  .transform(({ units, price, currency }, context) => {
    const [vsPrice, fiat] = [readDecimal(price), findFiat(currency)];
    const exact = vsPrice !== null && fiat !== null && toUnits(vsPrice, fiat.decimals);
    if (vsPrice !== null && typeof exact === 'bigint' && exact > 0n) return { units, vsCurrency: currency, vsPrice };
    context.addIssue({
      code: 'custom',
      path: ['price'],
      message: `write a price that ${currency} can express, above 0`,
    });
    return z.NEVER;
  });

const planName = z.string().regex(PLAN_NAME, {
  error: 'name a plan in lower-case letters, digits and hyphens, at most 64',
});

const accountId = (what: string) => text(what).refine(isId, { error: 'write the id of an account' });

/** The setting `gateway.sales`: plans that owners of Apps buy. Plans keep their order. */
export const salesSetting = z
  .strictObject(
    {
      account: accountId('the id of the account that sells'),
      /**
       * The account that owns the Apps of clients who pay at the gateway without a key; by default the selling account.
       */
      agents: accountId('the id of the account that owns the Apps of agents').optional(),
      newAppsPrepaid: yesOrNo.default(true),
      plans: z
        .record(planName, plan, {
          error: 'write plans by name, such as {"starter": {"units": 1000000, "price": "10.00", "currency": "USD"}}',
        })
        .refine((plans) => Object.keys(plans).length > 0, { error: 'write at least one plan' }),
    },
    section,
  )
  .transform(({ account, agents = account, plans, newAppsPrepaid }): PlanSales => ({
    accountId: account as AccountId,
    agentsId: agents as AccountId,
    newAppsPrepaid,
    plans: Object.entries(plans).map(([name, each]) => ({ name, ...each })),
  }))
  .nullable()
  .default(null);
