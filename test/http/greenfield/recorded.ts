/**
 * The shape in which this folder keeps what a shop plugin does: requests, events and pages, and what the plugin depends on in each answer.
 * It is data, so that a server is tested against it, a table is derived from it, and a person reads it.
 *
 * A text may hold placeholders such as `{storeId}`. `{storeId}`, `{apiKey}`, `{baseUrl}`, `{shopUrl}` and `{webhookUrl}` are given by who runs a
 * story; any other comes from the `keeps` of an answer before. A name with `_` at its end is the value with `_` for `-`: `{coin_}`. `{InvoiceId}` and
 * `{OrderId}` are none: they are for the server to replace.
 */

/** A value as JSON has it. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export type Kind = 'string' | 'boolean' | 'integer' | 'array' | 'object' | 'decimal' | 'whole' | 'present' | 'filled';

/**
 * What must hold at a place of an answer.
 * `string`, `boolean`, `integer`, `array`, `object`: it is of this JSON type and not null. `decimal`: a string of digits with at most one point, without
 * exponent. `whole`: a JSON number or a string of digits, since the plugin casts it. `present`: the name is there, whatever its value.
 * `filled`: neither null, false, zero nor empty. `equals`, `among`: compared as JSON. `matches`: a string that a regular expression matches.
 * `contains`: a string with this text in it. `above`: a decimal string or a number that is greater.
 */
export type Check =
  | { is: Kind }
  | { is: 'equals'; value: Json }
  | { is: 'among'; values: Json[] }
  | { is: 'matches'; pattern: string }
  | { is: 'contains'; text: string }
  | { is: 'above'; than: number };

/**
 * One fact that a plugin depends on. `path` is dotted; an empty path is the whole answer. `[]` stands for every item of a list, which then
 * must not be empty; `[?]` for at least one; `[0]` for that item: `[].payments[?].status`.
 */
export type Read = { path: string } & Check;

/** A request that a plugin sends, and what it needs of the answer. */
export interface RecordedRequest {
  /** What the plugin does by it, in words. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** In the order sent; a name may come several times. */
  query?: [name: string, value: string][];
  /** Beside those of the plugin's client (`Plugin.headers`). */
  headers?: Record<string, string>;
  body?: Json;
  expect: {
    /** The plugin compares the status with exactly this one, or these. */
    status: number | number[];
    reads: Read[];
    /** Placeholders for later steps: name and path in the answer. */
    keeps?: Record<string, string>;
  };
}

/** The types of events that BTCPay Server sends about invoices. */
export type EventType =
  | 'InvoiceCreated'
  | 'InvoiceReceivedPayment'
  | 'InvoicePaymentSettled'
  | 'InvoiceProcessing'
  | 'InvoiceExpired'
  | 'InvoiceSettled'
  | 'InvoiceInvalid';

/** An event that a plugin handles. `does` says what for. */
export interface RecordedEvent {
  type: EventType;
  reads: Read[];
  does: string;
}

/** A page of the server that a plugin opens in a browser. */
export interface RecordedPage {
  name: string;
  path: string;
  expect: { status: number | number[]; contentType?: string; contains?: string[] };
}

/** How a payer or the merchant acts between two requests. */
export type Act =
  | 'pays in full'
  | 'pays in full in Bitcoin'
  | 'pays late in full'
  | 'pays a part until the end'
  | 'pays too much'
  | 'never pays'
  | 'merchant marks invalid'
  /** What was paid can be paid out. */
  | 'payment becomes final'
  /** On the page at `{viewLink}`, all of it. */
  | 'payer claims the refund'
  /** The payer then has it. */
  | 'merchant approves the refund';

export type Step =
  | { request: RecordedRequest }
  | { act: Act }
  /** The next event of this type about the invoice arrives, is signed, and holds what the plugin reads; `reads` are those of this story alone. */
  | { event: EventType; reads?: Read[] }
  | { page: RecordedPage }
  /** The merchant follows the plugin's link; what comes back replaces `{apiKey}` and `{storeId}`. */
  | { authorize: true };

export interface Story {
  name: string;
  steps: Step[];
}

/** The link by which a plugin sends its merchant to the server for a key, and what it reads of the form that comes back. */
export interface RecordedAuthorization {
  path: string;
  /** In the order sent. */
  query: [name: string, value: string][];
  /** How the key comes back: a form that the browser posts to the address in `redirect`, or by hand. */
  returns: 'form post' | 'by hand';
  /** The fields of the form, read as `{apiKey, permissions: [...], userId}`. */
  reads: Read[];
  /** What the permissions that come back must be for the plugin to accept them. */
  permissions: { required: string[]; optional: string[]; others: 'refused' | 'accepted' };
  notes: string[];
}

/** How a plugin checks that an event comes from the server. */
export interface RecordedSignature {
  header: string;
  /** `exact`: the text is `sha256=` and lower-case hexadecimal HMAC-SHA256 of the raw body. `hexadecimal`: the same, compared without case. `unchecked`: no check. */
  compares: 'exact' | 'hexadecimal' | 'unchecked';
  notes: string[];
}

/** A plugin, as it was read at a commit. */
export interface Plugin {
  name: string;
  repository: string;
  commit: string;
  version: string;
  /** What it sends its requests with. */
  client: string;
  headers: Record<string, string>;
  authorization: RecordedAuthorization | null;
  signature: RecordedSignature;
  events: RecordedEvent[];
  stories: Story[];
  /**
   * Requests that name paths or coins as version 1 of BTCPay Server did, apart from the stories since version 2 may answer them by an error.
   */
  former: RecordedRequest[];
  /** What else a server has to know, which no step of a story can say. */
  notes: string[];
}

export const has = (path: string, is: Kind): Read => ({ path, is });
export const equals = (path: string, value: Json): Read => ({ path, is: 'equals', value });
export const among = (path: string, ...values: Json[]): Read => ({ path, is: 'among', values });
export const matches = (path: string, pattern: string): Read => ({ path, is: 'matches', pattern });
export const contains = (path: string, text: string): Read => ({ path, is: 'contains', text });
export const above = (path: string, than: number): Read => ({ path, is: 'above', than });
