import { endOfString, nameOf } from './json-text.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';

/** The parts of a JSON-RPC request that the gateway needs: the methods and, to answer instead of a node, the ids. */
export interface JsonRpcRequest {
  readonly batch: boolean;
  /** The method of each element, in order. */
  readonly methods: readonly string[];
  /** The text as received. */
  readonly text: string;
  readonly params: readonly unknown[];
  /** The id of each element as JSON text, exactly as received; `null` for a notification. */
  readonly ids: readonly (string | null)[];
}

/** Printable ASCII: nodes have no other methods, and two parsers could normalise other names differently. */
const METHOD = /^[\x21-\x7e]{1,128}$/;
const MAX_ID = 256;
/** The members of a request (JSON-RPC 2.0, section 4). */
const MEMBERS: readonly string[] = ['jsonrpc', 'id', 'method', 'params'];

/**
 * Parses exactly the text that is forwarded to the node. A request has the members of the standard, each at most once
 * and spelled exactly so. Nodes in other languages fold names differently (Go accepts `param\u017f` for `params`) and
 * use the first or the last of two members, so a further member could be used instead of the one that was checked.
 */
export function readJsonRpc(text: string, maxBatch: number): JsonRpcRequest | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('bad_request', { message: 'The body is not valid JSON.', rpcCode: -32700 });
  }
  const batch = Array.isArray(value);
  const elements: readonly unknown[] = batch ? (value as readonly unknown[]) : [value];
  if (elements.length === 0) return invalid('A batch must not be empty.');
  if (elements.length > maxBatch)
    return refuse('batch_too_large', { message: `A batch may have at most ${maxBatch} elements.` });
  const methods = elements.map(methodOf);
  if (!methods.every((method) => method !== null))
    return invalid('Each request must be an object whose "method" is a string.');
  const params = elements.map((element) => (element as { readonly params?: unknown }).params);
  const ids = readIds(text, batch ? 2 : 1);
  return ids === null
    ? invalid(
        'A request may have the members jsonrpc, id, method and params, each once; its id must be a string, a number or null.',
      )
    : { batch, text, methods, params, ids };
}

const invalid = (message: string): Refusal => refuse('bad_request', { message });

function methodOf(element: unknown): string | null {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return null;
  const { method } = element as { readonly method?: unknown };
  return typeof method === 'string' && METHOD.test(method) ? method : null;
}

const ID = /^(?:null|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)$/;

/**
 * Scans JSON text that is known to be valid for what parsing loses: repeated members, and ids as they were written.
 *
 * @param level - the nesting level of the requests' members
 * @returns `null` when a request has a member twice, a member outside the standard, or an id of another type
 */
function readIds(text: string, level: number): (string | null)[] | null {
  const ids: (string | null)[] = [];
  let names: string[] = [];
  let depth = 0;
  let nameComes = false;
  let idAt = -1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        if (nameComes && depth === level) {
          nameComes = false;
          const name = nameOf(text, at, end);
          if (!MEMBERS.includes(name) || names.includes(name)) return null;
          names.push(name);
          if (name === 'id') idAt = text.indexOf(':', end + 1) + 1;
        }
        at = end;
        break;
      }
      case 0x7b: // {
        depth += 1;
        if (depth !== level) break;
        names = [];
        nameComes = true;
        ids.push(null);
        break;
      case 0x5b: // [
        depth += 1;
        break;
      case 0x2c: // ,
      case 0x7d: // }
        if (depth === level) {
          nameComes = true;
          if (idAt > 0) {
            const id = text.slice(idAt, at).trim();
            if (id.length > MAX_ID || !ID.test(id)) return null;
            ids[ids.length - 1] = id;
            idAt = -1;
          }
        }
        if (text.charCodeAt(at) === 0x7d) depth -= 1;
        break;
      case 0x5d: // ]
        depth -= 1;
        break;
      default:
    }
  }
  return ids;
}
