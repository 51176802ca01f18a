import { FIRST_HEIGHT, ORDINARY_FEE, POLICIES } from '../world/world.ts';
import { NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { SOLID } from '../world/chain.ts';
import type { SimNode } from '../world/node.ts';
import type { Manner } from '../world/receivers.ts';

const nodeOf = ({ world, random }: Scene): SimNode => world.node(random.chance(0.6) ? 'ETH' : 'BTC');

const MANNERS: readonly (readonly [Manner, number])[] = [
  ['ok', 6],
  ['error', 2],
  ['gone', 0.5],
  ['redirect', 1],
  ['later', 1],
  ['refuses', 2],
  ['hangs', 2],
];

function reorganise(scene: Scene): string {
  const { world, random } = scene;
  const { chain, code } = nodeOf(scene);
  const expires = chain.expiryMs !== null;
  const limit = Math.min(chain.height - FIRST_HEIGHT, expires ? SOLID : (POLICIES[code]?.finalityBlocks ?? 0));
  if (limit < 1) return NOTHING;
  const wanted = random.weighted<() => number>([
    [() => random.int(1, 3), 8],
    [() => random.int(4, 12), 2],
    [() => random.int(13, 64), 1],
  ])();
  const depth = Math.min(wanted, limit);
  const gone = random.pick([0, 0, 0.1, 0.3]) ?? 0;
  const times = chain.drop(depth, (tx) => random.chance(tx.own ? 0.15 : gone));
  world.forget(code, chain.height);
  // If time decides what can be mined, the other branch has blocks with the same times.
  for (const time of times) chain.mine(random, expires ? time : undefined);
  for (let i = random.int(0, 2); i > 0; i--) chain.mine(random);
  return `${code} ${depth} deep`;
}

function trouble(scene: Scene): string {
  const { world, random } = scene;
  const { code, chain, trouble: wrong, witness, shown } = nodeOf(scene);
  if (chain.expiryMs !== null && random.chance(0.3)) {
    if (random.chance(0.5)) witness.down = true;
    else witness.lag = random.int(1, 4);
    return `${code} other node`;
  }
  const kind = random.weighted([
    ['down', 3],
    ['lag', 2],
    ['forgetful', 2],
    ['fork', 1],
    ['deep fork', 0.5],
    ['deep lag', 0.5],
    ['omits', 1],
    ['misreads', 0.5],
    ['boast', 0.5],
  ] as const);
  if (kind === 'down') wrong.down = true;
  else if (kind === 'lag') wrong.lag = random.int(1, 4);
  else if (kind === 'deep lag') wrong.lag = random.int(65, 75);
  else if (kind === 'forgetful') wrong.forgetful = true;
  else if (kind === 'omits') wrong.omits = true;
  else if (kind === 'misreads') wrong.misreads = true;
  else if (kind === 'boast') wrong.boast = 10n ** BigInt(random.int(14, 18));
  else {
    const depth = kind === 'fork' ? random.int(1, 3) : random.int(65, 75);
    if (depth >= shown) return NOTHING;
    wrong.forkedAt = chain.height - depth + 1;
  }
  if (kind === 'deep fork') world.deeplyForked.add(code);
  world.forget(code, Math.min(chain.height - wrong.lag, wrong.forkedAt === null ? chain.height : wrong.forkedAt - 1));
  return `${code} ${kind}`;
}

function heal(scene: Scene): string {
  const troubled = scene.world.nodes.filter((node) => node.troubled);
  const node = scene.random.pick(troubled);
  if (node === undefined) return NOTHING;
  node.heal();
  scene.world.upheavals += 1;
  return node.code;
}

/** Events on the chains, at their nodes and merchants' servers, and of the time. */
export const NETWORK: readonly Action[] = [
  outside('mine', 12, (scene) => {
    const { code, chain } = nodeOf(scene);
    chain.mine(scene.random);
    return code;
  }),
  outside('mine-many', 4, (scene) => {
    const { code, chain } = nodeOf(scene);
    const count = scene.random.int(2, 9);
    for (let i = 0; i < count; i++) chain.mine(scene.random);
    return `${code} ${count}`;
  }),
  outside('reorganise', 1.2, reorganise),
  outside('drop-mempool', 0.4, (scene) => {
    const { code, chain } = nodeOf(scene);
    const gone = [...chain.mempool.keys()].filter(() => scene.random.chance(0.6));
    for (const txid of gone) chain.mempool.delete(txid);
    return `${code} ${gone.length}`;
  }),
  outside('fee', 0.6, (scene) => {
    const { code } = nodeOf(scene);
    const times = BigInt(
      scene.random.weighted([
        [1, 4],
        [2, 2],
        [8, 1],
        [40, 0.5],
      ]),
    );
    const network = scene.world.networks.get(code);
    if (network !== undefined) network.fee = (ORDINARY_FEE[code] ?? 1n) * times;
    return `${code} times ${times}`;
  }),
  outside('price', 0.6, ({ world, random }) => {
    const symbol = random.pick(['ETH', 'BTC', 'EUR']) ?? 'ETH';
    const price = { ETH: 2000, BTC: 50_000, EUR: 1.1 }[symbol] ?? 1;
    world.prices.set(symbol, ((price * random.int(80, 125)) / 100).toFixed(4));
    return `${symbol} ${world.prices.get(symbol)}`;
  }),
  outside('trouble', 1.2, trouble),
  outside('chain-clock', 0.3, (scene) => {
    const { code, chain } = nodeOf(scene);
    // If time decides what can be mined, block times are always right.
    if (chain.expiryMs !== null) return NOTHING;
    chain.skewMs = scene.random.pick([0, 0, -4_000_000, -600_000, 600_000, 4_000_000]) ?? 0;
    return `${code} ${chain.skewMs} ms`;
  }),
  outside('heal', 2, heal),
  outside('receivers', 0.8, ({ world, random }) => {
    world.receivers.manner = random.weighted(MANNERS);
    return world.receivers.manner;
  }),
  outside('time', 1.6, ({ world, random }) => {
    const ms = random.weighted<() => number>([
      [() => random.int(20_000, 120_000), 5],
      [() => random.int(120_000, 1_200_000), 3],
      [() => random.int(1_200_000, 2_400_000), 1.5],
      [() => random.int(3_600_000, 14_400_000), 0.4],
      [() => 90_000_000, 0.1],
    ])();
    world.advance(ms);
    return `${ms} ms`;
  }),
  outside('kill', 0.6, ({ world, instance }) => {
    world.replace(instance);
    return instance.name;
  }),
];
