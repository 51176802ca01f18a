/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { Order } from '../../core/index.ts';
import { moneyOf } from './fiat-amount.ts';
import type { Language } from './languages.ts';

interface BoughtCardProps {
  readonly order: Order;
  readonly language: Language;
}

/** What an order of a payment link is for: its items and the tip, in the order's fiat currency. */
export function BoughtCard({ order: { cart, vsPrice, vsCurrency }, language }: BoughtCardProps): VNode | null {
  if (cart === null) return null;
  const { lines, tip } = cart;
  const rows = lines.map(
    ({ name, price, quantity }) => [`${language.count(quantity)} × ${name}`, price * BigInt(quantity)] as const,
  );
  const rest = lines.length === 0 ? ([[language.text('amount'), vsPrice - tip]] as const) : [];
  const tips = tip === 0n ? [] : ([[language.text('tip'), tip]] as const);
  return (
    <section id="bought" class="card" aria-labelledby="bought-title">
      <h2 id="bought-title">{language.text('bought')}</h2>
      <dl class="sums">
        {[...rows, ...rest, ...tips].map(([name, units], at) => (
          <Row key={at} name={name} amount={moneyOf(units, vsCurrency, language)} />
        ))}
        <Row name={language.text('total')} amount={moneyOf(vsPrice, vsCurrency, language)} />
      </dl>
    </section>
  );
}

function Row({ name, amount }: { readonly name: string; readonly amount: string }): VNode {
  return (
    <div class="field row">
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>{amount}</dd>
    </div>
  );
}
