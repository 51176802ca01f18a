import { apiOfPath, BASE_PATHS } from '../../adapters/http/replies.ts';
import type { ApiDescription, ApiOperation } from './description.ts';

/** An operation under one of its paths. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** The operations that one page of the reference describes. */
export interface Group {
  readonly slug: string;
  readonly title: string;
  /** The API that they belong to, by its name in {@link SECTIONS}. */
  readonly section: string;
  readonly entries: readonly Entry[];
}

type Api = ReturnType<typeof apiOfPath>;

/** The parts of the reference, in the order of the contents. */
const SECTIONS: Readonly<Record<Api, { readonly title: string; readonly slug: string }>> = {
  v1: { title: 'API', slug: 'v1' },
  payment: { title: 'Payment API', slug: 'payment' },
  manage: { title: 'Management API', slug: 'manage' },
  greenfield: { title: 'Shop plugins', slug: 'shops' },
};

/** The operations of a description by the resources that they are about, in the order of their names. */
export function groupsOf({ paths }: ApiDescription): readonly Group[] {
  const groups = new Map<string, Group & { readonly entries: Entry[] }>();
  for (const api of Object.keys(SECTIONS) as Api[]) {
    const { title: section, slug: prefix } = SECTIONS[api];
    for (const [path, methods] of Object.entries(paths)) {
      if (apiOfPath(path) !== api) continue;
      for (const [method, operation] of Object.entries(methods)) {
        const resource = resourceOf(api, path, operation);
        const slug = `${prefix}-${resource}`;
        const group = groups.get(slug) ?? { slug, title: titleOf(resource), section, entries: [] };
        group.entries.push({ method: method.toUpperCase(), path, operation });
        groups.set(slug, group);
      }
    }
  }
  const sections = Object.values(SECTIONS).map(({ title }) => title);
  const place = ({ section, title }: Group): string => `${sections.indexOf(section)} ${title}`;
  return [...groups.values()].toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** `payout-batches` of `/v1/payout-batches/{id}`; the tag where paths have no common form. */
function resourceOf(api: Api, path: string, { tags = [] }: ApiOperation): string {
  if (api === 'payment') return (tags[0] ?? 'other').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const rest = path.slice(`${BASE_PATHS[api]}/`.length).replace(/^stores\/\{\w+\}\/(?=\w)/, '');
  return rest.replace(/[/.].*$/, '');
}

const titleOf = (resource: string): string => resource.charAt(0).toUpperCase() + resource.slice(1).replaceAll('-', ' ');
