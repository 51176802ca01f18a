import { formatInstant } from '../../../../core/index.ts';
import type { AuditRow, FieldChange } from '../../../../core/index.ts';
import { z } from 'zod';
import { queryNumber } from '../../fields.ts';
import { wireName } from '../../wire-names.ts';
import { accountFilter, inputOf } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, whole } from '../reply-fields.ts';

export const auditSchema = z
  .object({
    id: id('ID of the entry'),
    created_at: instant('Time of the action'),
    actor: id('ID of the account that acted')
      .nullable()
      .meta({ description: 'null for an operator at the command line' }),
    action: z.string(),
    subject_type: z.string(),
    subject: z.string().meta({ description: 'ID of the record that was changed' }),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
    ip: z.string().nullable(),
    trace_id: z.string().nullable(),
  })
  .meta({ id: 'AuditRow' });

export function auditRecord(row: AuditRow): z.input<typeof auditSchema> {
  return {
    id: row.id,
    created_at: formatInstant(row.at),
    actor: row.actorId,
    action: row.action,
    subject_type: row.subjectType,
    subject: row.subjectId,
    changes: Object.fromEntries(
      Object.entries(row.changes).map(([name, change]) => [wireName(name, 'till'), said(name, change)]),
    ),
    ip: row.ip,
    trace_id: row.traceId,
  };
}

/** A change of `field` has the name of a field as its value: where a wrong code or password was. */
function said(name: string, { from, to }: FieldChange): FieldChange {
  return name === 'field' && typeof to === 'string' ? { from, to: wireName(to, 'till') } : { from, to };
}

const headSchema = z
  .object({ seq: whole('Number of the last entry'), hash: z.string().meta({ pattern: '^[0-9a-f]{64}$' }) })
  .meta({ id: 'AuditHead' });

export const auditChainSchema = z
  .object({
    items: z
      .array(
        headSchema
          .extend({ entry: z.string().meta({ description: 'The entry as JSON text, which is the input of the hash' }) })
          .meta({
            id: 'AuditLink',
          }),
      )
      .readonly(),
    head: headSchema,
  })
  .meta({ id: 'AuditChain' });

/** The operations of the audit log. */
export const auditOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'audit.list', scope: null },
    id: 'listAudit',
    path: '/audit',
    summary: 'List audit log entries',
    description: "Returns the actions on the account's records, newest first. Admins see all entries.",
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'AuditList',
    item: auditSchema,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.audit.list(actor, inputOf(query)), auditRecord),
  }),
  manageOperation({
    id: 'listAuditChain',
    method: 'GET',
    path: '/audit/chain',
    summary: 'Read the audit log as a hash chain',
    description:
      "Returns entries in ascending order, starting at `from`. `hash` is the SHA-256 of the previous entry's `hash` (64 zeros before entry 1), a newline and `entry`. Admins only.",
    errors: ['FORBIDDEN'],
    query: z.object({
      from: queryNumber(1, Number.MAX_SAFE_INTEGER, 'Number of the first entry'),
      limit: queryNumber(100, 1000, 'Maximum number of entries'),
    }),
    data: auditChainSchema,
    handler: async ({ actor, query: { from, limit } }, { manage }) => {
      const { links, head } = await manage.audit.chain(actor, from - 1, limit);
      return { items: links.map(({ seq, hash, entry }) => ({ seq, hash, entry })), head };
    },
  }),
];
