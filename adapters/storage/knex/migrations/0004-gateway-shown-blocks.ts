import type { Migration } from './migration.ts';

/** The newest blocks that each instance answered from each upstream. */
export const gatewayShownBlocks: Migration = {
  name: '0004-gateway-shown-blocks',
  statements: ({ shownBlocks }, { types: { text, int, flag, time } }) => [
    `CREATE TABLE ${shownBlocks} (
      instance ${text} NOT NULL, route_id ${text} NOT NULL, seed ${int} NOT NULL, block ${int} NOT NULL,
      was_left ${flag} NOT NULL, shown_at ${time} NOT NULL, PRIMARY KEY (instance, route_id, seed))`,
  ],
};
