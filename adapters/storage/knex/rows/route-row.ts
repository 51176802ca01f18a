import { DEFAULT_READS } from '../../../../core/index.ts';
import type { StoredRoute } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { flag, integer, json, text } from './values.ts';

export const ROUTE_COLUMNS: readonly Column<StoredRoute>[] = [
  { name: 'id', kind: 'text', of: (r) => r.id },
  { name: 'host', kind: 'text', of: (r) => r.host },
  { name: 'chain', kind: 'text', of: (r) => r.chain },
  { name: 'network', kind: 'text', of: (r) => r.network },
  { name: 'protocol', kind: 'text', of: (r) => r.protocol },
  { name: 'sealed_upstreams', kind: 'text', of: (r) => r.sealedUpstreams },
  { name: 'admission', kind: 'text', of: (r) => r.admission },
  { name: 'enabled', kind: 'boolean', of: (r) => r.enabled },
  { name: 'methods', kind: 'text', of: (r) => JSON.stringify(r.methods) },
  { name: 'limits', kind: 'text', of: (r) => JSON.stringify(r.limits) },
  { name: 'timeouts', kind: 'text', of: (r) => JSON.stringify(r.timeouts) },
  { name: 'cors', kind: 'text', of: (r) => JSON.stringify(r.cors) },
  { name: 'reads', kind: 'text', of: (r) => JSON.stringify(r.reads) },
  { name: 'units', kind: 'text', of: (r) => JSON.stringify(r.units) },
  { name: 'max_body_bytes', kind: 'bigint', of: (r) => r.maxBodyBytes },
  { name: 'max_batch', kind: 'bigint', of: (r) => r.maxBatch },
  { name: 'plans', kind: 'text', of: (r) => JSON.stringify(r.plans) },
  { name: 'created_at', kind: 'bigint', of: (r) => r.createdAt },
  { name: 'modified_at', kind: 'bigint', of: (r) => r.modifiedAt },
];

/** The route in a row of `gateway_routes`. */
export function routeOf(row: Row): StoredRoute {
  return {
    id: text(row, 'id') as StoredRoute['id'],
    host: text(row, 'host'),
    chain: text(row, 'chain'),
    network: text(row, 'network'),
    protocol: text(row, 'protocol') as StoredRoute['protocol'],
    sealedUpstreams: text(row, 'sealed_upstreams'),
    admission: text(row, 'admission') as StoredRoute['admission'],
    enabled: flag(row, 'enabled'),
    methods: json<StoredRoute['methods']>(row, 'methods'),
    limits: json<StoredRoute['limits']>(row, 'limits'),
    timeouts: json<StoredRoute['timeouts']>(row, 'timeouts'),
    cors: json<StoredRoute['cors']>(row, 'cors'),
    reads: { ...DEFAULT_READS, ...json<Partial<StoredRoute['reads']>>(row, 'reads') },
    units: json<StoredRoute['units']>(row, 'units'),
    maxBodyBytes: integer(row, 'max_body_bytes'),
    maxBatch: integer(row, 'max_batch'),
    plans: json<StoredRoute['plans']>(row, 'plans'),
    createdAt: integer(row, 'created_at'),
    modifiedAt: integer(row, 'modified_at'),
  };
}
