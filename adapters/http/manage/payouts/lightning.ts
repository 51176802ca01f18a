import { formatInstant } from '../../../../core/index.ts';
import type { NodeLife } from '../../../../core/index.ts';
import { z } from 'zod';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { instant } from '../reply-fields.ts';

export const nodeLifeSchema = z
  .object({
    life: z
      .number()
      .meta({ type: 'integer', description: 'Increases by one with each confirmed loss of data, starting at 1' }),
    status: z.enum(['pending', 'confirmed', 'dismissed']).meta({
      description: 'pending: Lightning payments are stopped until the loss of data is confirmed or dismissed',
    }),
    reason: z.string(),
    started_at: instant('Time at which it was noticed'),
  })
  .meta({ id: 'LightningNode' });

export function nodeLifeRecord({ number, status, reason, startedAt }: NodeLife): z.input<typeof nodeLifeSchema> {
  return { life: number, status, reason, started_at: formatInstant(startedAt) };
}

const example = {
  life: 2,
  status: 'pending',
  reason: 'The Lightning node does not have the last settlement that it reported, so it began anew.',
  started_at: '2026-05-04T12:00:00.000Z',
} as const;

/** The operations of the Lightning node's lives, for admins. */
export const lightningOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getLightningNode',
    method: 'GET',
    path: '/lightning/node',
    summary: 'Retrieve the data loss state of the Lightning node',
    description:
      'Returns whether the node lost its data: it has the same key but was restored from its seed or an older backup, so it no longer knows what it paid. Admins only.',
    data: nodeLifeSchema,
    examples: { data: example },
    handler: async ({ actor }, { manage }) => nodeLifeRecord(await manage.chains.nodeLife(actor)),
  }),
  manageOperation({
    id: 'confirmLightningNode',
    method: 'POST',
    path: '/lightning/node/confirm',
    summary: 'Confirm that the Lightning node lost data',
    description:
      'Resumes Lightning payments. Every payment that was given to the node before, and that it does not know, is held until it is established whether it was paid. Admins only.',
    data: nodeLifeSchema,
    examples: { data: { ...example, status: 'confirmed' } },
    handler: async ({ actor }, { manage }) => nodeLifeRecord(await manage.chains.decideNodeLife(actor, 'confirmed')),
  }),
  manageOperation({
    id: 'dismissLightningNode',
    method: 'POST',
    path: '/lightning/node/dismiss',
    summary: 'Dismiss the suspected data loss',
    description:
      'Resumes Lightning payments and trusts the node: a payment that it does not know was never made. Admins only.',
    errors: ['STATE_CONFLICT'],
    data: nodeLifeSchema,
    examples: { data: { ...example, status: 'dismissed' } },
    handler: async ({ actor }, { manage }) => nodeLifeRecord(await manage.chains.decideNodeLife(actor, 'dismissed')),
  }),
];
