import { useLocaleState, useTranslate } from 'react-admin';
import { BarTable } from '../../charts/bar-table.tsx';
import { Section } from '../../components/facts.tsx';
import type { OverviewRecord } from '../../records.ts';

const KEY = 'tillgate.overview';
/** From all orders to their outcomes. */
const STEPS = ['made', 'paid', 'late', 'partial', 'timed_out', 'terminated', 'refunded', 'pending'] as const;

/** The outcomes of the created orders. */
export function OrderFunnel({ orders }: Pick<OverviewRecord, 'orders'>) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const count = new Intl.NumberFormat(locale);
  return (
    <Section title={`${KEY}.funnel`}>
      <BarTable
        label={translate(`${KEY}.funnelLabel`)}
        heads={[`${KEY}.became`, `${KEY}.orderCount`, `${KEY}.share`].map((key) => translate(key))}
        rows={STEPS.map((step) => ({
          name: translate(`${KEY}.steps.${step}`),
          cells: [count.format(orders[step]), orders.made === 0 ? '–' : share.format(orders[step] / orders.made)],
          parts: [orders[step]],
        }))}
      />
    </Section>
  );
}
