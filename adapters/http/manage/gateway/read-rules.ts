import { SUBSCRIPTION_MODES } from '../../../../core/index.ts';
import type { ReadRules } from '../../../../core/index.ts';
import { z } from 'zod';
import { group, inputOf, plainNumber, word, yesNo } from '../fields.ts';

const headLag =
  'Maximum number of blocks that a node may be behind the most advanced node for requests of the newest block; null for the default of the chain';
const monotonicText =
  'Whether the reads of the newest block of an App stay with one node, so that none is answered from an older block than a former one';
const logsText = 'How many blocks calls of eth_getLogs may read; null for no limit';
const maxRange = 'Maximum number of blocks that one call to a node may read';
const splitInto = 'Maximum number of parts that a call over more blocks is split into; 1 refuses it';
const maxResults = 'Maximum number of logs in an answer that is joined from parts';
const hedgeAfter = 'Milliseconds without an answer after which a second node is asked; null for never';
const dedupeText = 'Whether identical concurrent reads are sent to a node only once';
const cacheText = 'Whether answers about final blocks are cached in memory';
const subscriptionsText =
  'How a WebSocket gateway of an Ethereum-like chain serves eth_subscribe: `shared` by one subscription at a node for all clients, which continues at another node; `bridge` by one at a node for each client, which ends with the node';

const number = (description: string) => z.number().nullable().meta({ description });
const numberField = (description: string) => plainNumber(description, true).nullable().optional();

export const readsSchema = z
  .object({
    head_lag_blocks: number(headLag),
    monotonic: z.boolean().meta({ description: monotonicText }),
    logs: z
      .object({
        max_range: z.number().meta({ description: maxRange }),
        split_into: z.number().meta({ description: splitInto }),
        max_results: z.number().meta({ description: maxResults }),
      })
      .nullable()
      .meta({ description: logsText }),
    hedge_after_ms: number(hedgeAfter),
    dedupe: z.boolean().meta({ description: dedupeText }),
    cache: z.boolean().meta({ description: cacheText }),
    subscriptions: z.enum(SUBSCRIPTION_MODES).meta({ description: subscriptionsText }),
  })
  .meta({ id: 'ReadRules' });

export function readsRecord(reads: ReadRules): z.input<typeof readsSchema> {
  const { headLagBlocks, monotonic, logs, hedgeAfterMs, dedupe, cache, subscriptions } = reads;
  return {
    head_lag_blocks: headLagBlocks,
    monotonic,
    logs: logs === null ? null : { max_range: logs.maxRange, split_into: logs.splitInto, max_results: logs.maxResults },
    hedge_after_ms: hedgeAfterMs,
    dedupe,
    cache,
    subscriptions,
  };
}

/** Read rules in a body. */
export const readsBody = group({
  head_lag_blocks: numberField(headLag),
  monotonic: yesNo(monotonicText).optional(),
  logs: group({
    max_range: plainNumber(maxRange, true).optional(),
    split_into: plainNumber(splitInto, true).optional(),
    max_results: plainNumber(maxResults, true).optional(),
  })
    .transform(inputOf)
    .nullable()
    .optional(),
  hedge_after_ms: numberField(hedgeAfter),
  dedupe: yesNo(dedupeText).optional(),
  cache: yesNo(cacheText).optional(),
  subscriptions: word(SUBSCRIPTION_MODES, subscriptionsText).optional(),
}).transform(inputOf);
