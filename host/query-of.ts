import type { HttpRequest } from '../adapters/http/index.ts';

/** The query of a request's target; most have none. */
export function queryOf({ target }: HttpRequest): URLSearchParams {
  const mark = target.indexOf('?');
  return mark === -1 ? NO_QUERY : new URLSearchParams(target.slice(mark));
}

const NO_QUERY = new URLSearchParams();
