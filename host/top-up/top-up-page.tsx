/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { planPrice } from '../../adapters/http/plan-price.ts';
import { findFiat, isTillgateError, present } from '../../core/index.ts';
import type { Plan, PrepaidView } from '../../core/index.ts';
import { refusalOf } from '../checkout/i18n-text.ts';
import type { Language } from '../checkout/languages.ts';
import type { MessageName } from '../checkout/messages/en.ts';
import { PageWriter } from '../checkout/page-writer.ts';
import type { PageReply } from '../checkout/page-writer.ts';

interface Shown {
  readonly view: PrepaidView;
  readonly language: Language;
  /** The reason why the form was refused. */
  readonly refusal: MessageName | null;
}

/** By whether no real money is paid. */
const writers = new Map([true, false].map((sandbox) => [sandbox, new PageWriter('../checkout/assets', sandbox)]));

/**
 * The page `GET /top-up/{token}`. Unknown tokens get a page too.
 *
 * @param find - finds the App's purchases
 * @param error - the error code of the refused form
 * @param sandbox - whether no real money is paid
 */
export async function topUpPage(
  find: () => Promise<PrepaidView>,
  language: Language,
  error: string | null,
  sandbox: boolean,
): Promise<PageReply> {
  const writer = present(writers.get(sandbox), 'a writer');
  try {
    const shown = { view: await find(), language, refusal: reasonOf(error) };
    const main = { title: language.text('topUpTitle'), html: renderToString(<Main {...shown} />), refresh: null };
    return writer.reply(200, writer.template(main, language), language);
  } catch (failure) {
    if (isTillgateError(failure, 'NOT_FOUND')) return writer.message(404, 'topUpUnknownTitle', 'unknownText', language);
    if (isTillgateError(failure, 'NOT_READY')) return writer.message(503, 'awayTitle', 'awayText', language);
    throw failure;
  }
}

/** Unpaid orders expire, so too many of them resolve by waiting. This page has no field that can be invalid. */
function reasonOf(error: string | null): MessageName | null {
  const refusal = refusalOf(error);
  if (refusal === 'refusedState') return 'refusedNow';
  return refusal === 'refusedAddress' ? 'refusedOther' : refusal;
}

function Main({ view, language, refusal }: Shown): VNode {
  const left = Math.max(0, view.left);
  return (
    <main id="checkout" data-follow="never">
      <section id="status" class={`card status ${left === 0 ? 'warn' : 'calm'}`} aria-labelledby="title">
        <h1 id="title">{language.text('topUpTitle')}</h1>
        <p id="words">{language.text('topUpLeft', { units: language.count(left) })}</p>
      </section>
      {refusal === null ? null : (
        <p id="refusal" class="card refusal" role="alert">
          {language.text(refusal)}
        </p>
      )}
      <section id="coins" class="card" aria-labelledby="plans-title">
        <h2 id="plans-title">{language.text('topUpPlans')}</h2>
        <ul>
          {view.plans.map((plan) => (
            <li key={plan.name}>
              <PlanForm plan={plan} token={view.units.token} language={language} />
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}

/** A form for each plan, so that the page needs no script. */
function PlanForm({ plan, token, language }: { plan: Plan; token: string; language: Language }): VNode {
  const decimals = findFiat(plan.vsCurrency)?.decimals ?? 0;
  return (
    <form method="post" action={token}>
      <input type="hidden" name="plan" value={plan.name} />
      <button class="coin" type="submit">
        <span class="name">
          <strong>{language.text('topUpUnits', { units: language.count(plan.units) })}</strong>{' '}
          <span class="soft">{plan.name}</span>
        </span>
        <span class="sum">{language.money(planPrice(plan), plan.vsCurrency, decimals)}</span>
      </button>
    </form>
  );
}
