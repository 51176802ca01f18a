import {
  AssetCatalogue,
  CANCELLED_BY_OPERATOR,
  LIGHTNING_ASSET,
  OPERATOR,
  SHIB_ERC20,
  TRANSFER_STATUSES,
  TillgateError,
  canPay,
  findExcesses,
  formatInstant,
  formatUnits,
  invalidField,
  lostPayment,
  parseUnits,
  present,
  reconcile,
  requireChain,
  requirePayments,
} from '../../core/index.ts';
import type {
  AccountId,
  Asset,
  ChainCode,
  CustodyLine,
  Excess,
  LostWithdrawal,
  TransferId,
  TransferStatus,
} from '../../core/index.ts';
import { payoutDetailRecord, payoutRecord } from '../../adapters/http/manage/payouts/payouts.ts';
import type { Till } from '../boot/container.ts';
import type { CommandCall } from './command.ts';
import { withManage, withTill } from './with-till.ts';

// Reading loads no plugin: the built-in assets are enough to format amounts.
const ASSETS = new AssetCatalogue([SHIB_ERC20]);
const SHOWN = 100;

export async function withdrawalAddressSet({ values, json, terminal }: CommandCall): Promise<number> {
  const [accountId, chain, address] = [
    String(values['account']) as AccountId,
    String(values['chain']),
    String(values['address']),
  ];
  const { record, inForce } = await withTill(async ({ manage, storage }) => {
    if ((await storage.accounts.find(accountId)) === null)
      throw new TillgateError('NOT_FOUND', 'There is no such account.');
    return manage.addresses.register(OPERATOR, { accountId, chain, address }, values['now'] === true);
  });
  const activeFrom = formatInstant(record.activeFrom);
  const written = {
    account: accountId,
    chain,
    address: record.address,
    effective_at: activeFrom,
    former_address: record.formerAddress,
    in_force: inForce,
  };
  if (json) terminal.out(JSON.stringify(written));
  else if (inForce === record.address)
    terminal.out(`Withdrawals of account ${accountId} on ${chain} go to ${record.address}.`);
  else
    terminal.out(
      `Withdrawals of account ${accountId} on ${chain} go to ${record.address} from ${activeFrom} on; until then ${inForce ?? 'they are refused'}.`,
    );
  return 0;
}

export async function withdrawalList({ values, json, terminal }: CommandCall): Promise<number> {
  const status = (values['status'] ?? null) as TransferStatus | null;
  if (status !== null && !TRANSFER_STATUSES.includes(status))
    throw new TillgateError('CONFIG_INVALID', `--status is one of ${TRANSFER_STATUSES.join(', ')}.`);
  const found = await withManage(({ withdrawals }) => withdrawals.list(OPERATOR, { status, limit: SHOWN }));
  const records = found.items.map((transfer) => payoutRecord(transfer, ASSETS));
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('There are no withdrawals.');
  for (const { id, kind, status: at, chain, amount, coin, to_address: to } of json ? [] : records) {
    terminal.out(`${id}  ${at.padEnd(9)}  ${kind.padEnd(10)}  ${chain}  ${amount} ${coin}  to ${to}`);
  }
  if (!json && found.nextCursor !== null) terminal.out('… and older ones.');
  return 0;
}

export async function withdrawalApprove({ operands, json, terminal }: CommandCall): Promise<number> {
  const detail = await withManage(({ withdrawals }) =>
    withdrawals.approve(OPERATOR, (operands[0] ?? '') as TransferId),
  );
  const { transfer, approvalsNeeded } = detail;
  const said =
    transfer.status === 'HELD'
      ? `Withdrawal ${transfer.id} needs ${approvalsNeeded} approvals, and has yours: another admin must approve it too.`
      : `Withdrawal ${transfer.id} is approved and will be paid.`;
  terminal.out(json ? JSON.stringify(payoutDetailRecord(detail, ASSETS)) : said);
  return 0;
}

export async function withdrawalReject({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const reason = String(values['reason']);
  const transfer = await withManage(({ withdrawals }) =>
    withdrawals.reject(OPERATOR, (operands[0] ?? '') as TransferId, reason),
  );
  terminal.out(
    json
      ? JSON.stringify(payoutRecord(transfer, ASSETS))
      : `Withdrawal ${transfer.id} is rejected; the amount was returned to the account.`,
  );
  return 0;
}

/**
 * `withdrawal settle ID --tx HASH --obtained AMOUNT --fee COINS`: the fee is the network's, in the chain's native coin.
 */
export async function withdrawalSettle({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const transfer = await withTill(async ({ manage, chains, assets }) => {
    const id = (operands[0] ?? '') as TransferId;
    const { transfer: held } = await manage.withdrawals.find(OPERATOR, id);
    const asset = assets.require(held.chain, held.currency);
    const coin = isLightning(asset) ? asset : requirePayments(requireChain(chains, held.chain)).feeAsset;
    return manage.withdrawals.settle(OPERATOR, id, {
      txHash: String(values['tx']),
      obtainedUnits: unitsOf('--obtained', String(values['obtained']), asset),
      feeUnits: unitsOf('--fee', String(values['fee']), coin),
    });
  });
  terminal.out(json ? JSON.stringify(payoutRecord(transfer, ASSETS)) : `Withdrawal ${transfer.id} is booked as paid.`);
  return 0;
}

export async function withdrawalRecord({ values, json, terminal }: CommandCall): Promise<number> {
  const given = (name: string): string => String(values[name]);
  const transfer = await withTill(async (till) => {
    const asset = till.assets.require(given('chain'), given('currency'));
    const lost = await (isLightning(asset) ? lostOnLightning(till, given) : lostOnChain(till, asset, given));
    return till.manage.withdrawals.record(OPERATOR, lost);
  });
  terminal.out(
    json ? JSON.stringify(payoutRecord(transfer, ASSETS)) : `Withdrawal ${transfer.id} is recorded as paid.`,
  );
  return 0;
}

const isLightning = ({ chain }: Asset): boolean => chain === LIGHTNING_ASSET.chain;

async function lostOnChain({ chains }: Till, asset: Asset, given: (name: string) => string): Promise<LostWithdrawal> {
  const chain = requireChain(chains, asset.chain);
  const { feeAsset, hotAddress } = requirePayments(chain);
  const toAddress = chain.normaliseAddress(given('to'));
  if (toAddress === null) throw invalidField('--to', `an address on ${asset.chain}`);
  return {
    accountId: given('account') as AccountId,
    asset,
    units: unitsOf('--amount', given('amount'), asset),
    obtainedUnits: unitsOf('--obtained', given('obtained'), asset),
    cost: { currency: feeAsset.currency, units: unitsOf('--fee', given('fee'), feeAsset) },
    sourceAddress: hotAddress,
    toAddress,
    txHash: given('tx'),
  };
}

/** `--to` is the invoice, `--tx` its payment hash, `--fee` the routing fee. */
function lostOnLightning({ lightningWork }: Till, given: (name: string) => string): Promise<LostWithdrawal> {
  return lostPayment(lightningWork?.node ?? null, {
    accountId: given('account') as AccountId,
    units: unitsOf('--amount', given('amount'), LIGHTNING_ASSET),
    obtainedUnits: unitsOf('--obtained', given('obtained'), LIGHTNING_ASSET),
    feeUnits: unitsOf('--fee', given('fee'), LIGHTNING_ASSET),
    paymentRequest: given('to').trim().toLowerCase(),
    paymentHash: given('tx').toLowerCase(),
  });
}

function unitsOf(option: string, text: string, { decimals, currency }: Asset): bigint {
  const units = parseUnits(text, decimals);
  if (units === null) throw invalidField(option, `an amount of ${currency}, such as 0.0021`);
  return units;
}

/** `transfer show ID`: the transfer and each transaction that was signed for it, without the signed bytes. */
export async function transferShow({ operands, json, terminal }: CommandCall): Promise<number> {
  const detail = await withManage(({ withdrawals }) => withdrawals.find(OPERATOR, (operands[0] ?? '') as TransferId));
  const { chain_transaction: transaction, approvals, lightning, ...record } = payoutDetailRecord(detail, ASSETS);
  if (json) {
    terminal.out(JSON.stringify({ ...record, approvals, chain_transaction: transaction, lightning }));
    return 0;
  }
  for (const [name, value] of Object.entries(record)) terminal.out(`${name.padEnd(18)}${value ?? '-'}`);
  for (const { account: by, at } of approvals) terminal.out(`approved          ${at} by ${by ?? 'the command line'}`);
  for (const [name, value] of Object.entries(lightning ?? {})) terminal.out(`${name.padEnd(18)}${value ?? '-'}`);
  if (lightning !== null) return 0;
  if (transaction === null) terminal.out('No transaction was signed for it.');
  else
    terminal.out(
      `transaction ${transaction.id} ${transaction.status}, nonce ${transaction.nonce ?? '-'}, mined ${transaction.tx_hash ?? 'not yet'}`,
    );
  if (transaction?.cancel_reason !== undefined) terminal.out(`cancelled   ${transaction.cancel_reason}`);
  for (const { number, cancels, tx_hash: hash, fee_units: fee, created_at: at } of transaction?.attempts ?? [])
    terminal.out(
      `  ${number}. ${at}  ${hash}  ${cancels === true ? 'cancels it, and ' : ''}costs at most ${fee} units`,
    );
  return 0;
}

export async function transferCancel({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const reason = String(values['reason'] ?? CANCELLED_BY_OPERATOR);
  const id = (operands[0] ?? '') as TransferId;
  const asked = await withManage(({ withdrawals }) => withdrawals.find(OPERATOR, id));
  // The state of a Lightning payment is read from the node.
  const detail =
    asked.payment === null
      ? await withManage(({ withdrawals }) => withdrawals.cancel(OPERATOR, id, reason))
      : await withTill(({ manage }) => manage.withdrawals.cancel(OPERATOR, id, reason));
  terminal.out(
    json
      ? JSON.stringify(payoutDetailRecord(detail, ASSETS))
      : detail.payment !== null
        ? `Transfer ${detail.transfer.id} is being cancelled: the Lightning node does not have its payment. If the next check, or one some minutes after a lost answer, confirms that, the amount is returned to the account.`
        : `Transfer ${detail.transfer.id} is being cancelled: a transaction of the till to itself replaces it, or it expires on chains without replacement. Once that is final, the amount is returned to the account; if the payment is mined first, it stays paid.`,
  );
  return 0;
}

/** `payouts stop [CHAIN] --reason R`: stops all chains when none is named. */
export async function payoutsStop({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const reason = String(values['reason']);
  const stopped = await withTill(async ({ manage }) => {
    const chains = operands[0] === undefined ? (await manage.chains.list(OPERATOR)).map(({ code }) => code) : operands;
    for (const chain of chains) await manage.chains.stopPayouts(OPERATOR, chain, reason);
    return chains;
  });
  terminal.out(
    json
      ? JSON.stringify({ chains: stopped, reason })
      : `Payouts on ${stopped.join(', ')} are stopped until you resume them.`,
  );
  return 0;
}

export async function payoutsResume({ operands, json, terminal }: CommandCall): Promise<number> {
  const chain = operands[0] ?? '';
  const reason = await withTill(({ manage }) => manage.chains.resumePayouts(OPERATOR, chain));
  terminal.out(
    json
      ? JSON.stringify({ chain, reason })
      : `Payouts on ${chain} are resumed. They had been stopped because: ${reason}`,
  );
  return 0;
}

async function writeOffFrozenAt(
  { values, json, terminal }: CommandCall,
  chain: string,
  address: string,
): Promise<number> {
  const records = await withTill(async ({ manage, assets }) => {
    const written = await manage.chains.writeOffFrozen(OPERATOR, chain, address, String(values['reason']));
    return written.map(({ coin: { currency, units, ref, accountId }, borne }) => {
      const inUnits = (value: bigint): string => formatUnits(value, assets.require(chain, currency).decimals);
      const shares = { amount: inUnits(units), from_account: inUnits(borne), from_float: inUnits(units - borne) };
      return { chain, address, ref, account_id: accountId, currency, ...shares };
    });
  });
  if (json) terminal.out(JSON.stringify(records));
  else
    for (const { ref, currency, amount, from_account, from_float } of records)
      terminal.out(
        `${chain}: ${amount} ${currency} of ${ref} are written off; their account bears ${from_account}, the operator's float ${from_float}.`,
      );
  return 0;
}

export async function walletWriteOff(call: CommandCall): Promise<number> {
  const { operands, values, json, terminal } = call;
  const chain = operands[0] ?? '';
  if (values['address'] !== undefined) return writeOffFrozenAt(call, chain, String(values['address']));
  const { written, amount } = await withTill(async ({ manage, assets }) => {
    const taken = await manage.chains.writeOffCoins(OPERATOR, chain, String(values['reason']));
    return {
      written: taken,
      amount: formatUnits(taken.units, assets.require(chain, taken.currency).decimals),
    };
  });
  const { currency, gone, found } = written;
  const record = { chain, currency, from_float: amount, gone: gone.length, found: found.length };
  terminal.out(
    json
      ? JSON.stringify(record)
      : `${chain}: ${record.gone} coins are written off and ${record.found} others booked; the operator's float is less by ${amount} ${currency}. "payouts resume" resumes payouts.`,
  );
  return 0;
}

/** `wallet sweeps`: unswept balances below the fee threshold. */
export async function walletSweeps({ json, terminal }: CommandCall): Promise<number> {
  const records = await withTill(async ({ payouts, assets }) => {
    const refused = await Promise.all(
      [...payouts].map(async ([chain, payout]) => (await payout.refusedSweeps()).map((sweep) => ({ chain, ...sweep }))),
    );
    return refused.flat().map(({ chain, address, currency, units, feeUnits, reason }) => {
      const written = (amount: bigint): string =>
        formatUnits(amount, present(assets.find(currency), `asset ${currency}`).decimals);
      return {
        chain,
        address,
        currency,
        amount: written(units),
        fee: feeUnits === null ? null : written(feeUnits),
        reason,
      };
    });
  });
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('Every unswept balance is above the fee threshold.');
  for (const { chain, address, currency, amount, fee, reason } of json ? [] : records) {
    terminal.out(`${chain}  ${address}  ${amount} ${currency}, fee ${fee ?? 'unknown'}: ${reason}`);
  }
  return 0;
}

/** `wallet reconcile`: compares the chains' balances with the ledger; fails when something is missing. */
export async function walletReconcile({ json, terminal }: CommandCall): Promise<number> {
  const records = await withTill(async ({ chains, storage, assets }) => {
    const paying = [...chains.values()].filter(canPay);
    const compared = await Promise.all(
      paying.map(async (chain) => {
        const lines = await reconcile(chain, { storage });
        const excesses = await findExcesses(chain, lines, { storage });
        return lines.map((line) => comparedRecord(chain.code, line, excesses, assets));
      }),
    );
    return compared.flat();
  });
  if (json) terminal.out(JSON.stringify(records));
  else for (const record of records) for (const line of comparedLines(record)) terminal.out(line);
  return records.some(({ shortfall }) => shortfall !== '0') ? 1 : 0;
}

function comparedRecord(
  chain: ChainCode,
  { currency, expected, onChain, inFlight, shortfall }: CustodyLine,
  excesses: readonly Excess[],
  assets: Pick<AssetCatalogue, 'find'>,
) {
  const written = (units: bigint): string => formatUnits(units, assets.find(currency)?.decimals ?? 0);
  const own = excesses.filter((excess) => excess.currency === currency);
  return {
    chain,
    currency,
    expected: written(expected),
    on_chain: written(onChain),
    in_flight: written(inFlight),
    shortfall: written(shortfall),
    excess: written(own.reduce((sum, { units }) => sum + units, 0n)),
    excess_at: own.map(({ address, units }) => ({ address, amount: written(units) })),
  };
}

function comparedLines(record: ReturnType<typeof comparedRecord>): readonly string[] {
  const { chain, currency, expected, on_chain: onChain, in_flight: inFlight, shortfall, excess_at: more } = record;
  const missing = shortfall === '0' ? '' : `: ${shortfall} MISSING`;
  return [
    `${chain}  ${currency}  ledger ${expected}, chain ${onChain}, in flight ${inFlight}${missing}`,
    ...more.map(
      ({ address, amount }) => `${chain}  ${currency}  EXCESS: ${address} holds ${amount} more than the ledger`,
    ),
  ];
}
