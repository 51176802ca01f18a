import { z } from 'zod';
import type { WithdrawalLimit } from '../../core/index.ts';
import { section, text, usd } from './setting-fields.ts';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const WINDOW = /^([1-9]\d{0,3})([mhd])$/;
const bound = usd.optional();

/** The window of a limit, such as `24h`. */
const windowMs = z
  .string({ error: 'write a time, such as "24h"' })
  .regex(WINDOW, { error: 'write a time in minutes, hours or days, such as "30m", "24h" or "7d"' })
  .transform((text): number => {
    const [, count, unit] = WINDOW.exec(text) ?? [];
    return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  });

/** The amounts that may be withdrawn in a window without an approval. */
export const withdrawalLimits = z.array(
  z
    .strictObject(
      {
        currency: text('a currency of the till, or "USD" for all of them by their worth'),
        window: windowMs,
        perAccount: bound,
        total: bound,
      },
      section,
    )
    .refine(({ perAccount, total }) => perAccount !== undefined || total !== undefined, {
      path: ['perAccount'],
      error: 'write perAccount, total or both',
    })
    .transform(({ window, ...rest }): WithdrawalLimit => ({ ...rest, windowMs: window })),
  { error: 'write a list, such as [{"currency": "USD", "window": "24h", "perAccount": "5000", "total": "50000"}]' },
);
