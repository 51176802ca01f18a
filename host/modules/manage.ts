import { createManage } from '../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** The management API's use cases; commands use them too. */
export const manageRecipes = {
  manage: recipe(
    ['config', 'storage', 'vault', 'random', 'ids', 'clock', 'digest', 'passwordHasher', 'events', 'secondFactor', 'createAccount', 'orderMover', 'orderQueries', 'gateway', 'chains'],
    ({ config: { auth, keys, gateways, withdrawals }, passwordHasher: hasher, orderMover: mover, orderQueries: queries, gateway, ...parts }) =>
      createManage({
        ...parts,
        hasher,
        mover,
        queries,
        admissionTally: (app) => gateway.admissionTally(app),
        settings: {
          sessionTtlSeconds: auth.tokenTtlSeconds,
          graceSeconds: keys.graceSeconds,
          pageMax: 100,
          addressHoldMs: withdrawals.addressHoldSeconds * 1000,
          routes: gateways,
        },
      }),
  ),
} satisfies Recipes;
