import type { AccountId, ManageAction } from '../../../core/index.ts';
import type { z } from 'zod';
import { CSV_TYPE, csvTable } from '../csv.ts';
import type { CsvTable } from '../csv.ts';
import { described, schemasOf, validate } from '../operation.ts';
import type { Described, RawCall, SessionAuth } from '../operation.ts';
import { BASE_PATHS, textReply } from '../replies.ts';
import type { ManageDeps } from './deps.ts';
import { charge, noteReads, sessionOnly, strict, withActor } from './operation.ts';
import type { ManageCall, ManageOperation } from './operation.ts';

interface ExportSpec<Q extends z.ZodObject, S extends z.ZodRawShape, V> extends Pick<Described, 'summary' | 'errors'> {
  readonly id: ManageAction;
  /** The path of the exported list, such as `/orders`. */
  readonly path: string;
  readonly description: string;
  readonly query: Q;
  /** The schema of the list's records. */
  readonly schema: z.ZodObject<S>;
  readonly record: (view: V, deps: ManageDeps) => z.input<z.ZodObject<S>>;
  readonly pages: (
    call: ManageCall<unknown, z.output<Q>, unknown>,
    deps: ManageDeps,
  ) => Promise<AsyncIterable<readonly V[]>>;
}

const HOW =
  'The reply is CSV (RFC 4180) with a header line and one line for each record. Text that a spreadsheet would run as a formula is prefixed with an apostrophe; negative decimals in amount columns are not. The reply is streamed with chunked encoding: if it ends without the last chunk, it is incomplete.';

/** Streams a whole list as CSV. Its columns are the fields of the list's records. */
export function manageExport<Q extends z.ZodObject, S extends z.ZodRawShape, V>(
  spec: ExportSpec<Q, S, V>,
): ManageOperation {
  const { path, query, schema, record, pages } = spec;
  const table = csvTable(schema);
  const disposition = `attachment; filename="${path.slice(1)}.csv"`;
  return sessionOnly((deps, session) => ({
    ...described({
      ...spec,
      method: 'GET',
      path: `${BASE_PATHS.manage}${path}.csv`,
      description: `${spec.description} ${HOW}`,
      auth: session,
      api: 'manage',
      tag: 'Management',
    }),
    schemas: schemasOf({ query }),
    reply: { kind: 'text', type: CSV_TYPE },
    run: async (raw) => {
      const call = validate(raw, strict({ auth: session, query }));
      await charge(spec, call, raw, deps);
      const noted = withActor({ ...call, foreign: new Set<AccountId | null>() });
      const found = await pages(noted, deps);
      await noteReads(spec, noted, deps);
      const reply = textReply(CSV_TYPE, '', raw.traceId, { 'Content-Disposition': disposition });
      return { ...reply, parts: lines(table, found, (view) => record(view, deps), renewed(session, call)) };
    },
  }));
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

/** The session is checked again for each part; once it has ended, no further part is sent. */
function renewed(auth: SessionAuth, { request }: Pick<RawCall, 'request'>) {
  return (): Promise<unknown> => auth.admit(request);
}
