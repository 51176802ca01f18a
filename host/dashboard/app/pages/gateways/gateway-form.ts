import { linesOf } from '../../components/lines.ts';
import type { GatewayItem } from '../../operator-records.ts';

type Numbers = Readonly<Record<string, number | null>>;

/** The form's fields of an upstream. */
interface UpstreamForm {
  readonly url?: string;
  readonly headers?: string;
  /** The stored upstream. Its secrets are never shown, so while it is unchanged it is sent as its position. */
  readonly former?: { readonly place: number; readonly url: string; readonly headers: string };
}

/** The form's fields of a gateway: lists and maps are lines of text. */
export interface GatewayForm {
  readonly host?: string;
  readonly chain?: string;
  readonly network?: string;
  readonly protocol?: string;
  readonly upstreams?: readonly UpstreamForm[];
  readonly admission?: string;
  readonly enabled?: boolean;
  readonly methods?: { readonly allow?: string; readonly deny?: string };
  readonly cors?: { readonly origins?: string };
  readonly units?: string;
  readonly plans?: string;
  readonly limits?: Readonly<Record<string, number | string | null>>;
  readonly timeouts?: Numbers;
  readonly reads?: Readonly<Record<string, unknown>> & { readonly logs?: Numbers | null };
  readonly max_body_bytes?: number | null;
  readonly max_batch?: number | null;
}

/** Parses one `name: value` per line. A line without a colon is a name without a value, which the API refuses. */
function pairsOf(text = ''): [name: string, value: string][] {
  return linesOf(text).map((line) => {
    const at = line.indexOf(':');
    return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

const textOf = (pairs: Readonly<Record<string, unknown>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');

/** Digits become a number; any other text is sent unchanged, and the API refuses it. */
const numberOf = (text: string): unknown => (/^\d{1,15}$/.test(text) ? Number(text) : text);

type Rates = GatewayItem['limits']['methods'];

/** One line per rate: the method, its calls per second, and the burst where there is one. */
export const ratesText = (rates: Rates): readonly string[] =>
  Object.entries(rates).map(
    ([name, { requests_per_second: rate, burst }]) => `${name}: ${rate}${burst === null ? '' : ` ${burst}`}`,
  );

/** Decimals become a number; any other text is sent unchanged, and the API refuses it. */
const rateOf = (text: string): unknown => (/^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text);

function ratesOf(text: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairsOf(text).map(([name, value]) => {
      const at = value.search(/\s/);
      const [rate, burst] = at < 0 ? [value, ''] : [value.slice(0, at), value.slice(at).trim()];
      return [name, { requests_per_second: rateOf(rate), burst: burst === '' ? null : numberOf(burst) }];
    }),
  );
}

export function formOf(gateway: GatewayItem): GatewayForm {
  const { methods, cors, upstreams, units, plans, limits, timeouts, reads } = gateway;
  return {
    ...gateway,
    upstreams: upstreams.map(({ url, header_names: names }, place) => {
      const headers = names.map((name) => `${name}: …`).join('\n');
      return { url, headers, former: { place, url, headers } };
    }),
    methods: { allow: methods.allow.join('\n'), deny: methods.deny.join('\n') },
    cors: { origins: cors.origins.join('\n') },
    units: textOf(units),
    plans: plans.join('\n'),
    limits: { ...limits, methods: ratesText(limits.methods).join('\n') },
    timeouts: { ...timeouts },
    reads: { ...reads },
  };
}

/** The body of a request. A field that is `undefined` is omitted, and keeps its value. */
export function bodyOf(form: GatewayForm): Readonly<Record<string, unknown>> {
  const { host, chain, network, protocol, admission, enabled, limits, timeouts, reads, max_body_bytes, max_batch } =
    form;
  return {
    ...{ host, chain, network, protocol, admission, enabled },
    limits: limits === undefined ? undefined : { ...limits, methods: ratesOf(String(limits['methods'] ?? '')) },
    reads: reads === undefined ? undefined : { ...reads, logs: logsOf(reads.logs) },
    upstreams: (form.upstreams ?? []).map(upstreamOf),
    methods: { allow: linesOf(form.methods?.allow), deny: linesOf(form.methods?.deny) },
    cors: form.cors === undefined ? undefined : { origins: linesOf(form.cors.origins) },
    units: Object.fromEntries(pairsOf(form.units).map(([name, value]) => [name, numberOf(value)])),
    plans: form.plans === undefined ? undefined : linesOf(form.plans),
    timeouts: given(timeouts),
    ...given({ max_body_bytes, max_batch }),
  };
}

function upstreamOf({ url = '', headers = '', former }: UpstreamForm): object {
  if (former?.url === url && former.headers === headers) return { keep: former.place };
  return { url: url.trim(), headers: Object.fromEntries(pairsOf(headers)) };
}

/** Without a limit of blocks there are no rules for logs. */
function logsOf(logs: Numbers | null | undefined): object | null {
  return logs?.['max_range'] == null ? null : given(logs);
}

/** Removes empty fields, which have no "none" value. */
function given(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** The changed fields of a body, so that simultaneous changes by others are kept. */
export function changesOf(former: GatewayItem, form: GatewayForm): Readonly<Record<string, unknown>> {
  const before = bodyOf(formOf(former));
  return Object.fromEntries(
    Object.entries(bodyOf(form)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
