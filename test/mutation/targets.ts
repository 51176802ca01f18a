import type { Compiled } from '../runner/compile.ts';
import { planOf } from '../runner/plan.ts';

/** The code that moves money: where a fault costs somebody coins. */
const MONEY = [
  'core/ledger/',
  'core/deposits/',
  'core/orders/',
  'core/transfers/',
  'core/lightning/',
  'core/rates/',
  'core/refunds/',
  'core/withdrawals/',
];
const STORES = 'adapters/storage/knex/stores/';
/** The stores that reserve, book, lease and move. */
const MONEY_STORES = [
  'chain-store',
  'claims',
  'custody',
  'deposit-store',
  'deposit-writes',
  'holding-reads',
  'holding-writes',
  'lease-store',
  'ledger-facts',
  'ledger-store',
  'ledger-sums',
  'ledger-transfers',
  'ledger-writes',
  'lightning-store',
  'order-store',
  'order-writes',
  'payout-views',
  'reserve-transfers',
  'sweep-candidates',
  'transfer-store',
  'transfer-writes',
  'unconfirmed-payment-store',
];

/** The tests that can reach it in their own processes; the other parts start a host, or are about something else. */
const TESTS = [
  'test/unit/',
  'test/contract/domain/',
  'test/contract/storage/',
  'test/http/',
  'test/manage/',
  'test/host/',
];

/** The sources that mutants are made of. */
export function targetsOf(compiled: Compiled, glob: string | null): readonly string[] {
  const wanted = glob === null ? null : globOf(glob);
  return [...compiled.imports.keys()].filter(
    (path) =>
      (MONEY.some((folder) => path.startsWith(folder)) ||
        MONEY_STORES.some((name) => path === `${STORES}${name}.ts`)) &&
      (wanted === null || wanted.test(path)),
  );
}

/** The test files of `npm test` that mutants are run against. */
export function testsOf(compiled: Compiled): readonly string[] {
  return planOf({ apart: null, rest: false, coverage: true, engines: 'sqlite', words: [] }, compiled)
    .map(({ path }) => path)
    .filter((path) => TESTS.some((folder) => path.startsWith(folder)));
}

/** `*` stands for a part of a name, `**` for folders too; a path without them for itself and what is below it. */
function globOf(glob: string): RegExp {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = escaped.replaceAll(/\*\*\/?|\*/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  return new RegExp(`^${pattern}(?:$|/)`);
}
