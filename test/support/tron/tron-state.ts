import { sha256 } from './tron-codec.ts';

/** A token contract's behaviour. `usdt` returns `false` after a successful transfer, as the most used one does. */
export type TokenKind = 'standard' | 'usdt' | 'false' | 'half';

export interface FakeAccount {
  sun: bigint;
  freeNetUsed: number;
}

export interface FakeToken {
  readonly kind: TokenKind;
  readonly balances: Map<string, bigint>;
}

/** The state of a network after a block. */
export interface TronState {
  readonly accounts: Map<string, FakeAccount>;
  readonly tokens: Map<string, FakeToken>;
}

export function copyState({ accounts, tokens }: TronState): TronState {
  return {
    accounts: new Map([...accounts].map(([key, account]) => [key, { ...account }])),
    tokens: new Map([...tokens].map(([key, { kind, balances }]) => [key, { kind, balances: new Map(balances) }])),
  };
}

/** A log in the format of nodes. */
export interface FakeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (text: string): string => text.padStart(64, '0');

export function transferLog(contract: string, from: string, to: string, units: bigint): FakeLog {
  return { address: contract, topics: [TRANSFER, word(from), word(to)], data: word(units.toString(16)) };
}

/** The result of running a contract's function, or of trying it out. */
export interface Run {
  readonly reverted: string | null;
  readonly output: string;
  readonly energy: number;
  readonly logs: readonly FakeLog[];
}

/** The energy of each function; a transfer to a new holder costs more. */
export const ENERGY = { balanceOf: 400, transfer: 14_650, newHolder: 29_650, revert: 2_500 } as const;

/** Senders whose keys begin with it are on every token's black list; no random key has this prefix. */
export const BLACK_LISTED = 'bb'.repeat(8);

const SELECTORS = { decimals: '313ce567', balanceOf: '70a08231', transfer: 'a9059cbb' } as const;

/** Runs a call and changes the balances; pass a copy of the state to only try it out. */
export function runContract(state: TronState, caller: string, contract: string, data: string): Run {
  const token = state.tokens.get(contract);
  if (token === undefined) throw new Error('Smart contract is not exist.');
  const [selector, first, second] = [data.slice(0, 8), data.slice(32, 72), data.slice(72, 136)];
  if (selector === SELECTORS.decimals) return { reverted: null, output: word('6'), energy: ENERGY.balanceOf, logs: [] };
  if (selector === SELECTORS.balanceOf)
    return {
      reverted: null,
      output: word((token.balances.get(first) ?? 0n).toString(16)),
      energy: ENERGY.balanceOf,
      logs: [],
    };
  if (selector !== SELECTORS.transfer) return reverts('');
  return runTransfer(token, contract, caller, first, BigInt(`0x${second}`));
}

function runTransfer({ kind, balances }: FakeToken, contract: string, from: string, to: string, units: bigint): Run {
  const held = balances.get(from) ?? 0n;
  if (from.startsWith(BLACK_LISTED)) return reverts('The sender is on the black list');
  if (held < units) return reverts('SafeMath: subtraction overflow');
  const energy = (balances.get(to) ?? 0n) > 0n ? ENERGY.transfer : ENERGY.newHolder;
  if (kind === 'false') return { reverted: null, output: word('0'), energy, logs: [] };
  const arrives = kind === 'half' ? units / 2n : units;
  balances.set(from, held - units);
  balances.set(to, (balances.get(to) ?? 0n) + arrives);
  return {
    reverted: null,
    output: word(kind === 'usdt' ? '0' : '1'),
    energy,
    logs: [transferLog(contract, from, to, arrives)],
  };
}

/** `Error(string)` in a contract's encoding. */
function reverts(reason: string): Run {
  const text = Buffer.from(reason).toString('hex');
  const padded = text.padEnd(Math.ceil(text.length / 64) * 64, '0');
  const output = reason === '' ? '' : `08c379a0${word('20')}${word(reason.length.toString(16))}${padded}`;
  return { reverted: reason, output, energy: ENERGY.revert, logs: [] };
}

/** A key that belongs to nobody, the same in each run. */
export function keyNamed(name: string): string {
  return `0a${sha256(`tron key ${name}`).toString('hex').slice(0, 38)}`;
}
