import type { Field, Values } from '../../components/field.ts';
import { linesOf } from '../../components/lines.ts';
import type { AppKey } from '../../records.ts';

const KEY = 'resources.apps';

/** The API's fields of a key's limits. */
type KeyLimits = Pick<AppKey, 'methods' | 'networks' | 'origins' | 'units_per_minute' | 'expires_at'>;

const NONE: KeyLimits = { methods: [], networks: [], origins: [], units_per_minute: null, expires_at: null };

/** A time in the browser's time zone, in the format of its input. */
function localTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What the form of these limits shows; each list is lines of text. */
export function valuesOf(limits: KeyLimits): Values {
  const { methods, networks, origins, units_per_minute: units, expires_at: end } = limits;
  return {
    methods: methods.join('\n'),
    networks: networks.join('\n'),
    origins: origins.join('\n'),
    units_per_minute: units === null ? '' : String(units),
    expires_at: end === null ? '' : localTime(end),
  };
}

/** The form of a key's limits. */
export function limitFields(limits: KeyLimits = NONE): readonly Field[] {
  const initial = valuesOf(limits);
  const field = (name: keyof KeyLimits, type: NonNullable<Field['type']>, help: string): Field => ({
    ...{ name, type, initial: initial[name] ?? '' },
    label: `${KEY}.fields.${name}`,
    help: `${KEY}.${help}`,
  });
  return [
    field('methods', 'lines', 'methodsHelp'),
    field('networks', 'lines', 'networksHelp'),
    field('origins', 'lines', 'originsHelp'),
    field('units_per_minute', 'code', 'unitsHelp'),
    field('expires_at', 'datetime-local', 'endHelp'),
  ];
}

/** Digits become a number; any other text is sent unchanged, and the API refuses it. */
const numberOf = (text: string): unknown => (/^\d{1,15}$/.test(text) ? Number(text) : text);

const VALUES: Readonly<Record<keyof KeyLimits, (text: string) => unknown>> = {
  methods: linesOf,
  networks: linesOf,
  origins: linesOf,
  units_per_minute: (text) => (text.trim() === '' ? null : numberOf(text.trim())),
  expires_at: (text) => (text === '' ? null : new Date(text).toISOString()),
};

/** The body of a request with the fields that were changed, so that simultaneous changes by others are kept. */
export function changesOf(values: Values, former: KeyLimits = NONE): Readonly<Record<string, unknown>> {
  const before = valuesOf(former);
  const changed = Object.entries(VALUES).filter(([name]) => (values[name] ?? '') !== before[name]);
  return Object.fromEntries(changed.map(([name, valueOf]) => [name, valueOf(values[name] ?? '')]));
}
