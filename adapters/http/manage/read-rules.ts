import type { ReadRules } from '../../../core/index.ts';
import { z } from 'zod';
import { group, inputOf, plainNumber } from './fields.ts';

const headLag =
  'Blocks that a node may be behind the foremost one for requests of the newest block; null is by the chain';

export const readsSchema = z
  .object({ head_lag_blocks: z.number().nullable().meta({ description: headLag }) })
  .meta({ id: 'ReadRules' });

export function readsRecord({ headLagBlocks }: ReadRules): z.input<typeof readsSchema> {
  return { head_lag_blocks: headLagBlocks };
}

/** Read rules in a body. */
export const readsBody = group({ head_lag_blocks: plainNumber(headLag, true).nullable().optional() }).transform(
  inputOf,
);
