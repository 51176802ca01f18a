import { formatInstant } from '../../../core/index.ts';
import type { AuditRow } from '../../../core/index.ts';
import { z } from 'zod';
import { queryNumber } from '../fields.ts';
import { accountFilter } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, pageRecord, whole } from './reply-fields.ts';

export const auditSchema = z
  .object({
    id: id('The row'),
    at: instant('When'),
    actor_id: id('Who').nullable().meta({ description: 'null for the operator at the machine' }),
    action: z.string(),
    subject_type: z.string(),
    subject_id: z.string(),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
    ip: z.string().nullable(),
    trace_id: z.string().nullable(),
  })
  .meta({ id: 'AuditRow' });

export function auditRecord(row: AuditRow): z.input<typeof auditSchema> {
  return {
    id: row.id,
    at: formatInstant(row.at),
    actor_id: row.actorId,
    action: row.action,
    subject_type: row.subjectType,
    subject_id: row.subjectId,
    changes: Object.fromEntries(Object.entries(row.changes).map(([name, change]) => [wireName(name), change])),
    ip: row.ip,
    trace_id: row.traceId,
  };
}

const headSchema = z
  .object({ seq: whole('The number of the last row'), hash: z.string().meta({ pattern: '^[0-9a-f]{64}$' }) })
  .meta({ id: 'AuditHead' });

export const auditChainSchema = z
  .object({
    items: z
      .array(
        headSchema.extend({ entry: z.string().meta({ description: 'The row as JSON text: what is hashed' }) }).meta({
          id: 'AuditLink',
        }),
      )
      .readonly(),
    head: headSchema,
  })
  .meta({ id: 'AuditChain' });

/** A field's name as the API has it; rows of earlier releases have that name already. */
const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The audit log. */
export const auditOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listAudit',
    path: '/audit',
    summary: 'The audit trail',
    description: "Newest first: what was done to the account's records; an admin sees everything.",
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'AuditList',
    item: auditSchema,
    handler: async ({ actor, query: { account_id: accountId, ...page } }, { manage }) =>
      pageRecord(await manage.audit.list(actor, accountId, page), auditRecord),
  }),
  manageOperation({
    id: 'listAuditChain',
    method: 'GET',
    path: '/audit/chain',
    summary: 'The audit trail as a hash chain',
    description:
      'For admins: the rows from one on, in their order. `hash` is the SHA-256 of the former row’s `hash` (64 zeros before row 1), a newline and `entry`.',
    errors: ['FORBIDDEN'],
    query: z.object({
      from: queryNumber(1, Number.MAX_SAFE_INTEGER, 'The number of the first row'),
      limit: queryNumber(100, 1000, 'How many rows'),
    }),
    data: auditChainSchema,
    handler: async ({ actor, query: { from, limit } }, { manage }) => {
      const { links, head } = await manage.audit.chain(actor, from - 1, limit);
      return { items: links.map(({ seq, hash, entry }) => ({ seq, hash, entry })), head };
    },
  }),
];
