/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { findFiat } from '../../core/index.ts';
import type { CheckoutView } from '../../core/index.ts';
import { Field } from './field.tsx';
import type { Language } from './languages.ts';

/** The rate that the amount was computed from. */
export function Rate({ view, language }: { readonly view: CheckoutView; readonly language: Language }): VNode | null {
  const { order, rate, symbol } = view;
  if (order.payment === null || rate === '') return null;
  const decimals = Math.max(findFiat(order.vsCurrency)?.decimals ?? 0, rate.split('.')[1]?.length ?? 0);
  return (
    <Field language={language} label="rate" kind="row">
      <bdi dir="ltr">
        1 {symbol} = {language.money(rate, order.vsCurrency, decimals)}
      </bdi>
    </Field>
  );
}
