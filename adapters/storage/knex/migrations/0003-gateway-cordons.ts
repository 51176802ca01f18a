import type { Migration } from './migration.ts';

/** The upstreams that an operator has taken out of use. A route of the settings file has no row to refer to. */
export const gatewayCordons: Migration = {
  name: '0003-gateway-cordons',
  statements: ({ cordons }, { types: { text, time } }) => [
    `CREATE TABLE ${cordons} (
      id ${text} PRIMARY KEY, route_id ${text} NOT NULL, sealed_url ${text} NOT NULL, created_at ${time} NOT NULL)`,
    `CREATE INDEX ${cordons}_route ON ${cordons} (route_id, id)`,
  ],
};
