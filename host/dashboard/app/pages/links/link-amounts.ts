import { useDecimals } from '../../components/decimal-input.tsx';
import type { LinkRecord } from '../../records.ts';
import { AMOUNTS } from './link-form.ts';
import type { LinkForm } from './link-form.ts';

const isForm = (value: unknown): value is LinkForm => typeof value === 'object' && value !== null;

/** A form's items, each converted. */
const withItems = <T extends LinkForm>(form: T, convert: (item: LinkForm) => LinkForm): T => {
  const items: unknown = form['items'];
  return Array.isArray(items) ? { ...form, items: items.filter(isForm).map(convert) } : form;
};

/** Converts the amounts of a link and of its items from the language of the reader, and to it; tips are written as a text. */
export function useLinkAmounts(): {
  readonly read: <T extends LinkForm>(form: T) => T;
  readonly written: (link: LinkRecord) => LinkForm;
} {
  const amounts = useDecimals(...AMOUNTS);
  const item = useDecimals('price');
  return {
    read: (form) => withItems(amounts.read(form), item.read),
    written: (link) => withItems({ ...amounts.written({ ...link }), tips: link.tips.join(', ') }, item.written),
  };
}
