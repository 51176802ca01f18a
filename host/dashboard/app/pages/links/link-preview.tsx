import { useLocaleState, useTranslate } from 'react-admin';
import { useWatch } from 'react-hook-form';
import { useMoney } from '../../components/money.ts';
import { PayerPreview, useBranding } from '../../components/payer-preview.tsx';
import { decimalOf } from '../../money.ts';
import { useApi } from '../../till.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The page of a link, as far as it is typed. */
export function LinkPreview() {
  const api = useApi();
  const translate = useTranslate();
  const money = useMoney();
  const [locale] = useLocaleState();
  const form: Readonly<Record<string, unknown>> = useWatch();
  const branding = useBranding();
  const price = decimalOf(locale, textOf(form['price']));
  const items = Array.isArray(form['items']) ? (form['items'] as readonly unknown[]) : [];
  const lines = items.map((item) => {
    const { name, price: each } = (item ?? {}) as Readonly<Record<string, unknown>>;
    const amount = decimalOf(locale, textOf(each));
    return [textOf(name), amount === null ? '' : money(amount, textOf(form['currency']))] as const;
  });
  if (branding === undefined) return null;
  return (
    <PayerPreview
      brand={branding}
      logo={branding.logo === null ? null : api.url(`../..${branding.logo.path}`)}
      title={textOf(form['title']) || translate('resources.links.fields.title')}
      description={textOf(form['description'])}
      lines={lines}
      amount={
        lines.length > 0
          ? null
          : price === null
            ? translate('resources.links.chosen')
            : money(price, textOf(form['currency']))
      }
    />
  );
}
