import type { GatewayItem } from '../../operator-records.ts';

type Numbers = Readonly<Record<string, number | null>>;

/** A gateway as its form has it: lists and maps are lines of text. */
export interface GatewayForm {
  readonly host?: string;
  readonly chain?: string;
  readonly network?: string;
  readonly protocol?: string;
  readonly upstreams?: readonly { readonly url?: string; readonly headers?: string }[];
  readonly admission?: string;
  readonly enabled?: boolean;
  readonly methods?: { readonly allow?: string; readonly deny?: string };
  readonly cors?: { readonly origins?: string };
  readonly units?: string;
  readonly plans?: string;
  readonly limits?: Numbers;
  readonly timeouts?: Numbers;
  readonly reads?: Readonly<Record<string, unknown>>;
  readonly max_body_bytes?: number | null;
  readonly max_batch?: number | null;
}

const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `name: value` in each line. What has no colon is a name without a value, which the API refuses by its name. */
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

/** Digits become a number; anything else goes as it is, for the API to refuse. */
const numberOf = (text: string): unknown => (/^\d{1,15}$/.test(text) ? Number(text) : text);

export function formOf(gateway: GatewayItem): GatewayForm {
  const { methods, cors, upstreams, units, plans, limits, timeouts, reads } = gateway;
  return {
    ...gateway,
    upstreams: upstreams.map(({ url, headers }) => ({ url, headers: textOf(headers) })),
    methods: { allow: methods.allow.join('\n'), deny: methods.deny.join('\n') },
    cors: { origins: cors.origins.join('\n') },
    units: textOf(units),
    plans: plans.join('\n'),
    limits: { ...limits },
    timeouts: { ...timeouts },
    reads: { ...reads },
  };
}

/** The body of a request. What is `undefined` there is left out, and stays as it is. */
export function bodyOf(form: GatewayForm): Readonly<Record<string, unknown>> {
  const { host, chain, network, protocol, admission, enabled, limits, timeouts, reads, max_body_bytes, max_batch } =
    form;
  return {
    ...{ host, chain, network, protocol, admission, enabled, limits, reads },
    upstreams: (form.upstreams ?? []).map(({ url = '', headers }) => ({
      url: url.trim(),
      headers: Object.fromEntries(pairsOf(headers)),
    })),
    methods: { allow: linesOf(form.methods?.allow), deny: linesOf(form.methods?.deny) },
    cors: form.cors === undefined ? undefined : { origins: linesOf(form.cors.origins) },
    units: Object.fromEntries(pairsOf(form.units).map(([name, value]) => [name, numberOf(value)])),
    plans: form.plans === undefined ? undefined : linesOf(form.plans),
    timeouts: given(timeouts),
    ...given({ max_body_bytes, max_batch }),
  };
}

/** Without what was left empty: of these there is no "none". */
function given(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** The fields of a body that differ from the gateway as it was read: what somebody else changes meanwhile is not undone. */
export function changesOf(former: GatewayItem, form: GatewayForm): Readonly<Record<string, unknown>> {
  const before = bodyOf(formOf(former));
  return Object.fromEntries(
    Object.entries(bodyOf(form)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
