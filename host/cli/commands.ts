import type { Command } from './command.ts';

/** Commands are loaded when they run, so that each loads only what it uses. */
const from =
  <Module>(load: () => Promise<Module>) =>
  (pick: (module: Module) => Command['run']): Command['run'] =>
  async (call) =>
    pick(await load())(call);

const accounts = from(() => import('./account-commands.ts'));
const alerts = from(() => import('./alert-commands.ts'));
const audit = from(() => import('./audit-commands.ts'));
const deposits = from(() => import('./deposit-commands.ts'));
const gateway = from(() => import('./gateway-commands.ts'));
const beginning = from(() => import('./init-command.ts'));
const masterKey = from(() => import('./master-key-commands.ts'));
const money = from(() => import('./money-commands.ts'));
const orders = from(() => import('./order-commands.ts'));
const restore = from(() => import('./restore-commands.ts'));
const signers = from(() => import('./signer-commands.ts'));
const till = from(() => import('./till-commands.ts'));
const diagnosis = from(() => import('./doctor.ts'));

const required = { required: true } as const;
const flag = { flag: true } as const;

const serve: Command['run'] = async ({ json, terminal }) => {
  const { limitYoungGeneration } = await import('../memory.ts');
  // Saves memory of a long-running server and slows loading down, so commands go without.
  limitYoungGeneration();
  const { serve: run } = await import('../main.ts');
  return run(json, terminal.out);
};

/** Every command (decisions, section 10). */
export const COMMANDS: readonly Command[] = [
  { words: ['serve'], summary: 'runs the server and its workers', operands: [], options: {}, run: serve },
  {
    words: ['init'],
    summary: 'makes what a till needs: settings, key, database, wallet and the first admin; asks what no option says',
    operands: [],
    options: {
      mode: { value: 'production|sandbox' },
      'base-url': { value: 'URL' },
      port: {},
      database: { value: 'sqlite|URL' },
      nodes: { value: 'ethereum=URL,…' },
      plugins: { value: 'JSON' },
      rates: { value: 'coingecko,kraken' },
      email: {},
      'password-stdin': flag,
      password: {},
      'without-wallet': flag,
    },
    run: beginning((module) => module.init),
  },
  {
    words: ['migrate'],
    summary: 'migrates the database',
    operands: [],
    options: {},
    run: till((module) => module.migrate),
  },
  {
    words: ['doctor'],
    summary: 'checks configuration, database, chains and rates',
    operands: [],
    options: {},
    run: diagnosis((module) => module.doctor),
  },
  {
    words: ['signer', 'init'],
    summary: 'creates a seed for the signer and shows it once',
    operands: [],
    options: { config: { required: true, value: 'FILE' } },
    run: signers((module) => module.signerInit),
  },
  {
    words: ['signer', 'stop'],
    summary: 'the signer signs nothing until it is resumed; payments wait',
    operands: [],
    options: { config: { required: true, value: 'FILE' }, reason: required },
    run: signers((module) => module.signerStop),
  },
  {
    words: ['signer', 'resume'],
    summary: 'the signer signs again',
    operands: [],
    options: { config: { required: true, value: 'FILE' } },
    run: signers((module) => module.signerResume),
  },
  {
    words: ['signer'],
    summary: 'runs the signer, which alone has the seed, with the policy of its settings file',
    operands: [],
    options: { config: { required: true, value: 'FILE' } },
    run: signers((module) => module.signer),
  },
  {
    words: ['account', 'create'],
    summary: 'creates an account',
    operands: [],
    options: {
      email: required,
      'password-stdin': flag,
      password: {},
      'temporary-password': flag,
      name: {},
      role: { value: 'admin|user' },
      verified: { value: "'*'" },
    },
    run: accounts((module) => module.accountCreate),
  },
  {
    words: ['account', 'reset-password'],
    summary: 'sets a temporary password and ends the sessions and access tokens of an account',
    operands: [],
    options: { account: { required: true, value: 'ID' }, 'password-stdin': flag, password: {} },
    run: accounts((module) => module.accountResetPassword),
  },
  {
    words: ['account', 'freeze'],
    summary: 'keeps an account from withdrawing',
    operands: ['ID'],
    options: { reason: required },
    run: accounts((module) => module.accountFreeze),
  },
  {
    words: ['account', 'unfreeze'],
    summary: 'allows an account to withdraw again',
    operands: ['ID'],
    options: {},
    run: accounts((module) => module.accountUnfreeze),
  },
  {
    words: ['credential', 'create'],
    summary: 'creates an API key and a signing pair, shown once',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      name: {},
      scopes: { value: 'read,create,move' },
      'expires-at': { value: 'TIME' },
    },
    run: accounts((module) => module.credentialCreate),
  },
  {
    words: ['credential', 'rotate-callback'],
    summary: 'creates new callback secrets; callbacks are also signed with the former ones for a day',
    operands: [],
    options: { account: { required: true, value: 'ID' } },
    run: accounts((module) => module.credentialRotateCallback),
  },
  {
    words: ['security', 'data-security'],
    summary: 'sets whether an account must sign every request',
    operands: [],
    options: { account: { required: true, value: 'ID' }, on: flag, off: flag },
    run: accounts((module) => module.dataSecurity),
  },
  {
    words: ['security', 'totp'],
    summary: 'creates a second factor (TOTP), shown once',
    operands: [],
    options: { account: { required: true, value: 'ID' }, 'for-withdrawals': flag },
    run: accounts((module) => module.securityTotp),
  },
  {
    words: ['security', 'passkeys'],
    summary: 'lists an account’s passkeys; --remove removes one, the last second factor too',
    operands: [],
    options: { account: { required: true, value: 'ID' }, remove: { value: 'ID' } },
    run: accounts((module) => module.securityPasskeys),
  },
  {
    words: ['withdrawal-address', 'set'],
    summary: 'sets an account’s withdrawal address; --now skips the waiting time',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      chain: { required: true, value: 'ETH' },
      address: { required: true, value: 'A' },
      now: flag,
    },
    run: money((module) => module.withdrawalAddressSet),
  },
  {
    words: ['withdrawal', 'list'],
    summary: 'lists withdrawals, newest first',
    operands: [],
    options: { status: { value: 'HELD' } },
    run: money((module) => module.withdrawalList),
  },
  {
    words: ['withdrawal', 'approve'],
    summary: 'approves a held withdrawal',
    operands: ['ID'],
    options: {},
    run: money((module) => module.withdrawalApprove),
  },
  {
    words: ['withdrawal', 'reject'],
    summary: 'rejects a withdrawal that is not signed yet',
    operands: ['ID'],
    options: { reason: required },
    run: money((module) => module.withdrawalReject),
  },
  {
    words: ['withdrawal', 'settle'],
    summary: 'books a held withdrawal as paid by a transaction that a restored database does not know',
    operands: ['ID'],
    options: {
      tx: { required: true, value: 'HASH' },
      obtained: { required: true, value: 'AMOUNT' },
      fee: { required: true, value: 'COINS' },
    },
    run: money((module) => module.withdrawalSettle),
  },
  {
    words: ['withdrawal', 'record'],
    summary: 'books a withdrawal that was requested and paid after the backup that was restored',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      chain: { required: true, value: 'ETH' },
      currency: { required: true, value: 'ETH' },
      amount: required,
      to: { required: true, value: 'A' },
      tx: { required: true, value: 'HASH' },
      obtained: { required: true, value: 'AMOUNT' },
      fee: { required: true, value: 'COINS' },
    },
    run: money((module) => module.withdrawalRecord),
  },
  {
    words: ['deposit', 'list'],
    summary: 'lists deposits that belong to no order, newest first',
    operands: [],
    options: { unassigned: { flag: true, required: true } },
    run: deposits((module) => module.depositList),
  },
  {
    words: ['deposit', 'assign'],
    summary: 'gives an unassigned deposit to an order',
    operands: ['ID', 'ORDER'],
    options: {},
    run: deposits((module) => module.depositAssign),
  },
  {
    words: ['deposit', 'refund'],
    summary: 'pays an unassigned deposit back to an address, less the network’s fee',
    operands: ['ID', 'ADDRESS'],
    options: {},
    run: deposits((module) => module.depositRefund),
  },
  {
    words: ['deposit', 'rescan'],
    summary: 'reads up to 1,000 blocks again, or a transaction’s, for payments that were missed',
    operands: [],
    options: {
      chain: { required: true, value: 'ETH' },
      from: { value: 'HEIGHT' },
      to: { value: 'HEIGHT' },
      tx: { value: 'HASH' },
    },
    run: deposits((module) => module.depositRescan),
  },
  {
    words: ['transfer', 'show'],
    summary: 'shows an outgoing payment and the transactions signed for it',
    operands: ['ID'],
    options: {},
    run: money((module) => module.transferShow),
  },
  {
    words: ['transfer', 'cancel'],
    summary: 'replaces a signed payment that is not mined by a transaction of the till to itself',
    operands: ['ID'],
    options: { reason: { value: 'R' } },
    run: money((module) => module.transferCancel),
  },
  {
    words: ['app', 'create'],
    summary: 'creates an App with its first key',
    operands: [],
    options: { account: { required: true, value: 'ID' }, name: required, chains: { required: true, value: 'ETH,TRX' } },
    run: gateway((module) => module.appCreate),
  },
  {
    words: ['app', 'usage'],
    summary: 'writes what an App used as CSV, by day unless told otherwise',
    operands: ['ID'],
    options: { by: { value: 'day|hour|method|route' }, from: { value: 'TIME' }, to: { value: 'TIME' } },
    run: gateway((module) => module.appUsage),
  },
  {
    words: ['app', 'prepaid'],
    summary: 'shows what was bought for an App, and what is left',
    operands: ['ID'],
    options: {},
    run: gateway((module) => module.appPrepaid),
  },
  {
    words: ['app', 'top-up'],
    summary: 'orders a plan for an App and prints the page where it is paid',
    operands: ['ID'],
    options: { plan: required },
    run: gateway((module) => module.appTopUp),
  },
  {
    words: ['key', 'rotate'],
    summary: 'creates a new key; the former one stays valid for its grace period',
    operands: [],
    options: { app: { required: true, value: 'ID' }, grace: { value: 'SECONDS' } },
    run: gateway((module) => module.keyRotate),
  },
  {
    words: ['key', 'revoke'],
    summary: 'revokes a key on every server at once',
    operands: [],
    options: { app: { required: true, value: 'ID' }, key: { required: true, value: 'ID' } },
    run: gateway((module) => module.keyRevoke),
  },
  {
    words: ['gateway', 'list'],
    summary: 'lists the gateways',
    operands: [],
    options: {},
    run: gateway((module) => module.gatewayList),
  },
  {
    words: ['wallet', 'init'],
    summary: 'creates the seed, stores it encrypted and shows it once',
    operands: [],
    options: {},
    run: till((module) => module.walletInit),
  },
  {
    words: ['wallet', 'forget'],
    summary: 'removes the stored seed, once the signer has the same',
    operands: [],
    options: {},
    run: till((module) => module.walletForget),
  },
  {
    words: ['wallet', 'show'],
    summary: 'shows the hot wallet’s addresses',
    operands: [],
    options: {},
    run: till((module) => module.walletShow),
  },
  {
    words: ['wallet', 'recovery'],
    summary: 'shows the paths, descriptors and indexes with which another program finds the money',
    operands: [],
    options: {},
    run: till((module) => module.walletRecovery),
  },
  {
    words: ['wallet', 'sweeps'],
    summary: 'lists unswept balances below the fee threshold',
    operands: [],
    options: {},
    run: money((module) => module.walletSweeps),
  },
  {
    words: ['wallet', 'reconcile'],
    summary: 'compares the chains with the ledger; fails when something is missing',
    operands: [],
    options: {},
    run: money((module) => module.walletReconcile),
  },
  {
    words: ['wallet', 'write-off'],
    summary:
      'Bitcoin, Litecoin: takes coins that were spent without the till from the operator’s float; payouts are stopped',
    operands: ['CHAIN'],
    options: { reason: required },
    run: money((module) => module.walletWriteOff),
  },
  {
    words: ['chain', 'resume'],
    summary: 'resumes a stopped chain; --from discards what was read after that block',
    operands: ['CODE'],
    options: { from: { value: 'HEIGHT' } },
    run: till((module) => module.chainResume),
  },
  {
    words: ['chain', 'resume-payouts'],
    summary: 'resumes the payouts of a chain',
    operands: ['CODE'],
    options: {},
    run: money((module) => module.payoutsResume),
  },
  {
    words: ['payouts', 'stop'],
    summary: 'stops the payouts of a chain, or of all, until they are resumed',
    operands: ['[CHAIN]'],
    options: { reason: required },
    run: money((module) => module.payoutsStop),
  },
  {
    words: ['payouts', 'resume'],
    summary: 'resumes the payouts of a chain, as chain resume-payouts',
    operands: ['CHAIN'],
    options: {},
    run: money((module) => module.payoutsResume),
  },
  {
    words: ['restore', 'status'],
    summary: 'shows whether the database is a restored backup, and what the chain says of each payment that waits',
    operands: [],
    options: {},
    run: restore((module) => module.restoreStatus),
  },
  {
    words: ['restore', 'confirm'],
    summary: 'the database is a restored backup: begins a new epoch and holds what waits to be paid',
    operands: [],
    options: {},
    run: restore((module) => module.restoreConfirm),
  },
  {
    words: ['restore', 'coins'],
    summary: 'after a restore on Bitcoin or Litecoin: drops spent coins and adds the hot wallet’s unknown ones',
    operands: ['CODE'],
    options: {},
    run: restore((module) => module.restoreCoins),
  },
  {
    words: ['restore', 'dismiss'],
    summary: 'the till was only switched off: payments go on',
    operands: [],
    options: {},
    run: restore((module) => module.restoreDismiss),
  },
  {
    words: ['order', 'list'],
    summary: 'lists orders, newest first; --q finds by id, reference, deposit address or transaction hash',
    operands: [],
    options: {
      account: { value: 'ID' },
      status: { value: 'PENDING' },
      chain: { value: 'ETH' },
      currency: { value: 'ETH' },
      from: { value: 'TIME' },
      to: { value: 'TIME' },
      q: { value: 'TEXT' },
      limit: { value: '20' },
      cursor: {},
    },
    run: orders((module) => module.orderList),
  },
  {
    words: ['order', 'show'],
    summary: 'shows an order and each of its changes',
    operands: ['ID'],
    options: {},
    run: orders((module) => module.orderShow),
  },
  {
    words: ['ledger', 'check'],
    summary: 'checks the ledger; fails when an invariant is broken',
    operands: [],
    options: {},
    run: orders((module) => module.ledgerCheck),
  },
  {
    words: ['master-key', 'status'],
    summary: 'counts what is sealed with the master key, and with the former one',
    operands: [],
    options: {},
    run: masterKey((module) => module.masterKeyStatus),
  },
  {
    words: ['master-key', 'rotate'],
    summary: 'seals everything anew that TILLGATE_MASTER_KEY_FORMER has sealed; can be killed and repeated',
    operands: [],
    options: {},
    run: masterKey((module) => module.masterKeyRotate),
  },
  {
    words: ['alert', 'list'],
    summary: 'what an operator has to look at, newest first; an admin closes it in the management API',
    operands: [],
    options: { status: { value: 'OPEN' } },
    run: alerts((module) => module.alertList),
  },
  {
    words: ['audit', 'verify'],
    summary: 'checks the hash chain of the audit log, and that it contains a head that was noted earlier',
    operands: [],
    options: { head: { value: 'SEQ:HASH' } },
    run: audit((module) => module.auditVerify),
  },
  {
    words: ['audit', 'export'],
    summary: 'writes the audit log as JSON lines, with the hashes',
    operands: [],
    options: { from: { value: 'TIME' }, to: { value: 'TIME' } },
    run: audit((module) => module.auditExport),
  },
];
