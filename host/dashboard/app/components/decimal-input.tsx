import { TextInput, required, useLocaleState, useTranslate } from 'react-admin';
import type { TextInputProps } from 'react-admin';
import { decimalOf, typedDecimal } from '../money.ts';

/** An amount that is typed with the separator of the language; {@link useDecimals} makes it the API's. */
export function DecimalInput({ isRequired = false, ...input }: Omit<TextInputProps, 'validate'> & Asked) {
  const [locale] = useLocaleState();
  const translate = useTranslate();
  const readable = (value: unknown): string | undefined =>
    typeof value !== 'string' || value === '' || decimalOf(locale, value) !== null
      ? undefined
      : translate('tillgate.error.decimal', { example: typedDecimal(locale, EXAMPLE) });
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      validate={isRequired ? [required(), readable] : readable}
      {...input}
    />
  );
}

interface Asked {
  readonly isRequired?: boolean;
}

/** An amount as an example of how amounts are written. */
export const EXAMPLE = '1234.50';

type Form = Readonly<Record<string, unknown>>;

/** Converts the amounts of a form, by their names, from the language of the reader, and of a record to it. */
export function useDecimals(...names: readonly string[]): {
  readonly read: <T extends Form>(form: T) => T;
  readonly written: <T extends Form>(record: T) => T;
} {
  const [locale] = useLocaleState();
  const each = <T extends Form>(form: T, convert: (value: string) => string): T => ({
    ...form,
    ...Object.fromEntries(
      names.flatMap((name) => {
        const value = form[name];
        return typeof value === 'string' && value !== '' ? [[name, convert(value)]] : [];
      }),
    ),
  });
  return {
    // What cannot be read never gets here; the API would refuse it too.
    read: (form) => each(form, (value) => decimalOf(locale, value) ?? value),
    written: (record) => each(record, (value) => typedDecimal(locale, value)),
  };
}
