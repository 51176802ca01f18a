/** Passes edited sources to the TypeScript loader, before which it must be imported. */
import { register } from 'node:module';

register('./loader.mjs', import.meta.url, { data: JSON.parse(process.env['TILLGATE_EDITED'] ?? '[]') });
