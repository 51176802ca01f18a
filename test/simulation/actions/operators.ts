import { authenticateKey, resumeChain, resumePayouts, rewindChain } from '../../../core/index.ts';
import type { AccountId, CallbackId, ChainAdapter, KeyView, TransferId } from '../../../core/index.ts';
import { QUIET_EVENTS, QUIET_LOGGER, QUIET_METRICS } from '../world/quiet.ts';
import type { Instance } from '../world/instance.ts';
import type { World } from '../world/world.ts';
import { inside, NOTHING, outside } from './action.ts';
import { decideHeld, operatorRejects } from './restores.ts';
import type { Action, Scene } from './action.ts';

const ids = ({ world }: Scene, sql: string): readonly string[] =>
  world.driver.all<{ id: string }>(sql).map(({ id }) => id);

/**
 * Reads a stopped chain again from the last block that the node and the database share, if necessary from the first.
 *
 * @returns that block's height
 */
export async function rewind(
  world: World,
  { chains, storage, ids: sequence }: Instance,
  code: string,
): Promise<number> {
  const chain = chains.get(code) as ChainAdapter;
  const deps = {
    storage,
    ids: sequence,
    clock: { now: () => world.now },
    events: QUIET_EVENTS,
    logger: QUIET_LOGGER,
    metrics: QUIET_METRICS,
  };
  return (await rewindChain(chain, 0, deps)).height;
}

/** An operator who sees that the node is right and the till was not makes the till read the blocks again. */
async function resume(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const [halted] = ids(scene, 'SELECT chain AS id FROM chain_states WHERE halted_reason IS NOT NULL ORDER BY chain');
  const chain = instance.chains.get(halted ?? (random.chance(0.6) ? 'ETH' : 'BTC'));
  if (chain === undefined) return NOTHING;
  const isRight = halted !== undefined && world.node(chain.code).trouble.forkedAt === null;
  let how = '';
  if (isRight && random.chance(0.7)) how = `chain after ${await rewind(world, instance, chain.code)}`;
  else if (halted !== undefined) {
    await resumeChain(instance.storage, chain.code);
    how = 'chain';
  }
  if (await resumePayouts(chain, instance.storage, 'Somebody tests the alarm.'))
    world.breaches.push(`resume-seen: the payouts of ${chain.code} go on, and nobody has read why they were stopped`);
  const stopped = await resumePayouts(chain, instance.storage);
  return `${chain.code} ${how}${stopped ? ' payouts' : ''}`;
}

/** An operator stops the payouts of a chain. */
async function stop({ random, instance }: Scene): Promise<string> {
  const code = random.chance(0.6) ? 'ETH' : 'BTC';
  const isFirst = await instance.storage.transfers.replacePayoutStop(code, null, 'An operator stopped them.');
  return isFirst ? code : NOTHING;
}

async function decide(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const approve = random.chance(0.45);
  const statuses = approve ? `('HELD')` : `('HELD', 'REQUESTED', 'SIGNED')`;
  const row = random.pick(
    world.driver.all<{ id: TransferId; chain: string; status: string }>(
      `SELECT id, chain, status FROM transfers WHERE status IN ${statuses} AND account_id IS NOT NULL ORDER BY id`,
    ),
  );
  if (row === undefined) return NOTHING;
  if (row.status === 'HELD') return decideHeld(world, instance, row.id, row.chain, approve);
  await operatorRejects(world, instance, row.id);
  return `rejects ${row.id}`;
}

/** Tries every key of a merchant's App at the gateway. */
async function useKeys(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const merchant = random.pick(world.merchants);
  if (merchant === undefined) return NOTHING;
  const keys = await instance.storage.apps.keys(merchant.appId);
  let tried = 0;
  for (const key of world.keys.filter((each) => each.merchant === merchant.number && !Number.isNaN(each.until))) {
    const hash = world.settings.vault.lookupHash('app-key', key.text);
    const found = keys.find(({ lookupHash }) => lookupHash === hash);
    const app = {
      id: merchant.appId,
      accountId: merchant.principal.accountId,
      enabled: true,
      accountActive: true,
      chains: new Set<string>(),
      admissionMode: null,
      quota: null,
      prepaid: false,
      buyer: null,
      limits: null,
    };
    const view: KeyView | null =
      found === undefined ? null : { id: found.id, state: found.state, expiresAt: found.expiresAt, rules: null, app };
    const accepted = 'key' in authenticateKey(view, world.now);
    const expected = key.until === null || world.now < key.until;
    if (accepted !== expected)
      world.breaches.push(
        `grace: a key that ends ${key.until === null ? 'never' : `at ${key.until - world.now} ms from now`} is ${accepted ? 'accepted' : 'refused'}`,
      );
    tried += 1;
  }
  return `${tried} keys`;
}

/** The actions of operators. */
export const OPERATORS: readonly Action[] = [
  inside('resume', 0.8, resume),
  inside('stop-payouts', 0.15, stop),
  inside('decide', 0.8, decide),
  inside('unfreeze', 0.4, async (scene) => {
    const id = scene.random.pick(ids(scene, 'SELECT account_id AS id FROM withdrawal_freezes ORDER BY account_id'));
    if (id === undefined) return NOTHING;
    await scene.instance.storage.transaction((tx) => tx.transfers.unfreeze(id as AccountId));
    return id;
  }),
  inside('send-again', 0.4, async (scene) => {
    const id = scene.random.pick(ids(scene, `SELECT id FROM callbacks WHERE status <> 'PENDING' ORDER BY id`));
    if (id === undefined) return NOTHING;
    scene.world.replayed.add(id);
    await scene.instance.storage.callbacks.replay(id as CallbackId, scene.world.now);
    return id;
  }),
  outside('endow', 0.15, ({ world, random }) => {
    world.endow('ETH', 'ETH', 10n ** 16n * BigInt(random.int(1, 9)));
    return 'ETH';
  }),
  inside('use-keys', 0.8, useKeys),
];
