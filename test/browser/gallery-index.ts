import type { Looks } from './gallery-looks.ts';

const STYLE = `
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
  body { margin: 1rem; }
  table { border-spacing: 0 1rem; }
  th { text-align: start; vertical-align: top; padding-inline-end: 1rem; position: sticky; inset-inline-start: 0; background: Canvas; }
  thead th { top: 0; z-index: 1; padding-block: .5rem; }
  td { vertical-align: top; padding-inline-end: 1rem; }
  img { display: block; width: 12rem; max-height: 24rem; object-fit: cover; object-position: top; border: 1px solid GrayText; }
  pre { white-space: pre-wrap; }
`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * One page with all pictures: a row for each page, a column for each look.
 *
 * @param taken - the looks in which each page has a picture, `<look>/<page>.png` beside the index
 */
export function galleryIndex(
  taken: ReadonlyMap<string, readonly string[]>,
  looks: Looks,
  problems: readonly string[],
): string {
  const names = Object.keys(looks);
  const rows = [...taken].map(([page, has]) => {
    const cells = names.map((look) => {
      if (!has.includes(look)) return '<td></td>';
      const path = encodeURI(`${look}/${page}.png`).replaceAll('?', '%3F').replaceAll('#', '%23');
      return `<td><a href="${path}"><img src="${path}" alt="${escape(`${page}, ${look}`)}" loading="lazy"></a></td>`;
    });
    return `<tr id="${escape(page)}"><th scope="row">${escape(page)}</th>${cells.join('')}</tr>`;
  });
  const heads = names.map((look) => `<th scope="col">${look}</th>`).join('');
  const wrong = problems.length === 0 ? '' : `<h2>Problems</h2><pre>${escape(problems.join('\n'))}</pre>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title><style>${STYLE}</style><h1>Gallery</h1>${wrong}<table><thead><tr><th scope="col">Page</th>${heads}</tr></thead><tbody>${rows.join('\n')}</tbody></table></html>\n`;
}
