import type { ApiDescription } from '../../host/api-docs/description.ts';
import { docsPages } from '../../host/api-docs/site.tsx';
import type { Tour } from './gallery-looks.ts';

/** The documentation of a till, whose own contents are the list of its pages. It is in English alone. */
export function docsTour(url: string): Tour {
  return {
    language: 'en',
    walk: async (page, show, wants) => {
      const api = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDescription;
      for (const { slug } of docsPages(api, url)) {
        const name = `docs/${slug || 'start'}`;
        if (!wants(name)) continue;
        await page.goto(slug === '' ? `${url}/docs` : `${url}/docs/${slug}`);
        await show(name);
      }
    },
  };
}
