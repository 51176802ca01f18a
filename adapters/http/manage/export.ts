import type { ManageAction } from '../../../core/index.ts';
import type { z } from 'zod';
import { CSV_TYPE, csvTable } from '../csv.ts';
import type { CsvTable } from '../csv.ts';
import { described, validate } from '../operation.ts';
import type { Call, Described, OperationAuth } from '../operation.ts';
import { textReply } from '../replies.ts';
import { MANAGE_BASE } from './base.ts';
import type { ManageDeps } from './deps.ts';
import { charge, withActor } from './operation.ts';
import type { ManageCall, ManageOperation } from './operation.ts';

interface ExportSpec<Q extends z.ZodObject, S extends z.ZodRawShape, V> extends Pick<Described, 'summary' | 'errors'> {
  readonly id: ManageAction;
  /** Of the list that it is of: `/orders`. */
  readonly path: string;
  readonly description: string;
  readonly query: Q;
  /** The list's record. */
  readonly schema: z.ZodObject<S>;
  readonly record: (view: V, deps: ManageDeps) => z.input<z.ZodObject<S>>;
  readonly pages: (
    call: ManageCall<unknown, z.output<Q>, unknown>,
    deps: ManageDeps,
  ) => Promise<AsyncIterable<readonly V[]>>;
}

const HOW =
  'CSV (RFC 4180): a line of names, then one for each record. Text that a spreadsheet would run as a formula has an apostrophe in front; a plain decimal below zero in a column of amounts is a number, and has none. It is read while it is sent. A reply that breaks off, without the end of its chunks, is not the whole.';

/** A whole list as CSV, streamed: the records of the list itself, with their fields as columns (decisions, section 14). */
export function manageExport<Q extends z.ZodObject, S extends z.ZodRawShape, V>(
  spec: ExportSpec<Q, S, V>,
): ManageOperation {
  const { path, query, schema, record, pages } = spec;
  const table = csvTable(schema);
  const schemas = { params: null, query, body: null };
  const disposition = `attachment; filename="${path.slice(1)}.csv"`;
  return (deps, session) => ({
    ...described({
      ...spec,
      method: 'GET',
      path: `${MANAGE_BASE}${path}.csv`,
      description: `${spec.description} ${HOW}`,
      auth: session,
      envelope: 'manage',
      tag: 'Management',
    }),
    schemas,
    reply: { kind: 'text', type: CSV_TYPE },
    run: async (raw) => {
      const call = validate(raw, schemas) as Call<unknown, z.output<Q>, unknown>;
      await charge(spec, call as Parameters<typeof charge>[1], deps);
      const found = await pages(withActor(call), deps);
      const reply = textReply(CSV_TYPE, '', raw.traceId, { 'Content-Disposition': disposition });
      return { ...reply, parts: lines(table, found, (view) => record(view, deps), renewed(session, call)) };
    },
  });
}

async function* lines<R, V>(
  table: CsvTable<R>,
  pages: AsyncIterable<readonly V[]>,
  record: (view: V) => R,
  stillOpen: () => Promise<unknown>,
): AsyncGenerator<string> {
  let former = table.header;
  for await (const views of pages) {
    if (former === '') await stillOpen();
    yield former + table.lines(views.map(record));
    former = '';
  }
}

/** A session that has ended meanwhile gets no further part. */
function renewed(auth: OperationAuth, { request }: Pick<Call<unknown, unknown, unknown>, 'request'>) {
  return async (): Promise<void> => {
    if (auth.kind === 'session') await auth.admit(request);
  };
}
