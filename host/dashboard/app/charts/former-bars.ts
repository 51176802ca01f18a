import { useTranslate } from 'react-admin';
import type { Bar, FormerBars } from './stacked-bars.tsx';

const KEY = 'tillgate.overview';

/** Names the bars of the period before; `undefined` where there is none. */
export function useFormerBars(bars: readonly Bar[] | undefined, total: string): FormerBars | undefined {
  const translate = useTranslate();
  if (bars === undefined) return undefined;
  const days = { smart_count: bars.length };
  return { name: translate(`${KEY}.former`, days), total: translate(`${KEY}.formerTotal`, { ...days, total }), bars };
}
