/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { claimState, formatUnits, obtainedUnits } from '../../core/index.ts';
import type { ClaimableCoin, ClaimPageView, ClaimState, PaidClaim, PullPaymentState } from '../../core/index.ts';
import type { Brand } from '../checkout/brands.ts';
import { Moment } from '../checkout/field.tsx';
import type { Language } from '../checkout/languages.ts';
import type { LinkPage } from '../links/link-writer.ts';
import { shortAddress } from '../../adapters/http/index.ts';
import { claimText } from './claim-text.ts';
import type { ClaimMessageName } from './messages/en.ts';

/** A coin with the estimated fee of claiming all that is left in it; `null` where it is not known now. */
export type PricedCoin = ClaimableCoin & { readonly fee: bigint | null };

/** The data of a claim page. */
export interface ShownClaims {
  readonly view: ClaimPageView;
  readonly coins: readonly PricedCoin[];
  readonly brand: Brand;
  readonly language: Language;
  readonly assets: { find(currency: string): { readonly decimals: number } | null };
  /** The key of the next claim: the same form sent twice is one claim. */
  readonly formKey: string;
  /** Why a claim was refused. */
  readonly refusal: string | null;
  readonly now: number;
}

const CLOSED = {
  settled: ['settledTitle', 'settledText'],
  expired: ['expiredTitle', 'expiredText'],
  archived: ['archivedTitle', 'archivedText'],
} as const satisfies Readonly<
  Record<Exclude<PullPaymentState, 'active'>, readonly [ClaimMessageName, ClaimMessageName]>
>;

const STATES = {
  awaiting_approval: 'stateAwaiting',
  waiting: 'stateWaiting',
  in_progress: 'statePaying',
  completed: 'statePaid',
  failed: 'stateFailed',
  rejected: 'stateRejected',
} as const satisfies Readonly<Record<ClaimState, ClaimMessageName>>;

/** The page where a payee claims an amount. */
export function claimPage(shown: ShownClaims): LinkPage {
  const { view, brand } = shown;
  // Without script the page is loaded again while a payment is under way.
  const refresh = view.claims.some((paid) => isMoving(paid, shown.now)) ? `30;url=${view.pull.token}` : null;
  return { status: 200, title: view.pull.name, html: renderToString(<Main {...shown} />), refresh, brand };
}

const isMoving = (paid: PaidClaim, now: number): boolean =>
  ['awaiting_approval', 'waiting', 'in_progress'].includes(claimState(paid, now));

function Main(shown: ShownClaims): VNode {
  const { view, language, refusal } = shown;
  const closed = view.state === 'active' ? null : CLOSED[view.state];
  const open = closed === null && view.left > 0n;
  return (
    <main id="claim" data-token={view.pull.token}>
      <section id="promise" class="card">
        <h1 id="title">
          <bdi>{view.pull.name}</bdi>
        </h1>
        <p class="soft">{claimText(language, view.left === view.pull.amount ? 'promised' : 'left')}</p>
        <p class="sum-fixed">{promised(view, view.left, language)}</p>
        {view.left === view.pull.amount ? null : (
          <p class="soft note">
            {claimText(language, 'ofAmount', { amount: promised(view, view.pull.amount, language) })}
          </p>
        )}
        {view.pull.expiresAt === null || closed !== null ? null : (
          <p class="soft note">
            {claimText(language, 'until')} <Moment language={language} at={view.pull.expiresAt} />
          </p>
        )}
      </section>
      {closed === null ? null : (
        <section id="status" class={`card status ${view.state === 'settled' ? 'good' : 'warn'}`}>
          <h2>{claimText(language, closed[0])}</h2>
          <p>{claimText(language, closed[1])}</p>
        </section>
      )}
      <div id="refusal" role="alert">
        {refusal === null ? null : <p class="card refusal">{refusal}</p>}
      </div>
      {open ? <Form {...shown} /> : null}
      <Claims {...shown} />
    </main>
  );
}

function promised({ currency }: ClaimPageView, units: bigint, language: Language): string {
  const text = formatUnits(units, currency.decimals);
  return currency.fiat === null ? `${text} ${currency.code}` : language.money(text, currency.code, currency.decimals);
}

function Form({ view, coins, language, formKey }: ShownClaims): VNode {
  if (coins.length === 0)
    return (
      <section id="form" class="card">
        <p>{claimText(language, 'noCoins')}</p>
      </section>
    );
  return (
    <section id="form" class="card">
      <h2>{claimText(language, 'formTitle')}</h2>
      <ClaimForm view={view} coins={coins} language={language} formKey={formKey} />
      <Fees coins={coins} language={language} />
    </section>
  );
}

interface FormProps {
  readonly view: ClaimPageView;
  readonly coins: readonly PricedCoin[];
  readonly language: Language;
  readonly formKey: string;
}

function ClaimForm({ view, coins, language, formKey }: FormProps): VNode {
  const [first] = coins;
  return (
    <form class="claim" method="post" action={`${view.pull.token}/claims`}>
      <input type="hidden" name="key" value={formKey} />
      {coins.length === 1 && first !== undefined ? (
        <input type="hidden" name="currency" value={first.asset.currency} />
      ) : (
        <>
          <label for="currency">{claimText(language, 'coin')}</label>
          <select id="currency" name="currency" required>
            {coins.map(({ asset, chainName }) => (
              <option key={asset.currency} value={asset.currency}>
                {asset.currency} · {chainName}
              </option>
            ))}
          </select>
        </>
      )}
      <label for="address">
        {coins.length === 1 && first !== undefined
          ? claimText(language, 'addressOn', { chain: first.chainName })
          : claimText(language, 'address')}
      </label>
      <input
        id="address"
        name="address"
        dir="ltr"
        required
        maxLength={128}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby="address-note"
      />
      <p id="address-note" class="soft note">
        {claimText(language, 'addressNote')}
      </p>
      <label for="amount">{claimText(language, 'amount', { currency: view.currency.code })}</label>
      <input
        id="amount"
        name="amount"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        dir="ltr"
        maxLength={40}
        placeholder={formatUnits(view.left, view.currency.decimals)}
        aria-describedby="amount-note"
      />
      <p id="amount-note" class="soft note">
        {claimText(language, 'amountNote')}
      </p>
      <button class="button main" type="submit">
        {claimText(language, 'claim')}
      </button>
    </form>
  );
}

/** What arrives of all that is left, in each coin. */
function Fees({ coins, language }: { readonly coins: readonly PricedCoin[]; readonly language: Language }): VNode {
  return (
    <>
      <h3 class="soft">{claimText(language, 'feesTitle')}</h3>
      <ul class="fees">
        {coins.map((coin) => (
          <Fee key={coin.asset.currency} coin={coin} language={language} />
        ))}
      </ul>
    </>
  );
}

function Fee({ coin, language }: { readonly coin: PricedCoin; readonly language: Language }): VNode {
  const { asset, units, fee, least } = coin;
  const money = (amount: bigint): string => `${formatUnits(amount, asset.decimals)} ${asset.symbol}`;
  const arrives = units === null || fee === null ? null : units > fee ? units - fee : 0n;
  return (
    <li>
      <strong>{asset.currency}</strong>
      {arrives === null ? (
        <span class="soft">{claimText(language, 'feeUnknown')}</span>
      ) : (
        <span>{claimText(language, 'arrives', { amount: money(arrives), fee: money(fee ?? 0n) })}</span>
      )}
      {least === 0n ? null : <span class="soft">{claimText(language, 'least', { amount: money(least) })}</span>}
    </li>
  );
}

function Claims({ view, language, assets, now }: ShownClaims): VNode | null {
  if (view.claims.length === 0) return null;
  return (
    <section id="claims" class="card" aria-labelledby="claims-title">
      <h2 id="claims-title">{claimText(language, 'claims')}</h2>
      <ul class="claims">
        {view.claims.map((paid) => (
          <ClaimRow key={paid.claim.id} paid={paid} language={language} assets={assets} now={now} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends Pick<ShownClaims, 'language' | 'assets' | 'now'> {
  readonly paid: PaidClaim;
}

function ClaimRow({ paid, language, assets, now }: RowProps): VNode {
  const { claim, transfer, txHash } = paid;
  const state = claimState(paid, now);
  const decimals = assets.find(claim.currency)?.decimals ?? 0;
  const units = transfer === null ? claim.units : obtainedUnits(transfer);
  const notBefore = state === 'waiting' ? (transfer?.notBefore ?? null) : null;
  return (
    <li data-state={state}>
      <p class="row">
        <strong dir="ltr">
          {formatUnits(units, decimals)} {claim.currency}
        </strong>
        <span class={`state ${state}`}>{claimText(language, STATES[state])}</span>
      </p>
      <p class="soft note">
        <code dir="ltr">{shortAddress(claim.toAddress)}</code> · <Moment language={language} at={claim.createdAt} />
      </p>
      {notBefore === null || notBefore <= now ? null : (
        <p class="soft note">
          {claimText(language, 'notBefore')} <Moment language={language} at={notBefore} />
        </p>
      )}
      {claim.reason === null ? null : (
        <p class="note">
          <bdi>{claim.reason}</bdi>
        </p>
      )}
      {txHash === null ? null : (
        <p class="soft note hash" dir="ltr">
          <code>{txHash}</code>
        </p>
      )}
    </li>
  );
}
