import type {
  CreateParams,
  DataProvider,
  DeleteParams,
  GetListParams,
  GetListResult,
  GetManyParams,
  GetManyReferenceParams,
  GetOneParams,
  RaRecord,
  UpdateParams,
} from 'react-admin';
import type { Api } from './api.ts';
import { ApiError } from './api-error.ts';
import { Cursors } from './cursors.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import { isRecordId, resourceOf } from './resources.ts';
import type { ResourceSpec } from './resources.ts';

type ApiRecord = Readonly<Record<string, unknown>>;

interface ListReply {
  readonly items: readonly ApiRecord[];
  readonly next_cursor?: string | null;
}

const DEFAULT_SIZE = 20;

/** The path of a record. @throws ApiError with status 404 for an invalid id */
export function recordPath({ path }: Pick<ResourceSpec, 'path'>, id: unknown): string {
  if (!isRecordId(id)) throw new ApiError(404, 'ra.page.not_found');
  return `${path}/${String(id)}`;
}

/** The lists and records of the management API, by the table of resources. */
export function createDataProvider(api: Api): DataProvider {
  const cursors = new Cursors();

  async function getList(name: string, params: GetListParams): Promise<GetListResult> {
    const spec = resourceOf(name);
    const { page, perPage } = params.pagination ?? { page: 1, perPage: DEFAULT_SIZE };
    const filter = (params.filter ?? {}) as ApiRecord;
    if (spec.paging === 'cursor') return cursorList(spec, { page, perPage, filter, signal: params.signal });
    const { items } = await api.get<ListReply>(spec.path, filter, params.signal);
    return { data: withIds(spec, items), total: items.length };
  }

  async function cursorList(spec: ResourceSpec, wanted: CursorList): Promise<GetListResult> {
    const { page, perPage, filter, signal } = wanted;
    const read = (cursor: string | null): Promise<ListReply> =>
      api.get<ListReply>(spec.path, { ...filter, limit: perPage, ...(cursor === null ? {} : { cursor }) }, signal);
    const { items, next_cursor: next = null } = await cursors.page(
      JSON.stringify([spec.path, perPage, filter]),
      page,
      read,
    );
    const data = withIds(spec, items);
    const pageInfo = { hasNextPage: next !== null, hasPreviousPage: page > 1 };
    // The total is known once the last page was read.
    return next === null ? { data, pageInfo, total: (page - 1) * perPage + items.length } : { data, pageInfo };
  }

  async function getOne(name: string, id: unknown, signal?: AbortSignal): Promise<RaRecord> {
    const spec = resourceOf(name);
    return withId(spec, await api.get<ApiRecord>(recordPath(spec, id), {}, signal));
  }

  const refused = (): never => {
    throw new Error('The API changes one record at a time.');
  };

  const provider = {
    supportAbortSignal: true,
    getList,
    getOne: async (name: string, { id, signal }: GetOneParams) => ({ data: await getOne(name, id, signal) }),
    getMany: async (name: string, { ids, signal }: GetManyParams) => ({
      data: await Promise.all(ids.map((id) => getOne(name, id, signal))),
    }),
    getManyReference: (name: string, { target, id, filter, ...params }: GetManyReferenceParams) =>
      getList(name, { ...params, filter: { ...(filter as ApiRecord), [target]: id } }),
    create: async (name: string, { data, meta }: CreateParams) => {
      const spec = resourceOf(name);
      const { keys } = (meta ?? {}) as { readonly keys?: IdempotencyKeys };
      const options = keys === undefined ? {} : { idempotencyKey: keys.of(data) };
      const made = await api.post<ApiRecord>(spec.path, data, options);
      keys?.done(data);
      return { data: withId(spec, made) };
    },
    update: async (name: string, { id, data, previousData }: UpdateParams) => {
      const body: unknown = data;
      const spec = resourceOf(name);
      const { version } = previousData as { readonly version?: number };
      const options = spec.versioned === true && version !== undefined ? { version } : {};
      return {
        data: withId(spec, await api.request('PATCH', recordPath(spec, id), { ...options, body })),
      };
    },
    delete: async (name: string, { id }: DeleteParams) => {
      const spec = resourceOf(name);
      await api.request('DELETE', recordPath(spec, id));
      return { data: { id: String(id) } };
    },
    updateMany: refused,
    deleteMany: refused,
  };
  // `records.ts` declares the fields of each record.
  return provider as unknown as DataProvider;
}

interface CursorList {
  readonly page: number;
  readonly perPage: number;
  readonly filter: ApiRecord;
  readonly signal: AbortSignal | undefined;
}

function withId(spec: ResourceSpec, record: ApiRecord): RaRecord {
  const id = [spec.id].flat().map((field) => String(record[field]));
  return { ...record, id: id.join('-') };
}

function withIds(spec: ResourceSpec, records: readonly ApiRecord[]): RaRecord[] {
  return records.map((record) => withId(spec, record));
}
